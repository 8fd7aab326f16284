--- Where the hunks are that agents have changed and nobody has reviewed: the server knows.
local wire = require("patchls.wire")

local M = {}

--- How long the user waits for an answer at most, in ms.
local patience = 2000

local request = { command = "patchls.list", arguments = { vim.empty_dict() } }

-- The hunks in a listing that are of a buffer, from the top: { edit_id, hunk, path, first,
-- last }, rows from 0. last is before first where lines were only removed.
local function of_buffer(listing, bufnr)
  local uri, names = vim.uri_from_bufnr(bufnr), {}
  for _, document in ipairs(listing.documents) do
    if document.uri == uri then
      names[document.path] = true
    end
  end
  names[vim.uri_to_fname(uri)] = true
  local hunks = {}
  for _, edit in ipairs(listing.edits) do
    for _, mark in ipairs(edit.marked) do
      if names[mark.path] then
        table.insert(hunks, {
          edit_id = edit.edit_id,
          hunk = mark.hunk,
          path = mark.path,
          first = mark.start_line - 1,
          last = mark.end_line - 1,
        })
      end
    end
  end
  table.sort(hunks, function(a, b)
    return a.first < b.first or a.first == b.first and a.last < b.last
  end)
  return hunks
end

--- Has callback called with the hunks of a buffer, or with nil if the text has changed
--- since they were asked for.
function M.ask(client, bufnr, callback)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  wire.request(client, "patchls/execute", request, function(_, listing)
    if listing and vim.api.nvim_buf_is_loaded(bufnr) then
      local is_same = vim.api.nvim_buf_get_changedtick(bufnr) == tick
      callback(is_same and of_buffer(listing, bufnr) or nil)
    end
  end, bufnr)
end

--- Has callback called with whether an edit can still be taken back, all of it or a part.
function M.ask_left(client, edit_id, callback)
  wire.request(client, "patchls/execute", request, function(_, listing)
    if listing then
      callback(vim.iter(listing.edits):any(function(edit)
        return edit.edit_id == edit_id
      end))
    end
  end, vim.api.nvim_get_current_buf())
end

--- Returns the hunks of a buffer, for what the user has asked for just now.
function M.now(client, bufnr)
  local answer = wire.request_sync(client, "patchls/execute", request, patience, bufnr)
  return answer and answer.result and of_buffer(answer.result, bufnr) or {}
end

--- The rows from where to where a hunk is seen: what was only removed is between two.
local function rows(hunk)
  if hunk.last < hunk.first then
    return hunk.first - 1, hunk.first
  end
  return hunk.first, hunk.last
end

--- Whether a hunk is on one of the rows.
function M.is_on(hunk, first, last)
  local from, to = rows(hunk)
  return from <= last and first <= to
end

--- The row that the cursor goes to for a hunk of the current buffer.
function M.row(hunk)
  return math.min(hunk.first, vim.api.nvim_buf_line_count(0) - 1)
end

return M
