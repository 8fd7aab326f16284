-- The observer of a soak in Neovim. It keeps a record of every change of the buffers that
-- it is given, and says of each who made it: "agent" if it happened while Neovim applied the
-- text edits of a server, else "user". What applies them is wrapped from outside, so that
-- nothing here stands on what the plugin or the server says.
local operation, argument = ...

local observer = _G.patchls_observer
if not observer then
  observer = { record = {}, docs = {}, calls = 0, call = nil }
  _G.patchls_observer = observer
end

local function note(event)
  local seconds, micros = vim.uv.gettimeofday()
  event.at = seconds * 1000000 + micros
  table.insert(observer.record, event)
end

-- A text is kept as its lines, the last of which is empty because Neovim ends a text
-- with a newline.
local function lines_of(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  table.insert(lines, "")
  return lines
end

local function part(lines, first, last)
  return vim.list_slice(lines, first, last)
end

-- Notes what differs between the buffer and what was seen of it last. That finds a change
-- also where Neovim tells of none, which is so during a preview ('inccommand').
local function look(buffer, who)
  local before, after = observer.docs[buffer].lines, lines_of(buffer)
  local head, tail = 0, 0
  while head < #before and head < #after and before[head + 1] == after[head + 1] do
    head = head + 1
  end
  while tail < #before - head and tail < #after - head and before[#before - tail] == after[#after - tail] do
    tail = tail + 1
  end
  if head == #before and head == #after then
    return
  end
  observer.docs[buffer].lines = after
  note({
    what = "change",
    doc = observer.docs[buffer].name,
    who = who,
    call = who == "agent" and observer.call or nil,
    first = head,
    old = part(before, head + 1, #before - tail),
    new = part(after, head + 1, #after - tail),
  })
end

local function look_at_all(who)
  for buffer in pairs(observer.docs) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      look(buffer, who)
    end
  end
end

-- Every edit of an agent's comes through here, of Neovim's own handler as of the plugin's. The
-- handler may wait before, and then it is the user who changes the text.
local function wrap()
  local inner = vim.lsp.util.apply_text_edits
  if inner == observer.wrapper then
    return
  end
  observer.wrapper = function(...)
    look_at_all("user") -- what was changed in silence before
    observer.calls = observer.calls + 1
    observer.call = observer.calls
    note({ what = "begin", call = observer.call })
    local answer = vim.F.pack_len(pcall(inner, ...))
    look_at_all("agent")
    note({ what = "end", call = observer.call })
    observer.call = nil
    if not answer[1] then
      error(answer[2], 0)
    end
    return unpack(answer, 2, answer.n)
  end
  vim.lsp.util.apply_text_edits = observer.wrapper
end

local operations = {}

-- Begins a new record, of the buffers of these paths.
function operations.observe()
  if not observer.keys then
    observer.keys = vim.on_key(function(_, typed)
      if typed and typed ~= "" then
        note({ what = "key", key = vim.fn.keytrans(typed) })
      end
    end)
  end
  wrap()
  observer.record, observer.docs = {}, {}
  local texts = {}
  for _, path in ipairs(argument) do
    local buffer = vim.fn.bufnr(path)
    observer.docs[buffer] = { name = vim.fs.basename(path), lines = lines_of(buffer) }
    texts[vim.fs.basename(path)] = table.concat(observer.docs[buffer].lines, "\n")
    vim.api.nvim_buf_attach(buffer, false, {
      on_lines = function()
        if not observer.docs[buffer] then
          return true
        end
        look(buffer, observer.call and "agent" or "user")
      end,
    })
  end
  return vim.json.encode({ texts = texts, events = {} })
end

-- Returns the record so far, and the buffers' texts.
function operations.record()
  look_at_all("user")
  local texts = {}
  for buffer, doc in pairs(observer.docs) do
    texts[doc.name] = table.concat(lines_of(buffer), "\n")
  end
  local events = observer.record
  observer.record = {}
  return vim.json.encode({ texts = texts, events = events })
end

-- Sets what the user has set: a command is shown as it is typed, and nothing waits for a
-- key that says it was read.
function operations.prepare()
  vim.o.inccommand = "nosplit"
  vim.o.more = false
  vim.o.messagesopt = "wait:0,history:500"
  vim.o.hidden = true
  vim.opt.shortmess:append("aoOtTWIc")
end

-- Leaves the buffers of these paths, which are not needed any more.
function operations.forget()
  for _, path in ipairs(argument) do
    local buffer = vim.fn.bufnr(path)
    if buffer > 0 then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
end

return operations[operation]()
