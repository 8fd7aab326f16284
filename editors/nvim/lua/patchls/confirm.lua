--- Asks the user about agents' edits, which are made only if the user agrees. Nothing opens by
--- itself, and Neovim waits for no key: the user is notified, and answers when they like.
local diff = require("patchls.diff")
local notice = require("patchls.notice")
local oneline = require("patchls.oneline")
local say = require("patchls.say")

local M = {}

--- The questions that wait for an answer, the oldest first: client, params, resume (the
--- coroutine that waits), and view if the change was opened.
local queue = {}

--- How long to wait, in ms, until it is checked again whether the user can be notified.
local again = 200

function M.count()
  return #queue
end

--- Returns a question in the form that the user's own Lua code gets.
local function told(params)
  return {
    id = params.id,
    agent = params.agent,
    command = params.command,
    why = params.why,
    paths = vim.tbl_map(function(file)
      return vim.uri_to_fname(file.uri)
    end, params.files),
  }
end

--- Returns the questions that wait for an answer, the oldest first.
function M.questions()
  return vim.tbl_map(function(question)
    return told(question.params)
  end, queue)
end

-- Returns the names of a question's files in words, fit to be shown.
local function files(params)
  local names = vim.tbl_map(function(file)
    return oneline.name(file.path)
  end, params.files)
  return #names > 2 and ("%s and %d more"):format(names[1], #names - 1) or table.concat(names, " and ")
end

local function waiting()
  local how_many = #queue == 1 and "an edit waits" or #queue .. " edits wait"
  local params = queue[1].params
  return ("%s for :Patchls answer (%s: %s)"):format(how_many, oneline.name(params.agent), files(params))
end

-- Returns what the user is asked, and why if the agent did not ask for it.
local function wish(params)
  local what = ("%s wants: %s %s"):format(oneline.name(params.agent), params.command, files(params))
  return params.why and what .. "  " .. oneline.line(params.why) or what
end

-- Shows in the corner of the screen what waits, but not in a tab page that shows a question.
local function remind()
  local tab = vim.api.nvim_get_current_tabpage()
  local is_seen = vim.iter(queue):any(function(question)
    return question.view ~= nil and question.view.tab == tab
  end)
  notice.show(queue[1] and not is_seen and waiting() or nil)
  say.redraw()
end

-- Notifies the user once of all new questions: a second message before the screen is drawn would make
-- Neovim wait for a key. While the user is on the command line or at a prompt, the message is delayed.
local is_due = false
local function tell()
  if is_due then
    return
  end
  is_due = true
  vim.schedule(function()
    is_due = false
    if not queue[1] then
      return
    elseif vim.api.nvim_get_mode().mode:match("^[cr]") then
      vim.defer_fn(tell, again)
      return
    end
    vim.cmd("redraw")
    say.tell(waiting())
    remind()
  end)
end

local function find(id)
  for i, question in ipairs(queue) do
    if question.params.id == id then
      return i, question
    end
  end
end

-- Ends a question. answer is sent to the server; it is nil if the server has ended.
local function finish(question, answer)
  local i = find(question.params.id)
  if not i then
    return
  end
  table.remove(queue, i)
  if question.view then
    diff.close(question.view)
  end
  if answer ~= nil then
    vim.schedule(function()
      coroutine.resume(question.resume, answer)
    end)
  end
  remind()
  if queue[1] then
    tell()
  end
end

local function reject_with_a_word(question)
  vim.ui.input({ prompt = ("What shall %s know? "):format(oneline.name(question.params.agent)) }, function(text)
    if text then
      finish(question, { decision = "reject", text = text })
    end
  end)
end

local function look(question)
  if question.view and diff.go(question.view) then
    return
  end
  local params = question.params
  local what = wish(params)
  local how = "a apply  r reject  R and say why  q later"
  local uris, titles = { diff.document(params.id, "diff", params.id .. ".diff") }, { how .. "  " .. what }
  local only = #params.files == 1 and params.files[1]
  if only and only.change ~= "rename" then
    uris, titles = { only.before, only.after }, { what, how }
  end
  question.view = diff.open(uris, titles, {
    a = function()
      finish(question, { decision = "apply" })
    end,
    r = function()
      finish(question, { decision = "reject" })
    end,
    R = function()
      reject_with_a_word(question)
    end,
  })
  remind()
end

--- Handles patchls/confirm. It returns the user's answer, which is then sent. Until the user
--- has answered, only the coroutine of this request waits; everything else goes on.
function M.ask(client, params)
  table.insert(queue, { client = client, params = params, resume = coroutine.running() })
  tell()
  vim.schedule(function()
    local data = vim.tbl_extend("error", told(params), { waiting = #queue })
    vim.api.nvim_exec_autocmds("User", { pattern = "PatchlsQuestion", modeline = false, data = data })
  end)
  return coroutine.yield()
end

--- Handles patchls/withdraw.
function M.withdraw(params)
  local _, question = find(params.id)
  if question then
    finish(question, vim.NIL)
  end
end

--- Removes the questions of a server that has ended.
function M.forget(client_id)
  for _, question in ipairs(vim.list_slice(queue)) do
    if question.client.id == client_id then
      finish(question)
    end
  end
end

-- Lets the user choose an answer with vim.ui.select, without a window of our own.
local function choose(question)
  local choices = { "Apply", "Show the change", "Reject", "Reject, and say why" }
  vim.ui.select(choices, { prompt = wish(question.params), kind = "patchls" }, function(choice)
    if choice == "Apply" then
      finish(question, { decision = "apply" })
    elseif choice == "Show the change" then
      look(question)
    elseif choice == "Reject" then
      finish(question, { decision = "reject" })
    elseif choice then
      reject_with_a_word(question)
    end
  end)
end

--- :Patchls answer
function M.answer(decision, text, is_select)
  local question = queue[1]
  if not question then
    say.answer("no agent waits for an answer")
  elseif decision == "apply" or decision == "reject" then
    finish(question, { decision = decision, text = text ~= "" and text or nil })
  elseif decision then
    say.answer("an answer is apply or reject, and what you want to say", vim.log.levels.ERROR)
  elseif is_select then
    choose(question)
  else
    look(question)
  end
end

--- Returns what waits for an answer, in a sentence; nil if nothing does.
function M.status()
  return queue[1] and waiting()
end

function M.enable()
  notice.enable()
  vim.api.nvim_create_autocmd({ "TabEnter", "VimResized" }, {
    group = vim.api.nvim_create_augroup("patchls.confirm", {}),
    callback = function()
      if queue[1] then
        vim.schedule(remind)
      end
    end,
  })
end

return M
