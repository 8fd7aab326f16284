--- Words for the person.
local M = {}

local said = {}

function M.say(message, level)
  vim.notify("patchls: " .. message, level or vim.log.levels.INFO)
end

--- Says a message one time in this Neovim.
function M.once(message, level)
  if not said[message] then
    said[message] = true
    M.say(message, level)
  end
end

return M
