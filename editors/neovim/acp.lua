-- The agent of elophanto in Neovim, by either plugin: keep the part of the one that you have.

-- CodeCompanion (olimorris/codecompanion.nvim): `:CodeCompanionChat adapter=elophanto`
require("codecompanion").setup({
  adapters = {
    acp = {
      elophanto = function()
        return require("codecompanion.adapters").extend("gemini_cli", {
          name = "elophanto",
          formatted_name = "elophanto",
          commands = { default = { "elophanto", "acp" } },
          defaults = { mcpServers = {}, timeout = 20000 },
          env = {},
          -- Nobody signs in.
          handlers = { auth = function() return true end },
        })
      end,
    },
  },
})

-- avante (yetone/avante.nvim): it hands on PATH and nothing else that is not named here.
require("avante").setup({
  provider = "elophanto",
  acp_providers = {
    elophanto = { command = "elophanto", args = { "acp" }, env = { HOME = os.getenv("HOME") } },
  },
})
