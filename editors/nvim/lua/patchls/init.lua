--- Agents edit the text that is on screen. See |patchls|.
local M = {}

--- Sets options. It need not be called; vim.g.patchls does the same. |patchls-options|
---@param options? patchls.Options
function M.setup(options)
  require("patchls.config").set(options)
end

--- Attaches patchls to the buffers of this Neovim. The plugin does it at the start.
function M.enable()
  require("patchls.marks").enable()
  require("patchls.diff").enable()
  require("patchls.lenses").enable()
  require("patchls.hunks").enable()
  require("patchls.confirm").enable()
  require("patchls.buffers").enable()
end

--- Goes to the next hunk of an agent in the buffer. |patchls.next()|
---@return boolean moved
function M.next()
  return require("patchls.review").go(1)
end

--- Goes to the hunk before. |patchls.prev()|
---@return boolean moved
function M.prev()
  return require("patchls.review").go(-1)
end

---@class patchls.ReviewTarget
---@field all? boolean all hunks of the buffer, and not the one at the cursor

--- Keeps a hunk: it is then no longer to be reviewed. |patchls.keep()|
---@param target? patchls.ReviewTarget
---@return boolean asked whether there was something to keep; the user is told the result later
function M.keep(target)
  return require("patchls.review").command("keep", target and target.all)
end

--- Takes a hunk back. |patchls.revert()|
---@param target? patchls.ReviewTarget
---@return boolean asked whether there was something to take back; the user is told the result later
function M.revert(target)
  return require("patchls.review").command("revert", target and target.all)
end

---@class patchls.BufferStatus
---@field attached boolean whether agents see the buffer in front of the user
---@field problem? string why agents do not see it, or see it and cannot edit it
---@field hunks integer how many hunks of it are to be reviewed

---@class patchls.Question
---@field id string
---@field agent string
---@field command string
---@field paths string[]
---@field why? string why the user is asked, if the agent did not want it

---@class patchls.Status
---@field server "running"|"stopped"|"given up"
---@field problem? string why agents cannot connect; nil if they can
---@field socket? string where agents connect
---@field agents string[] the names of the connected agents
---@field paused boolean whether the edits of agents are refused
---@field buffer patchls.BufferStatus
---@field attached integer how many buffers agents see
---@field marks integer
---@field edits integer how many edits agents have made since the server was started
---@field questions patchls.Question[] the oldest first
---@field faults string[] what is wrong with the options

--- Returns what agents can do here and what they do. |patchls.status()|
---@return patchls.Status
function M.status()
  return require("patchls.status").get()
end

--- Returns the same for a statusline, "" if there is nothing to say. |patchls.statusline()|
---@return string
function M.statusline()
  return require("patchls.status").statusline()
end

return M
