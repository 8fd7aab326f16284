--- The edits of agents in this session, as the server reports them.
local hunks = require("patchls.hunks")
local marks = require("patchls.marks")
local say = require("patchls.say")
local wire = require("patchls.wire")

local M = {}

--- The edits, the newest last: id, agent, command, time, undone, and places, each a path
--- and a line.
M.log = {}

--- The user's own requests that lead to edits, until they are answered. A server that crashes answers none.
local own = {}

function M.is_own()
  return next(own) ~= nil
end

-- Returns the buffer of a file, nil if there is none; vim.uri_to_bufnr() would create one.
local function find_buffer(file)
  local path = vim.uri_to_fname(file.uri)
  return vim.fn.bufexists(path) == 1 and vim.fn.bufadd(path) or nil
end

local function is_unnamed(mark)
  return not mark.of.edit_id
end

--- Records which edit the new marks of a buffer belong to. Returns the line of the first mark, counted from 1.
local function name(bufnr, params)
  local unnamed = marks.list(bufnr, is_unnamed)
  for _, mark in ipairs(unnamed) do
    mark.of.edit_id, mark.of.agent, mark.of.command = params.edit_id, params.agent, params.command
  end
  return unnamed[1] and unnamed[1].row + 1 or 1
end

local function find(id)
  for _, entry in ipairs(M.log) do
    if entry.id == id then
      return entry
    end
  end
end

-- Triggers the user's PatchlsEdit autocommands, once for each file of an edit.
local function announce(params, there)
  for _, file in ipairs(params.files) do
    local bufnr = find_buffer(file)
    local of_buffer = bufnr and there[bufnr] or {}
    local of_edit = vim.tbl_filter(function(hunk)
      return hunk.edit_id == params.edit_id
    end, of_buffer)
    vim.api.nvim_exec_autocmds("User", {
      pattern = "PatchlsEdit",
      modeline = false,
      data = {
        edit_id = params.edit_id,
        agent = params.agent,
        command = params.command,
        undone = params.undone == true,
        path = vim.uri_to_fname(file.uri),
        buffer = bufnr,
        hunks = #of_edit,
        to_review = #of_buffer,
      },
    })
  end
end

-- Records that an edit, or some of its hunks, was undone. In the latter case the server says which
-- marks belong to those hunks, and whether other hunks are left; M.edited asks it.
local function undone(params)
  local entry = find(params.edit_id)
  if entry and not params.hunks then
    entry.undone = true
  end
  for _, file in ipairs(params.files) do
    local bufnr = find_buffer(file)
    if bufnr then
      marks.forget(bufnr, function(mark)
        local is_gone = not params.hunks or marks.is_hollow(mark)
        return is_unnamed(mark) or is_gone and mark.of.edit_id == params.edit_id
      end)
    end
  end
end

local function record(params)
  local places = {}
  for _, file in ipairs(params.files) do
    local bufnr = find_buffer(file)
    table.insert(places, { path = vim.uri_to_fname(file.uri), line = bufnr and name(bufnr, params) or 1 })
  end
  table.insert(M.log, {
    id = params.edit_id,
    agent = params.agent,
    command = params.command,
    time = os.time(),
    places = places,
  })
end

--- Handles patchls/edited.
function M.edited(client, params)
  if params.undone then
    undone(params)
  else
    record(params)
    require("patchls.disk").look(params)
  end
  require("patchls.review").compare(client, function(there, listing)
    local entry = params.hunks and find(params.edit_id)
    if entry then
      entry.undone = not vim.iter(listing.edits):any(function(edit)
        return edit.edit_id == params.edit_id
      end)
    end
    if params.edit_id ~= "" then -- otherwise the edit failed halfway and was put back
      announce(params, there)
    end
  end)
end

--- Forgets everything: a restarted server numbers its edits from the first again.
function M.forget()
  M.log, own = {}, {}
  hunks.forget()
  for _, bufnr in ipairs(marks.buffers()) do
    marks.forget(bufnr)
  end
end

--- Has the server run a command of the user's, and shows the result. The answer may come
--- while the user types, so only one line of it is shown.
function M.execute(client, command, argument, done)
  local asked = {}
  own[asked] = true
  local params = { command = command, arguments = { argument } }
  local ok = wire.request(client, "patchls/execute", params, function(err, result)
    own[asked] = nil
    if err then
      say.tell(err.message, vim.log.levels.ERROR)
    else
      say.tell(result.message, vim.log.levels.INFO)
    end
    if done then
      done()
    end
  end, vim.api.nvim_get_current_buf())
  if not ok then
    own[asked] = nil
  end
end

--- Has the server undo an edit or a turn, the newest edit if id is nil. The ids of turns begin with
--- a t; "last" is the newest one.
function M.undo(client, id)
  local kind = id and (id:find("^t") or id == "last") and "turn" or "edit_id"
  M.execute(client, "patchls.undo", id and { [kind] = id } or vim.empty_dict())
end

return M
