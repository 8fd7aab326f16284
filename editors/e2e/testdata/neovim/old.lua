-- Neovim 0.7 has no vim.lsp.start and no vim.lsp.config; this is what one writes there.
local client
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  callback = function(event)
    local buffer = event.buf
    if vim.bo[buffer].buftype ~= "" or vim.api.nvim_buf_get_name(buffer) == "" then
      return
    end
    client = client
      or vim.lsp.start_client({
        name = "patchls",
        cmd = { "patchls", "serve" },
        root_dir = vim.fn.getcwd(),
        workspace_folders = { { uri = vim.uri_from_fname(vim.fn.getcwd()), name = "menu" } },
      })
    vim.lsp.buf_attach_client(buffer, client)
  end,
})
