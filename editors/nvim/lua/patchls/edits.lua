--- What agents did in this session, as the server tells it.
local hunks = require("patchls.hunks")
local marks = require("patchls.marks")
local say = require("patchls.say")
local wire = require("patchls.wire")

local M = {}

--- The edits, the newest last: id, agent, command, time, undone, and places, each a path
--- and a line.
M.log = {}

--- Requests of the user's that edits come from. A server that dies answers none.
local own = {}

function M.is_own()
  return next(own) ~= nil
end

-- The buffer of a file, nil if there is none; vim.uri_to_bufnr() would make one.
local function find_buffer(file)
  local path = vim.uri_to_fname(file.uri)
  return vim.fn.bufexists(path) == 1 and vim.fn.bufadd(path) or nil
end

local function is_unnamed(mark)
  return not mark.of.edit_id
end

--- Gives the marks of an edit its name. Returns the line of the first, from 1.
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

-- Tells what else the user has of an edit, one event for each file.
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

-- With hunks, those alone are gone: which marks are theirs, and whether others are left,
-- the server tells.
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

--- Takes patchls/edited.
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
    if params.edit_id ~= "" then -- else one that failed halfway and was put back
      announce(params, there)
    end
  end)
end

--- Forgets all: a server that is started again counts its edits from the first.
function M.forget()
  M.log, own = {}, {}
  hunks.forget()
  for _, bufnr in ipairs(marks.buffers()) do
    marks.forget(bufnr)
  end
end

--- Has the server run a command of the user's, and says what came of it. The answer may
--- come while they type, so it is no more than a line.
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

--- Has the server take an edit back, the newest if id is nil.
function M.undo(client, id)
  M.execute(client, "patchls.undo", id and { edit_id = id } or vim.empty_dict())
end

return M
