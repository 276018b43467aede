-- elophanto in Neovim 0.7 or later: notes everywhere, and source files where there is a knowledge base.
-- `elophanto editor install neovim` puts this into after/plugin, and takes it out with --remove.
--
-- :ElophantoSearch [QUESTION]  asks the knowledge base and opens what is chosen
-- K, gd, gr                    hover, go to, who refers here; where they mean something else already, that stays
-- From 0.11 on Neovim starts the server itself (vim.lsp.config), and tells of it in :checkhealth vim.lsp.
-- All else is Neovim's own: CTRL-X CTRL-O, vim.lsp.buf.code_action(), vim.lsp.buf.rename().
-- Neovim 0.7 cannot make a missing note for a server without emptying one that was made meanwhile, and is
-- not asked to.

local program = "elophanto"
local clients = {}

local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  while true do
    for _, mark in ipairs({ ".elophanto", ".git" }) do
      local at = folder .. "/" .. mark
      if vim.fn.isdirectory(at) == 1 or vim.fn.filereadable(at) == 1 then
        return folder
      end
    end
    local above = vim.fn.fnamemodify(folder, ":h")
    if above == folder then
      return nil
    end
    folder = above
  end
end

local function on_attach(client, buffer)
  vim.bo[buffer].omnifunc = "v:lua.vim.lsp.omnifunc"
  local keys = { K = vim.lsp.buf.hover, gd = vim.lsp.buf.definition, gr = vim.lsp.buf.references }
  for key, action in pairs(keys) do
    if vim.fn.maparg(key, "n") == "" then
      vim.keymap.set("n", key, function() action() end, { buffer = buffer })
    end
  end
  if vim.lsp.inlay_hint and vim.lsp.inlay_hint.enable then
    pcall(vim.lsp.inlay_hint.enable, true, { bufnr = buffer })
  end
  if vim.lsp.codelens and vim.lsp.codelens.refresh then
    vim.api.nvim_create_autocmd({ "BufEnter", "BufWritePost" }, {
      buffer = buffer,
      callback = function() pcall(vim.lsp.codelens.refresh) end,
    })
    vim.defer_fn(function() pcall(vim.lsp.codelens.refresh) end, 500)
  end
end

-- Where a buffer is looked at: a note in its repository, source code in a knowledge base.
local function base_of(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  local root = path ~= "" and vim.bo[buffer].buftype == "" and root_of(path)
  local is_note = vim.bo[buffer].filetype == "markdown"
  return root and (is_note or vim.fn.isdirectory(root .. "/.elophanto") == 1) and root or nil
end

local function attach(event)
  local root = base_of(event.buf)
  if not root then
    return
  end
  local config = { name = "elophanto", cmd = { program, "lsp" }, root_dir = root, on_attach = on_attach }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = event.buf })
  else
    clients[root] = clients[root] or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(event.buf, clients[root])
  end
end

if vim.lsp.config then
  vim.lsp.config("elophanto", {
    cmd = { program, "lsp" },
    root_dir = function(buffer, found)
      local root = base_of(buffer)
      if root then
        found(root)
      end
    end,
    on_attach = on_attach,
  })
  vim.lsp.enable("elophanto")
else
  vim.api.nvim_create_autocmd("FileType", { callback = attach })
end

local function open(location)
  if vim.lsp.util.show_document then
    vim.lsp.util.show_document(location, "utf-8", { focus = true })
  else
    vim.lsp.util.jump_to_location(location, "utf-8")
  end
end

local function search(query)
  if not query or query == "" then
    return
  end
  local client = nil
  for _, it in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if it.name == "elophanto" and (not client or vim.lsp.buf_is_attached(0, it.id)) then
      client = it
    end
  end
  if not client then
    vim.notify("elophanto: open a file of a knowledge base first", vim.log.levels.WARN)
    return
  end
  client.request("workspace/symbol", { query = query }, function(_, found)
    local shown = function(it) return it.name .. "  " .. (it.containerName or "") end
    vim.ui.select(found or {}, { prompt = query, format_item = shown }, function(chosen)
      if chosen then
        open(chosen.location)
      end
    end)
  end)
end

vim.api.nvim_create_user_command("ElophantoSearch", function(given)
  if given.args ~= "" then
    search(given.args)
  else
    vim.ui.input({ prompt = "Ask: " }, search)
  end
end, { nargs = "*" })
