--- Keeping and reverting what agents have changed, hunk by hunk. The server does it, so
--- that marks, lenses and its own list say the same.
local diff = require("patchls.diff")
local edits = require("patchls.edits")
local hunks = require("patchls.hunks")
local marks = require("patchls.marks")
local oneline = require("patchls.oneline")
local say = require("patchls.say")
local server = require("patchls.server")

local M = {}

--- The hunk at the cursor, nil if there is none. Of several on the line it is the one
--- whose mark the cursor is on, else the one that has text there.
function M.here(client)
  local bufnr, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  local mark = marks.at_cursor()[1]
  local best, most = nil, 0
  for _, hunk in ipairs(hunks.now(client, bufnr)) do
    local worth = 0
    if hunks.is_on(hunk, row, row) then
      worth = 1 + (hunks.row(hunk) == row and 1 or 0) + (hunk.last >= hunk.first and 2 or 0)
      worth = worth + (mark and mark.of.edit_id == hunk.edit_id and 4 or 0)
    end
    if worth > most then
      best, most = hunk, worth
    end
  end
  return best
end

-- Forgets the marks of a buffer that are of no hunk any more. Where the user types on,
-- they are compared when the text has come to rest.
local function compare(client, bufnr, tries)
  if not vim.api.nvim_buf_is_loaded(bufnr) or server.client() ~= client then
    return
  end
  hunks.ask(client, bufnr, function(there)
    if not there then
      if tries > 1 then
        vim.defer_fn(function()
          compare(client, bufnr, tries - 1)
        end, 200)
      end
      return
    end
    marks.forget(bufnr, function(mark)
      local first, last = marks.rows(bufnr, mark)
      return mark.of.edit_id ~= nil
        and not vim.iter(there):any(function(hunk)
          return hunk.edit_id == mark.of.edit_id and hunks.is_on(hunk, first, last)
        end)
    end)
  end)
end

--- Has the marks of all buffers, or of that one, be of hunks alone that are to be reviewed.
function M.compare(client, bufnr)
  for _, marked in ipairs(bufnr and { bufnr } or marks.buffers()) do
    compare(client, marked, 10)
  end
end

--- Has the server keep or revert what review says: { edit_id, hunk } or { path }.
function M.run(client, command, review)
  edits.execute(client, "patchls." .. command, review, function()
    M.compare(client)
  end)
end

--- keep and revert as the user's commands: the hunk at the cursor, or all of the buffer.
function M.command(client, command, all)
  if all then
    M.run(client, command, { path = vim.uri_from_bufnr(0) })
    return
  end
  local hunk = M.here(client)
  if hunk then
    M.run(client, command, { edit_id = hunk.edit_id, hunk = hunk.hunk })
  else
    local elsewhere = "no agent's hunk is here; :Patchls next goes to one, :Patchls! %s is for all of the buffer"
    say.answer(elsewhere:format(command), vim.log.levels.WARN)
  end
end

--- Opens an edit before and after. sides is what the server says with a lens.
function M.show(sides)
  local what = ("edit %s of %s"):format(sides.edit_id, oneline.name(sides.path))
  diff.open({ sides.before, sides.after }, { what .. ": before", "after   q closes" }, {})
end

--- The same for the edit at the cursor.
function M.diff(client)
  local hunk = M.here(client)
  if not hunk then
    say.answer("no agent's hunk is here; :Patchls next goes to one", vim.log.levels.WARN)
    return
  end
  M.show({
    edit_id = hunk.edit_id,
    path = hunk.path,
    before = diff.document(hunk.edit_id, "before", hunk.path),
    after = diff.document(hunk.edit_id, "after", hunk.path),
  })
end

--- Goes to the next hunk of the buffer, or with -1 to the one before; from the last to the
--- first if 'wrapscan' is set.
function M.go(client, direction)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local rows = vim.tbl_map(hunks.row, hunks.now(client, vim.api.nvim_get_current_buf()))
  if direction < 0 then
    rows = vim.iter(rows):rev():totable()
  end
  local beyond = vim.iter(rows):find(function(at)
    return (at - row) * direction > 0
  end) or vim.o.wrapscan and rows[1]
  if not beyond then
    local why = rows[1] and "there is no other hunk that way" or "no agent's hunk is to be reviewed in this buffer"
    say.answer(why, vim.log.levels.WARN)
    return
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { beyond + 1, 0 })
  vim.cmd("normal! ^zv")
end

return M
