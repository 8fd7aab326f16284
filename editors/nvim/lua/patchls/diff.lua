--- Shows a file before and after an edit, side by side in a tab page of its own. The server
--- provides the texts of the buffers, whose names begin with patchls-diff:.
local server = require("patchls.server")
local wire = require("patchls.wire")

local M = {}

--- How long the user has to wait for a text at most, in ms.
local patience = 2000

--- From this number of columns on, the two windows are side by side, and not one above the other.
local wide = 80

-- Neovim does not take a name for a file's path if it contains "//"; to the server both forms are the same.
local function buffer_name(uri)
  return (uri:gsub("^patchls%-diff:/+", "patchls-diff:///"))
end

--- Returns the URI of the document with one side of a file in an edit or a question.
function M.document(id, side, path)
  local encoded = path:gsub("^/", ""):gsub("[^%w%-%._~/]", function(c)
    return ("%%%02X"):format(c:byte())
  end)
  return ("patchls-diff:/%s/%s/%s"):format(id, side, encoded)
end

local function read(bufnr, name)
  local client = server.client()
  local answer = client and wire.request_sync(client, "workspace/textDocumentContent", { uri = name }, patience, bufnr)
  if not answer or answer.err then
    error("patchls: " .. (answer and answer.err.message or "the server is not running, or does not answer"), 0)
  end
  return answer.result.text
end

local function fill(bufnr, name)
  local text = read(bufnr, name)
  local lines = vim.split(text, "\n", { plain = true })
  local is_ended = lines[#lines] == ""
  if is_ended then
    table.remove(lines)
  end
  local is_dos = lines[1] ~= nil and vim.iter(lines):all(function(line)
    return vim.endswith(line, "\r")
  end)
  if is_dos then
    lines = vim.tbl_map(function(line)
      return line:sub(1, -2)
    end, lines)
  end
  local options = vim.bo[bufnr]
  options.buftype, options.bufhidden, options.swapfile, options.undolevels = "nofile", "wipe", false, -1
  options.modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  options.fileformat = is_dos and "dos" or "unix"
  options.endofline = is_ended
  options.modified, options.modifiable = false, false
  options.filetype = vim.filetype.match({ filename = vim.uri_decode(name), buf = bufnr }) or ""
end

local function close(tab)
  if not vim.api.nvim_tabpage_is_valid(tab) then
    return
  elseif #vim.api.nvim_list_tabpages() == 1 then
    vim.cmd("tabnew")
  end
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    pcall(vim.api.nvim_win_close, win, true)
  end
end

--- Closes the tab page that M.open has opened, whichever one the user is in.
function M.close(view)
  close(view.tab)
end

--- Goes to the window that M.open has opened. Returns whether it still exists.
function M.go(view)
  local is_there = vim.api.nvim_tabpage_is_valid(view.tab) and vim.api.nvim_win_is_valid(view.win)
  if is_there then
    vim.api.nvim_set_current_win(view.win)
  end
  return is_there
end

-- Gives a window of the view its title and its keys.
local function dress(title, keys)
  vim.wo.winbar = " " .. title:gsub("%%", "%%%%") .. "%<"
  for key, run in pairs(keys) do
    vim.keymap.set("n", key, run, { buffer = true, nowait = true, silent = true })
  end
end

local function edit(how, uri)
  vim.cmd(("silent %s %s"):format(how, vim.fn.fnameescape(buffer_name(uri))))
end

--- Opens documents in a new tab page: one, or two as a diff. titles are the titles of their windows,
--- whose names are already fit for one line; keys maps keys to functions; q closes the tab page.
function M.open(uris, titles, keys)
  if vim.api.nvim_get_mode().mode:match("^[iR]") then
    vim.cmd("stopinsert")
  end
  local before = vim.api.nvim_get_current_tabpage()
  local view = {}
  keys = vim.tbl_extend("keep", keys, {
    q = function()
      M.close(view)
    end,
  })
  local ok, err = pcall(function()
    edit("tabedit", uris[1])
    view.tab = vim.api.nvim_get_current_tabpage()
    dress(titles[1], keys)
    if uris[2] then
      edit(vim.o.columns >= wide and "rightbelow vertical diffsplit" or "rightbelow diffsplit", uris[2])
      dress(titles[2], keys)
      vim.cmd("silent! normal! gg]c")
    end
    view.win = vim.api.nvim_get_current_win()
  end)
  if not ok then
    if vim.api.nvim_get_current_tabpage() ~= before then
      close(vim.api.nvim_get_current_tabpage())
    end
    error(err, 0)
  end
  return view
end

function M.enable()
  vim.api.nvim_create_autocmd("BufReadCmd", {
    group = vim.api.nvim_create_augroup("patchls.diff", {}),
    pattern = "patchls-diff:///*",
    callback = function(args)
      fill(args.buf, args.match)
    end,
  })
end

return M
