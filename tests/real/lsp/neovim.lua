-- Asks each feature of elophanto through Neovim's own client, and prints what it got. Run by run.sh.
local root = os.getenv("REPO")
local failed = 0

local function say(name, good, shown)
  io.stdout:write((good and "ok: " or "FAILED: ") .. "neovim: " .. name .. ": " .. tostring(shown) .. "\n")
  failed = failed + (good and 0 or 1)
end

vim.cmd("filetype on")
vim.cmd("source " .. os.getenv("PLUGIN"))
local path = root .. "/knowledge/system/new.md"
vim.cmd("edit " .. path)
vim.bo.filetype = "markdown"
local lines = { "# New", "", "Link [[glosary]] and [[conventions#Testing]].", "", "Tables are written once, see [[" }
vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 120000) or {}
  for _, answer in pairs(answers) do
    return answer.result, answer.error
  end
end

local function at(line, column)
  local params = vim.lsp.util.make_text_document_params and
    { textDocument = vim.lsp.util.make_text_document_params() } or {}
  params.position = { line = line, character = column }
  params.context = { includeDeclaration = true, diagnostics = {}, triggerKind = 1 }
  params.range = { start = params.position, ["end"] = params.position }
  return params
end

say("attached", vim.wait(60000, function() return #vim.tbl_values(vim.lsp.buf_get_clients(0)) > 0 end), "client")
local seen = vim.wait(120000, function() return #vim.diagnostic.get(0) > 0 end)
say("diagnostics", seen, seen and vim.diagnostic.get(0)[1].message)
local hover = ask("textDocument/hover", at(2, 25))
say("hover", hover and hover.contents, hover and vim.split(hover.contents.value, "\n")[1])
local definition = ask("textDocument/definition", at(2, 25))
say("definition", definition and definition.uri:match("conventions.md$"), definition and definition.range.start.line)
local references = ask("textDocument/references", at(2, 25))
say("references", references and #references > 0, references and #references)
local completion = ask("textDocument/completion", at(4, #lines[5]))
say("completion", completion and #completion.items > 0, completion and completion.items[1] and completion.items[1].label)
local actions = ask("textDocument/codeAction", at(2, 8))
say("code actions", actions and #actions > 0, actions and actions[1] and actions[1].title)
if actions and actions[1] and actions[1].edit then
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-8")
  local line = vim.api.nvim_buf_get_lines(0, 2, 3, false)[1]
  say("fix applied", line:match("%[%[glossary%]%]"), line)
end
local symbols = ask("workspace/symbol", { query = "how are two branches merged" })
say("search", symbols and #symbols > 0, symbols and symbols[1] and symbols[1].name)
local outline = ask("textDocument/documentSymbol", at(0, 0))
say("outline", outline and #outline > 0, outline and outline[1].name)
local lenses = ask("textDocument/codeLens", at(0, 0))
say("code lens", lenses ~= nil, lenses and #lenses)
local rename, refused = ask("textDocument/rename", vim.tbl_extend("force", at(0, 3), { newName = "Newer" }))
say("rename", rename ~= nil, refused and refused.message or "a heading")
vim.lsp.stop_client(vim.lsp.get_active_clients())
vim.wait(500)
io.stdout:flush()
os.exit(failed == 0 and 0 or 1)
