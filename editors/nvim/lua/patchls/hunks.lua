--- The hunks that agents have changed and the user has not reviewed, as the server lists them.
local say = require("patchls.say")
local server = require("patchls.server")
local wire = require("patchls.wire")

local M = {}

--- How long the user has to wait for an answer at most, in ms.
local patience = 2000

--- How long, in ms, no text must have changed before the hunks are counted again.
local rest = 300

--- How many hunks each buffer has, by the server's last answer.
local counts = {}

local request = { command = "patchls.list", arguments = { vim.empty_dict() } }

-- Returns the hunks in a listing by buffer of the client, those of each from the top: { edit_id, hunk,
-- path, first, last }, with rows counted from 0. last is before first if lines were only removed.
local function by_buffer(client, listing)
  local of_uri, of_path, hunks = {}, {}, {}
  for bufnr in pairs(client.attached_buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      local uri = vim.uri_from_bufnr(bufnr)
      of_uri[uri], of_path[vim.uri_to_fname(uri)], hunks[bufnr] = bufnr, bufnr, {}
    end
  end
  for _, document in ipairs(listing.documents) do
    of_path[document.path] = of_uri[document.uri] or of_path[document.path]
  end
  for _, edit in ipairs(listing.edits) do
    for _, mark in ipairs(edit.marked) do
      local bufnr = of_path[mark.path]
      if bufnr then
        table.insert(hunks[bufnr], {
          edit_id = edit.edit_id,
          hunk = mark.hunk,
          path = mark.path,
          first = mark.start_line - 1,
          last = mark.end_line - 1,
        })
      end
    end
  end
  for _, of_buffer in pairs(hunks) do
    table.sort(of_buffer, function(a, b)
      return a.first < b.first or a.first == b.first and a.last < b.last
    end)
  end
  return hunks
end

--- Calls callback with the hunks of all buffers, by buffer, and the server's listing that they
--- are from. A buffer of bufnrs is left out if its text has changed meanwhile, because the rows
--- are no longer right.
function M.ask(client, bufnrs, callback)
  local ticks = {}
  for _, bufnr in ipairs(bufnrs) do
    wire.flush(client, bufnr)
    ticks[bufnr] = vim.api.nvim_buf_get_changedtick(bufnr)
  end
  wire.request(client, "patchls/execute", request, function(_, listing)
    if not listing or server.client() ~= client then
      return
    end
    local hunks = by_buffer(client, listing)
    counts = vim.tbl_map(vim.tbl_count, hunks)
    say.redraw()
    for bufnr, tick in pairs(ticks) do
      if hunks[bufnr] and vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then
        hunks[bufnr] = nil
      end
    end
    callback(hunks, listing)
  end, vim.api.nvim_get_current_buf())
end

--- Returns how many hunks of a buffer are to be reviewed, by the server's last answer.
function M.count(bufnr)
  return counts[bufnr] or 0
end

--- Forgets the counts from a server that has ended.
function M.forget()
  counts = {}
end

--- Asks the server for the hunks of a buffer and waits for the answer, for a command that the user has just given.
function M.now(client, bufnr)
  local answer = wire.request_sync(client, "patchls/execute", request, patience, bufnr)
  return answer and answer.result and by_buffer(client, answer.result)[bufnr] or {}
end

--- Returns the first and the last row of a hunk. Lines that were only removed were between two rows.
local function rows(hunk)
  if hunk.last < hunk.first then
    return hunk.first - 1, hunk.first
  end
  return hunk.first, hunk.last
end

--- Returns whether a hunk is on one of the rows from first to last.
function M.is_on(hunk, first, last)
  local from, to = rows(hunk)
  return from <= last and first <= to
end

--- Returns the row that the cursor goes to for a hunk of the current buffer.
function M.row(hunk)
  return math.min(hunk.first, vim.api.nvim_buf_line_count(0) - 1)
end

-- Counts the hunks again when the user has stopped typing: a change that they have undone
-- themselves is no longer a hunk.
local changes = 0
local function count_soon()
  changes = changes + 1
  local mine = changes
  vim.defer_fn(function()
    local client = server.client()
    if client and changes == mine then
      M.ask(client, {}, function() end)
    end
  end, rest)
end

function M.enable()
  vim.api.nvim_create_autocmd({ "TextChanged", "InsertLeave" }, {
    group = vim.api.nvim_create_augroup("patchls.hunks", {}),
    callback = function(args)
      if M.count(args.buf) > 0 then
        count_soon()
      end
    end,
  })
end

return M
