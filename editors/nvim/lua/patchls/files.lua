--- Loads buffers for files that agents edit and that are not open.
local buffers = require("patchls.buffers")

local M = {}

-- If there is a swap file, Neovim would fill the user's screen with E325 and wait for a key; a
-- second attempt would load the file all the same. So the file is loaded without that message,
-- and M.load looks for the swap file afterwards.
local function load(bufnr)
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append("A")
  local ok, err = pcall(vim.fn.bufload, bufnr)
  vim.o.shortmess = shortmess
  return ok, err
end

local function real(path)
  local full = vim.fn.fnamemodify(path, ":p")
  return vim.uv.fs_realpath(full) or full
end

-- Returns the swap file that kept a buffer's own one from the first name, .swp; nil if there
-- is none, or there are only those of other files with the same name.
local function swap_before(bufnr)
  local own = vim.fn.swapname(bufnr)
  for last = ("p"):byte(), (own:byte(-1) or ("p"):byte()) + 1, -1 do
    local swap = own:sub(1, -2) .. string.char(last)
    local info = vim.fn.swapinfo(swap)
    if not info.fname or real(info.fname) == real(vim.api.nvim_buf_get_name(bufnr)) then
      return swap
    end
  end
end

--- Undoes the loading of a buffer: deletes it, or only unloads it if it is in the user's
--- buffer list.
function M.unload(bufnr)
  pcall(vim.api.nvim_buf_delete, bufnr, { force = true, unload = vim.bo[bufnr].buflisted })
end

--- Loads the file of a buffer in the background and attaches it. If that fails, the loading
--- is undone.
function M.load(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local function fail(why)
    M.unload(bufnr)
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
  local swap = swap_before(bufnr)
  if swap then
    fail(("E325: %s has the swap file %s: it is open in another Neovim, or was when one crashed"):format(path, swap))
  end
  local why = buffers.unwanted(bufnr)
  if why then
    fail(("agents cannot edit %s: %s"):format(path, why))
  end
  buffers.attach(bufnr)
end

return M
