--- Agents edit the text that is on screen. See |patchls|.
local M = {}

--- Sets options. It need not be called; vim.g.patchls does the same. |patchls-options|
---@param options table?
function M.setup(options)
  require("patchls.config").set(options)
end

--- Attaches patchls to the buffers of this Neovim. The plugin does it at the start.
function M.enable()
  require("patchls.marks").enable()
  require("patchls.diff").enable()
  require("patchls.lenses").enable()
  require("patchls.confirm").enable()
  require("patchls.buffers").enable()
end

return M
