--- Decides which buffers are attached to the server, and which workspace folder each belongs to.
local config = require("patchls.config")
local say = require("patchls.say")

local M = {}

--- The server's own default of max_document_bytes.
local max_bytes = 64 * 1024 * 1024

--- The time and the size of each buffer's file when Neovim last read or wrote it.
local stamps = {}

--- The buffers that had their file's text then: not one that was recovered, or whose name was changed.
local clean = {}

local function stamp(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ("%d.%d %d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or "none"
end

--- Whether another program has written the file of a buffer since Neovim read or wrote it.
function M.is_changed_on_disk(bufnr)
  return stamps[bufnr] ~= nil and stamps[bufnr] ~= stamp(vim.api.nvim_buf_get_name(bufnr))
end

--- What the file of a buffer held when Neovim last read or wrote it, if that is known: if it still does.
function M.in_common(bufnr)
  local path, encoding = vim.api.nvim_buf_get_name(bufnr), vim.bo[bufnr].fileencoding
  if not clean[bufnr] or stamps[bufnr] ~= stamp(path) or (encoding ~= "" and encoding ~= "utf-8") then
    return
  end
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  return stamps[bufnr] == stamp(path) and text or nil
end

--- The bytes of a buffer if they are more than the server takes, else nil.
function M.excess(bufnr)
  local size = vim.api.nvim_buf_get_offset(bufnr, vim.api.nvim_buf_line_count(bufnr))
  local limit = config.get().settings.max_document_bytes
  limit = type(limit) == "number" and limit or max_bytes -- as for the server
  return size > limit and size or nil
end

--- Returns why a buffer is not attached for agents; nil if it is to be attached.
function M.unwanted(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return "it is not loaded"
  end
  local name, attach = vim.api.nvim_buf_get_name(bufnr), config.get().attach
  if vim.bo[bufnr].buftype ~= "" or name == "" or name:match("^%a[%w+.-]+://") then
    return "it is no buffer of a file"
  elseif vim.fn.isdirectory(name) == 1 then
    return "it is a directory"
  elseif M.excess(bufnr) then
    return ("it has %d bytes, more than max_document_bytes"):format(M.excess(bufnr))
  elseif attach and attach(bufnr) == false then
    return "the option attach leaves it out"
  end
end

--- The workspace folder of a buffer, nil if it has none: the folder that holds .git, else the
--- working directory if the file is below it; never the home folder.
function M.root(bufnr)
  local root = config.get().root
  if root then
    return root(bufnr)
  end
  local git, home = vim.fs.root(bufnr, ".git"), vim.fs.normalize("~")
  -- A user who starts Neovim in the home folder, or keeps its files in a repository, does not
  -- mean to hand all of it to agents.
  if git and vim.fs.normalize(git) ~= home then
    return git
  end
  local cwd = vim.fs.normalize(vim.fn.getcwd())
  local path = vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
  if cwd ~= home and vim.startswith(path, cwd .. "/") then
    return cwd
  end
end

function M.attach(bufnr)
  local why = M.unwanted(bufnr)
  if not why then
    require("patchls.server").attach(bufnr)
  elseif vim.api.nvim_buf_is_loaded(bufnr) and M.excess(bufnr) then
    say.tell_once(("agents cannot edit %s: %s"):format(vim.fs.basename(vim.api.nvim_buf_get_name(bufnr)), why))
  end
end

function M.attach_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(bufnr)
  end
end

function M.enable()
  local group = vim.api.nvim_create_augroup("patchls.buffers", {})
  local on = function(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  local note = function(bufnr)
    clean[bufnr] = not vim.bo[bufnr].modified
    stamps[bufnr] = vim.api.nvim_buf_is_loaded(bufnr) and stamp(vim.api.nvim_buf_get_name(bufnr)) or nil
  end
  vim.tbl_map(note, vim.api.nvim_list_bufs())
  on({ "BufReadPost", "BufNewFile", "BufFilePost" }, function(args)
    note(args.buf)
    clean[args.buf] = clean[args.buf] and args.event == "BufReadPost"
  end)
  -- Formatters write the file again after this event, without autocommands.
  on("BufWritePost", function(args)
    if vim.bo[args.buf].modified then
      return -- nothing was written: the user chose not to overwrite the file
    end
    vim.schedule(function()
      if args.match == vim.api.nvim_buf_get_name(args.buf) then -- otherwise another file was written
        note(args.buf)
      end
    end)
  end)
  on("BufUnload", function(args)
    stamps[args.buf], clean[args.buf] = nil, nil
  end)
  -- Not on FileType: agents also edit files that have no file type.
  on({ "BufReadPost", "BufNewFile", "BufFilePost" }, function(args)
    M.attach(args.buf)
  end)
  vim.api.nvim_create_autocmd("OptionSet", {
    group = group,
    pattern = { "endofline", "fileformat" },
    callback = function()
      require("patchls.server").agree(vim.api.nvim_get_current_buf())
    end,
  })
  require("patchls.disk").enable()
  require("patchls.server").enable()
  M.attach_all()
end

return M
