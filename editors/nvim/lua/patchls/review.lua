--- Keeps and reverts what agents have changed, hunk by hunk. The server does it, so that
--- marks, lenses and the server's own list agree.
local diff = require("patchls.diff")
local edits = require("patchls.edits")
local hunks = require("patchls.hunks")
local marks = require("patchls.marks")
local oneline = require("patchls.oneline")
local say = require("patchls.say")
local server = require("patchls.server")
local status = require("patchls.status")

local M = {}

--- Returns the client. If there is none, it tells the user so and returns nil.
function M.client()
  local client = server.client()
  if not client then
    say.answer("the server is not running; :checkhealth patchls says why", vim.log.levels.ERROR)
  end
  return client
end

-- Returns the client if agents see the current buffer. Otherwise it tells the user why not and returns nil.
local function client_here()
  local client, buffer = M.client(), status.of_buffer()
  if client and not buffer.attached then
    say.answer("agents do not see this buffer: " .. buffer.problem, vim.log.levels.WARN)
    return nil
  end
  return client
end

--- Returns the hunk at the cursor, nil if there is none. If there are several on the line, it is
--- the one whose mark the cursor is on, else one that has text there.
local function here(client)
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

-- Removes the marks of a buffer that belong to none of its hunks.
local function forget(bufnr, there)
  marks.forget(bufnr, function(mark)
    local first, last = marks.rows(bufnr, mark)
    return mark.of.edit_id ~= nil
      and not vim.iter(there):any(function(hunk)
        return hunk.edit_id == mark.of.edit_id and hunks.is_on(hunk, first, last)
      end)
  end)
end

-- Compares marks and hunks. A buffer whose text changes before the answer is compared again a
-- moment later, in all at most tries times.
local function compare(client, bufnrs, tries, done)
  local loaded = vim.tbl_filter(vim.api.nvim_buf_is_loaded, bufnrs)
  hunks.ask(client, loaded, function(there, listing)
    local typed = {}
    for _, bufnr in ipairs(loaded) do
      if there[bufnr] then
        forget(bufnr, there[bufnr])
      else
        table.insert(typed, bufnr)
      end
    end
    if typed[1] and tries > 1 then
      vim.defer_fn(function()
        compare(client, typed, tries - 1)
      end, 200)
    end
    if done then
      done(there, listing)
    end
  end)
end

--- Removes all marks whose hunks are no longer to be reviewed. done, if given, is called with
--- the results of hunks.ask.
function M.compare(client, done)
  compare(client, marks.buffers(), 10, done)
end

--- Has the server keep or revert what review names: { edit_id, hunk } or { path }.
function M.run(client, command, review)
  edits.execute(client, "patchls." .. command, review, function()
    M.compare(client)
  end)
end

--- Keeps or reverts, for the user, the hunk at the cursor or all of the buffer. Returns whether
--- the server was asked; the user is told the result later.
function M.command(command, all)
  local client = client_here()
  if not client then
    return false
  elseif all then
    M.run(client, command, { path = vim.uri_from_bufnr(0) })
    return true
  end
  local hunk = here(client)
  if hunk then
    M.run(client, command, { edit_id = hunk.edit_id, hunk = hunk.hunk })
  else
    local elsewhere = "no agent's hunk is here; :Patchls next goes to one, :Patchls! %s is for all of the buffer"
    say.answer(elsewhere:format(command), vim.log.levels.WARN)
  end
  return hunk ~= nil
end

--- Shows a file before and after an edit. sides is the argument of the command of a lens.
function M.show(sides)
  local what = ("edit %s of %s"):format(sides.edit_id, oneline.name(sides.path))
  diff.open({ sides.before, sides.after }, { what .. ": before", "after   q closes" }, {})
end

--- Shows the file before and after the edit at the cursor.
function M.diff()
  local client = client_here()
  local hunk = client and here(client)
  if not client then
    return
  elseif not hunk then
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

--- Goes to the next hunk of the buffer, or with -1 to the one before. If 'wrapscan' is set, it goes
--- on at the other end of the buffer. Returns whether there was one.
function M.go(direction)
  local client = client_here()
  if not client then
    return false
  end
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
    return false
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { beyond + 1, 0 })
  vim.cmd("normal! ^zv")
  return true
end

return M
