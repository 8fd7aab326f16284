--- Buffers for files that are edited and not open.
local buffers = require("patchls.buffers")

local M = {}

-- Neovim itself answers the question of a swap file by going on, if the other Neovim still
-- runs, and asks nobody in a buffer that is loaded in the background. So it is looked here:
-- returns the swap file that was met while load ran.
local function swap_met(bufnr, load)
  local met
  local shortmess = vim.o.shortmess
  local autocmd = vim.api.nvim_create_autocmd("SwapExists", {
    callback = function(args)
      if args.buf == bufnr then
        met = vim.v.swapname
        vim.v.swapchoice = "e"
      end
    end,
  })
  vim.opt.shortmess:remove("A")
  local ok, err = pcall(load)
  vim.o.shortmess = shortmess
  vim.api.nvim_del_autocmd(autocmd)
  if not met and not ok then
    error(err, 0)
  end
  return met
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
  buffers.held = true -- the server is not told of a buffer that may have to go again
  local ok, met = pcall(swap_met, bufnr, function()
    vim.fn.bufload(bufnr)
  end)
  buffers.held = false
  if not ok then
    fail(tostring(met))
  elseif met then
    fail(("E325: %s has the swap file %s: it is open in another Neovim, or was when one crashed"):format(path, met))
  end
  local why = buffers.unwanted(bufnr)
  if why then
    fail(("agents cannot edit %s: %s"):format(path, why))
  end
  buffers.attach(bufnr)
end

return M
