--- Messages to the user.
local oneline = require("patchls.oneline")

local M = {}

local told = {}

--- The messages that did not fit on the line; :checkhealth patchls shows them.
M.cropped = {}

--- Answers what the user has just asked for.
function M.answer(message, level)
  vim.notify("patchls: " .. oneline.line(message), level or vim.log.levels.INFO)
end

--- Tells the user something that they did not ask for, on one line: after a longer message Neovim
--- waits for a key, and agents would wait with it. It would also wait if an earlier message, or a list
--- that the user has chosen from, is still on the screen; so the screen is redrawn first.
function M.tell(message, level)
  local line, more = "patchls: " .. oneline.line(message), "… :checkhealth patchls"
  local room = vim.v.echospace
  if vim.fn.strdisplaywidth(line) > room then
    table.insert(M.cropped, oneline.line(message))
    line = vim.fn.strcharpart(line, 0, math.max(0, room - vim.fn.strdisplaywidth(more))) .. more
  end
  vim.cmd.redraw()
  vim.notify(line, level)
end

--- Has statuslines redrawn with the next screen, because what they show about agents has changed.
--- `:redrawstatus` would draw the whole screen at once, in the middle of what Neovim is doing.
function M.redraw()
  vim.api.nvim__redraw({ statusline = true })
end

--- Tells the user a message, but only once in this Neovim.
function M.tell_once(message, level)
  if not told[message] then
    told[message] = true
    M.tell(message, level)
  end
end

return M
