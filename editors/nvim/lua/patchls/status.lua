--- What agents can do here and do, for :Patchls, :checkhealth and statuslines.
local buffers = require("patchls.buffers")
local config = require("patchls.config")
local confirm = require("patchls.confirm")
local edits = require("patchls.edits")
local hunks = require("patchls.hunks")
local marks = require("patchls.marks")
local oneline = require("patchls.oneline")
local server = require("patchls.server")
local wire = require("patchls.wire")

local M = {}

-- Returns why agents cannot connect, nil if they can.
local function problem(client)
  if server.gave_up then
    return "the server crashed too often and is not started again"
  elseif not client then
    return "the server is not running"
  elseif not server.socket then
    return server.problem or "the server has not said why"
  end
end

--- Returns the status of the current buffer.
function M.of_buffer()
  local client, bufnr = server.client(), vim.api.nvim_get_current_buf()
  local status = { attached = false, hunks = 0 }
  status.problem = buffers.unwanted(bufnr)
  if status.problem then
    return status
  elseif not client or not wire.version(client, bufnr) then
    status.problem = "it is not attached"
    return status
  end
  status.attached, status.hunks = true, hunks.count(bufnr)
  if not vim.bo[bufnr].modifiable then
    status.problem = "'modifiable' is off"
  elseif vim.bo[bufnr].readonly then
    status.problem = "'readonly' is set"
  end
  return status
end

--- Returns the status. |patchls.status()|
function M.get()
  local client = server.client()
  local attached, marked = 0, 0
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if client and wire.version(client, bufnr) then
      attached = attached + 1
    end
    marked = marked + #marks.list(bufnr)
  end
  return {
    server = server.gave_up and "given up" or client and "running" or "stopped",
    paused = server.paused,
    problem = problem(client),
    socket = server.socket,
    agents = vim.tbl_map(oneline.name, server.agents),
    buffer = M.of_buffer(),
    attached = attached,
    marks = marked,
    edits = #edits.log,
    questions = confirm.questions(),
    faults = config.faults(),
  }
end

--- Returns a number of things in words, such as "2 edits".
function M.counted(number, what)
  return ("%d %s%s"):format(number, what, number == 1 and "" or "s")
end

--- Returns in lines whether agents can connect, and which are connected.
function M.agents(status)
  if status.problem then
    return { "agents cannot connect: " .. oneline.line(status.problem) }
  end
  local names = status.agents[1] and ": " .. table.concat(status.agents, ", ") or "; patchls setup claude sets one up"
  return { "agents can connect at " .. status.socket, M.counted(#status.agents, "agent") .. " connected" .. names }
end

local words_of_server = {
  ["given up"] = "given up after crashes; :Patchls restart tries again",
  stopped = "not running; it starts with the first file. :checkhealth patchls says more",
  running = "running",
}

local function words_of_buffer(buffer)
  if not buffer.attached then
    return "agents do not see it: " .. buffer.problem
  elseif buffer.problem then
    return "attached, and agents cannot edit it: " .. buffer.problem
  end
  return ("attached, %s to review"):format(M.counted(buffer.hunks, "hunk"))
end

--- Returns the status in lines for the user.
function M.lines()
  local status = M.get()
  local lines = { "server: " .. words_of_server[status.server] }
  vim.list_extend(lines, M.agents(status))
  if status.paused then
    table.insert(lines, "agents are paused; :Patchls resume lets them edit")
  end
  vim.list_extend(lines, {
    "this buffer: " .. words_of_buffer(status.buffer),
    ("%s attached, %s, %s of agents"):format(
      M.counted(status.attached, "buffer"),
      M.counted(status.marks, "mark"),
      M.counted(status.edits, "edit")
    ),
  })
  table.insert(lines, confirm.status())
  for _, fault in ipairs(status.faults) do
    table.insert(lines, "option: " .. fault)
  end
  return lines
end

--- Returns the status for a statusline. It asks neither the server nor the disk, since it is
--- drawn with each key. |patchls.statusline()|
function M.statusline()
  local parts = {}
  local function add(number, what)
    if number > 0 then
      table.insert(parts, M.counted(number, what))
    end
  end
  if server.gave_up then
    table.insert(parts, "given up")
  elseif server.problem then
    table.insert(parts, "closed")
  elseif server.paused then
    table.insert(parts, "paused")
  end
  add(#server.agents, "agent")
  add(hunks.count(vim.api.nvim_get_current_buf()), "hunk")
  add(confirm.count(), "question")
  return parts[1] and "patchls: " .. table.concat(parts, ", ") or ""
end

return M
