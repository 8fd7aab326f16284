--- :Patchls
local confirm = require("patchls.confirm")
local edits = require("patchls.edits")
local oneline = require("patchls.oneline")
local patchls = require("patchls")
local review = require("patchls.review")
local say = require("patchls.say")
local server = require("patchls.server")
local status = require("patchls.status")

local M = {}

local commands = {}

function commands.status()
  vim.api.nvim_echo({ { table.concat(status.lines(), "\n") } }, false, {})
end

function commands.undo(id)
  local client = review.client()
  if client then
    edits.undo(client, id)
  end
end

function commands.next()
  patchls.next()
end

function commands.prev()
  patchls.prev()
end

function commands.keep(_, all)
  patchls.keep({ all = all })
end

function commands.revert(_, all)
  patchls.revert({ all = all })
end

function commands.diff()
  review.diff()
end

function commands.answer(decision, is_select, words)
  confirm.answer(decision, words, is_select)
end

function commands.log()
  local items = {}
  for _, entry in ipairs(edits.log) do
    local text = ("%s %s %s: %s"):format(
      os.date("%H:%M:%S", entry.time),
      entry.id,
      oneline.name(entry.agent),
      entry.command
    )
    for _, place in ipairs(entry.places) do
      table.insert(items, {
        filename = place.path,
        lnum = place.line,
        text = entry.undone and text .. " (undone)" or text,
      })
    end
  end
  vim.fn.setqflist({}, " ", { title = "Edits of agents", items = items })
  say.answer(status.counted(#edits.log, "edit") .. " of agents in the quickfix list (:copen)")
end

function commands.pause()
  server.pause(true)
  say.answer("agents are paused until :Patchls resume")
end

function commands.resume()
  server.pause(false)
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
