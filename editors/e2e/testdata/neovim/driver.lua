-- What the tests do in Neovim. It is run by nvim_exec_lua with an operation and its
-- arguments; everything is as the user's command would do it.
local operation, path, a, b = ...

local function find()
  local real = vim.loop.fs_realpath(path) or path
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if name ~= "" and (name == path or (vim.loop.fs_realpath(name) or name) == real) then
      return buffer
    end
  end
end

local function option(buffer, name)
  return vim.api.nvim_buf_get_option(buffer, name)
end

-- The user is in the window, so a command is one in its buffer.
local function show()
  local buffer = assert(find(), "there is no buffer of " .. path)
  if vim.api.nvim_get_current_buf() ~= buffer then
    vim.cmd("buffer " .. buffer)
  end
  return buffer
end

local operations = {}

function operations.open()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.fn.fnamemodify(path, ":.")))
end

-- Returns whether the cursor can stand on the character that text is to come before.
function operations.goto_()
  local buffer = show()
  local line = vim.api.nvim_buf_get_lines(buffer, a - 1, a, true)[1]
  vim.api.nvim_win_set_cursor(0, { a, math.min(b - 1, math.max(#line - 1, 0)) })
  return b - 1 < #line
end

function operations.text()
  local buffer = find()
  if not buffer or not vim.api.nvim_buf_is_loaded(buffer) then
    return { open = false, dirty = false, text = "" }
  end
  local ends = ({ unix = "\n", dos = "\r\n", mac = "\r" })[option(buffer, "fileformat")]
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), ends)
  if option(buffer, "endofline") then
    text = text .. ends
  end
  return { open = true, dirty = option(buffer, "modified"), text = text }
end

function operations.undo()
  show()
  vim.cmd("silent undo")
end
function operations.redo()
  show()
  vim.cmd("silent redo")
end
function operations.save()
  show()
  vim.cmd("silent write")
end
function operations.reload()
  show()
  vim.cmd("silent edit!")
end

function operations.about()
  local v = vim.version()
  return {
    entered = vim.v.vim_did_enter == 1,
    pid = vim.fn.getpid(),
    version = ("%d.%d.%d"):format(v.major, v.minor, v.patch),
  }
end

return operations[operation]()
