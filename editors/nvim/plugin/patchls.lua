if vim.g.loaded_patchls then
  return
end
vim.g.loaded_patchls = true

if vim.fn.has("nvim-0.10") == 0 then
  local old = "patchls needs Neovim 0.10 or newer (:help patchls-requirements)"
  vim.api.nvim_create_user_command("Patchls", function()
    vim.notify(old, vim.log.levels.ERROR)
  end, { nargs = "*", bang = true, desc = "Says why patchls does not work here" })
  vim.notify(old, vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command("Patchls", function(args)
  require("patchls.command").run(args)
end, {
  nargs = "*",
  bang = true,
  desc = "Show agents and review their edits",
  complete = function(...)
    return require("patchls.command").complete(...)
  end,
})

-- Enables the plugin after the user's init.lua, which may call setup() or set vim.g.patchls.
if vim.v.vim_did_enter == 1 then
  vim.schedule(function()
    require("patchls").enable()
  end)
else
  vim.api.nvim_create_autocmd("VimEnter", {
    once = true,
    callback = function()
      require("patchls").enable()
    end,
  })
end
