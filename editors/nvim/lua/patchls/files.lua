--- Loads buffers for files that agents edit and that are not open, and renames files.
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

-- Returns where a name leads, links followed, also if it or its folder does not exist yet; nil if a link leads nowhere.
local function leads(name)
  local now, folder = vim.uv.fs_realpath(name), vim.fs.dirname(name)
  if now or vim.uv.fs_lstat(name) or folder == name then
    return now
  end
  folder = leads(folder)
  return folder and vim.fs.joinpath(folder, vim.fs.basename(name))
end

--- Fails if a name does not lead to want, where the server has seen it lead; nil or "" is anywhere. Systems differ in
--- how they spell case and accents, which are left out.
function M.check_leads(name, want)
  local function plain(path)
    return (vim.fs.normalize(path, { expand_env = false }):lower():gsub("[\128-\255]+", "?"))
  end
  if want and want ~= "" and plain(leads(name) or "") ~= plain(want) then
    error(("the name of %s leads elsewhere now"):format(name), 0)
  end
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

-- Returns whether autocommands of others write a buffer.
local function is_written_by_others(bufnr, path)
  for _, autocmd in ipairs(vim.api.nvim_get_autocmds({ event = "BufWriteCmd" })) do
    local is_own = autocmd.buflocal and autocmd.buffer == bufnr
    local regex = not autocmd.buflocal and vim.regex(vim.fn.glob2regpat(autocmd.pattern))
    if is_own or regex and (regex:match_str(path) or regex:match_str(vim.fs.basename(path))) then
      return true
    end
  end
  return false
end

-- Gives a buffer the name of its file, which was renamed. Its text, 'modified', undo and marks stay.
local function rename_buffer(bufnr, from, to)
  local clients = vim.lsp.get_clients({ bufnr = bufnr })
  for _, client in ipairs(clients) do
    vim.lsp.buf_detach_client(bufnr, client.id) -- while the buffer has the name by which its servers know it
  end
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd("silent keepalt file " .. vim.fn.fnameescape(to))
    -- From now on ":write" would fail with E13, until Neovim believes that the buffer was written under its new name.
    if not is_written_by_others(bufnr, to) then
      vim.api.nvim_create_autocmd("BufWriteCmd", { buffer = bufnr, once = true, callback = function() end })
      vim.cmd("silent! write!")
    end
  end)
  if vim.fn.bufexists(from) == 1 then -- ":file" leaves a buffer of the old name
    vim.api.nvim_buf_delete(vim.fn.bufadd(from), { force = true })
  end
  for _, client in ipairs(clients) do
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

--- Renames a file, and its buffer if it is loaded. What is unsaved stays unsaved: Neovim's own handler would write it.
function M.rename(from, to)
  local bufnr = vim.fn.bufexists(from) == 1 and vim.fn.bufadd(from)
  if vim.fn.bufexists(to) == 1 then
    local taken = vim.fn.bufadd(to)
    if vim.api.nvim_buf_is_loaded(taken) then
      error(to .. " is open", 0)
    end
    vim.api.nvim_buf_delete(taken, { force = true })
  end
  vim.fn.mkdir(vim.fs.dirname(to), "p")
  if vim.uv.fs_lstat(from) then -- a file that was never saved is a buffer alone
    local ok, err = vim.uv.fs_rename(from, to)
    if not ok then
      error(("%s cannot be renamed: %s"):format(from, err), 0)
    end
    local undofile = vim.fn.undofile(from)
    if vim.uv.fs_stat(undofile) then
      vim.uv.fs_rename(undofile, vim.fn.undofile(to))
    end
  end
  if bufnr and vim.api.nvim_buf_is_loaded(bufnr) then
    rename_buffer(bufnr, from, to)
  end
end

return M
