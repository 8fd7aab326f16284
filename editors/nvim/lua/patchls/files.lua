--- Buffers for files that are edited and not open.
local buffers = require("patchls.buffers")

local M = {}

-- Neovim raises E325 where another one has the file open, unless 'shortmess' says not to,
-- and would fill the screen with it. Asked a second time it would go on all the same.
local function load(bufnr)
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:remove("A")
  local ok, err = pcall(vim.cmd, ("silent call bufload(%d)"):format(bufnr))
  vim.o.shortmess = shortmess
  return ok, err
end

--- Loads the file of a buffer in the background and attaches it. Where that fails, the
--- buffer is gone, and it is as if nothing had been tried.
function M.load(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local function fail(why)
    pcall(vim.api.nvim_buf_delete, bufnr, { force = true })
    error(why, 0)
  end
  if vim.fn.isdirectory(path) == 1 then
    fail(path .. " is a directory")
  elseif vim.uv.fs_stat(path) and not vim.uv.fs_access(path, "R") then
    fail(path .. " cannot be read")
  end
  local ok, err = load(bufnr)
  if not ok then
    fail(("%s cannot be loaded: %s"):format(path, err))
  end
  local why = buffers.unwanted(bufnr)
  if why then
    fail(("agents cannot edit %s: %s"):format(path, why))
  end
  buffers.attach(bufnr)
end

return M
