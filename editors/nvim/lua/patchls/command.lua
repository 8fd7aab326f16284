--- :Patchls
local buffers = require("patchls.buffers")
local config = require("patchls.config")
local confirm = require("patchls.confirm")
local edits = require("patchls.edits")
local marks = require("patchls.marks")
local oneline = require("patchls.oneline")
local review = require("patchls.review")
local say = require("patchls.say")
local server = require("patchls.server")
local wire = require("patchls.wire")

local M = {}

local function client_or_say()
  local client = server.client()
  if not client then
    say.answer("the server is not running; :checkhealth patchls says why", vim.log.levels.ERROR)
  end
  return client
end

local function state(client)
  if server.gave_up then
    return "given up after crashes; :Patchls restart tries again"
  elseif not client then
    return "not running; it starts with the first file. :checkhealth patchls says more"
  elseif server.paused then
    return "running, and agents are paused; :Patchls resume lets them edit"
  end
  return "running"
end

-- What holds for the buffer in front of the user.
local function of_buffer(client)
  local bufnr = vim.api.nvim_get_current_buf()
  local why = buffers.unwanted(bufnr)
  if why then
    return "agents do not see it: " .. why
  elseif not client or not wire.version(client, bufnr) then
    return "not attached"
  elseif not vim.bo[bufnr].modifiable then
    return "attached, and agents cannot edit it: 'modifiable' is off"
  elseif vim.bo[bufnr].readonly then
    return "attached, and agents cannot edit it: 'readonly' is set"
  end
  return "attached"
end

local function counted(number, what)
  return ("%d %s%s"):format(number, what, number == 1 and "" or "s")
end

local commands = {}

function commands.status()
  local client = server.client()
  local attached, marked = 0, 0
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if client and wire.version(client, bufnr) then
      attached = attached + 1
    end
    marked = marked + #marks.list(bufnr)
  end
  local lines = {
    "server: " .. state(client),
    "agents connect at: " .. (server.socket or "nowhere"),
    "this buffer: " .. of_buffer(client),
    ("%s attached, %s, %s of agents"):format(
      counted(attached, "buffer"),
      counted(marked, "mark"),
      counted(#edits.log, "edit")
    ),
  }
  if confirm.status() then
    table.insert(lines, confirm.status())
  end
  for _, fault in ipairs(config.faults()) do
    table.insert(lines, "option: " .. fault)
  end
  vim.api.nvim_echo({ { table.concat(lines, "\n") } }, false, {})
end

function commands.undo(id)
  local client = client_or_say()
  if client then
    edits.undo(client, id)
  end
end

-- A command about the hunks of the buffer in front of the user.
local function of_hunks(run)
  return function(_, all)
    local client = client_or_say()
    if client and not wire.version(client, vim.api.nvim_get_current_buf()) then
      say.answer("this buffer is " .. of_buffer(client), vim.log.levels.WARN)
    elseif client then
      run(client, all)
    end
  end
end

commands.keep = of_hunks(function(client, all)
  review.command(client, "keep", all)
end)

commands.revert = of_hunks(function(client, all)
  review.command(client, "revert", all)
end)

commands.diff = of_hunks(review.diff)

commands.next = of_hunks(function(client)
  review.go(client, 1)
end)

commands.prev = of_hunks(function(client)
  review.go(client, -1)
end)

function commands.answer(decision, is_select, words)
  confirm.answer(decision, words, is_select)
end

function commands.log()
  local items = {}
  for _, entry in ipairs(edits.log) do
    local text = ("%s %s %s: %s"):format(os.date("%H:%M:%S", entry.time), entry.id, oneline.name(entry.agent), entry.command)
    for _, place in ipairs(entry.places) do
      table.insert(items, {
        filename = place.path,
        lnum = place.line,
        text = entry.undone and text .. " (undone)" or text,
      })
    end
  end
  vim.fn.setqflist({}, " ", { title = "Edits of agents", items = items })
  say.answer(counted(#edits.log, "edit") .. " of agents in the quickfix list (:copen)")
end

function commands.pause()
  server.paused = true
  say.answer("agents are paused until :Patchls resume")
end

function commands.resume()
  server.paused = false
  say.answer("agents may edit")
end

function commands.restart()
  server.restart()
end

function M.run(args)
  local name, given = unpack(args.fargs)
  local run = commands[name or "status"]
  if not run then
    local known = table.concat(vim.fn.sort(vim.tbl_keys(commands)), ", ")
    say.answer(("there is no :Patchls %s; there are %s"):format(name, known), vim.log.levels.ERROR)
    return
  end
  run(given, args.bang, table.concat(args.fargs, " ", 3))
end

function M.complete(lead, line)
  local words = vim.split(line:sub(1, #line - #lead), "%s+", { trimempty = true })
  local known = {}
  if #words == 1 then
    known = vim.fn.sort(vim.tbl_keys(commands))
  elseif words[2] == "answer" and #words == 2 then
    known = { "apply", "reject" }
  elseif words[2] == "undo" then
    for i = #edits.log, 1, -1 do
      if not edits.log[i].undone then
        table.insert(known, edits.log[i].id)
      end
    end
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, known)
end

return M
