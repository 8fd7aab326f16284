-- The configuration that vim.lsp.config() and vim.lsp.enable() know by the name
-- "patchls" (Neovim 0.11 and newer).
return require("patchls.server").config()
