-- Records how Neovim tells a language server of one act of its user.
--
--   nvim --headless --clean -l record-acts.lua FOLDER NVIM [ARGS...]
--
-- NVIM is started once for each act, with a server of this script inside that takes
-- every didChange. Keys come by nvim_input, as from a keyboard. A change is made and
-- told before each act, so that the act's first change is not the document's first one.
-- "ms" is when a message was written after the first key, to the next 10.
local folder = arg[1]
local command = { unpack(arg, 2) }

local before = { 'alpha 1', 'beta two', '  gamma three', '', 'delta four', 'epsilon five', 'zeta six', 'eta 7' }

-- Each act: a name and its keys; the keys of an act are input at once.
local acts = {
  { 'join', '2GJ' }, { 'join-three', '1G3J' }, { 'join-blank', '3GJ' }, { 'join-all', ':%j<CR>' },
  { 'reflow', '1Ggqip' }, { 'reflow-long', '5Ggqip' },
  { 'move-down', ':2m5<CR>' }, { 'move-up', ':6m1<CR>' },
  { 'swap-down', '2Gddp' }, { 'swap-up', '2GddkP' },
  { 'copy', '2Gyyp' }, { 'copy-up', '2GyyP' },
  { 'indent', '2G>>' }, { 'outdent', '3G<lt><lt>' }, { 'indent-lines', '1GV2j>' }, { 'outdent-lines', '1GV2j<lt>' },
  { 'block-insert', '5G<C-v>2jIxy<Esc>' }, { 'block-append', '5G<C-v>2j$Axy<Esc>' }, { 'block-delete', '5G<C-v>2jld' },
  { 'open-below', '2Goxy<Esc>' }, { 'open-above', '2GOxy<Esc>' }, { 'enter', '3GA<CR>xy<Esc>' }, { 'split', '2G$i<CR><Esc>' },
  { 'delete-line', '2Gdd' }, { 'delete-last-line', 'Gdd' }, { 'delete-lines', '2G3dd' }, { 'cut-and-paste', '2Gdd5Gp' },
  { 'change-line', '2Gccxy<Esc>' }, { 'paste-over', '2Gyy5GVp' },
  { 'substitute', '2G:s/w/W/<CR>' }, { 'substitute-all', ':%s/e/E/g<CR>' }, { 'substitute-lines', [[:5,7s/ /\r/<CR>]] },
  { 'sort', ':5,8sort!<CR>' }, { 'reverse', ':g/^/m0<CR>' }, { 'global-delete', ':g/e/d<CR>' },
  { 'format', '1G=ap' }, { 'format-all', 'gg=G' }, { 'increment', '1G<C-a>' }, { 'upper-case', '5GgUip' },
  { 'filter', ':5,7!tac<CR>' },
}

local server = [[
  told, clock = {}, vim.loop.hrtime()
  local pending
  local function request(method, params, callback)
    if method == 'initialize' then
      vim.schedule(function()
        callback(nil, { capabilities = { textDocumentSync = { openClose = true, change = 2 } } })
      end)
    else
      vim.schedule(function() callback(nil, vim.NIL) end)
    end
    return true, 1
  end
  local function notify(method, params)
    if method == 'textDocument/didChange' then
      local ms = math.floor((vim.loop.hrtime() - clock) / 1e7 + 0.5) * 10
      table.insert(told, { ms = ms, version = params.textDocument.version, changes = params.contentChanges })
    end
    return true
  end
  local function start()
    return { request = request, notify = notify, is_closing = function() return false end, terminate = function() end,
      pid = 0, handle = { is_closing = function() return false end, kill = function() end } }
  end
  vim.o.autoindent, vim.o.shiftwidth, vim.o.expandtab, vim.o.textwidth, vim.o.swapfile = true, 2, true, 16, false
  vim.o.fixendofline = true
  vim.cmd('edit ' .. vim.fn.fnameescape(...))
  if vim.fn.has('nvim-0.8') == 1 then
    vim.lsp.start({ name = 'recorder', cmd = function() return start() end, root_dir = '/' })
  else
    vim.lsp.rpc.start = function() return start() end
    local id = vim.lsp.start_client({ name = 'recorder', cmd = { 'nvim' }, root_dir = '/' })
    vim.wait(200, function() return false end)
    vim.lsp.buf_attach_client(0, id)
  end
]]

local function ask(channel, code, ...) return vim.rpcrequest(channel, 'nvim_exec_lua', code, { ... }) end
local function wait(ms) vim.wait(ms, function() return false end) end

local function ordered(changes)
  local list = {}
  for _, c in ipairs(changes) do
    local r = c.range
    list[#list + 1] = ('{"range":"%d:%d-%d:%d","text":%s}'):format(
      r.start.line, r.start.character, r['end'].line, r['end'].character, vim.fn.json_encode(c.text))
  end
  return '[' .. table.concat(list, ',') .. ']'
end

local function perform(channel, keys)
  ask(channel, 'told, clock = {}, vim.loop.hrtime()')
  vim.rpcrequest(channel, 'nvim_input', keys)
  wait(400)
  local lines = {}
  for _, m in ipairs(ask(channel, 'return told')) do
    lines[#lines + 1] = ('{"ms":%d,"version":%d,"changes":%s}\n'):format(m.ms, m.version, ordered(m.changes))
  end
  local now = ask(channel, 'return vim.api.nvim_buf_get_lines(0, 0, -1, true)')
  return table.concat(lines), table.concat(now, '\n') .. '\n'
end

for _, act in ipairs(acts) do
  local name, keys = unpack(act)
  local file = vim.fn.tempname() .. '.txt'
  vim.fn.writefile(before, file)
  local argv = vim.list_extend(vim.list_slice(command, 1), { '--embed', '--headless', '--clean', '-n' })
  local channel = vim.fn.jobstart(argv, { rpc = true })
  ask(channel, server, file)
  wait(300)
  vim.rpcrequest(channel, 'nvim_input', 'Gox<Esc>u')
  wait(500)
  local version = vim.fn.matchstr(ask(channel, [[return vim.fn.execute('version')]]), [[NVIM v\zs[0-9.]*]])
  local out = { ('Neovim %s, recorded with record-acts.lua\n'):format(version), '-- before --\n', table.concat(before, '\n') .. '\n',
    '-- keys --\n', keys .. '\n' }
  for _, part in ipairs({ { 'act', keys }, { 'undo', 'u' }, { 'redo', '<C-r>' } }) do
    local messages, text = perform(channel, part[2])
    vim.list_extend(out, { ('-- %s --\n'):format(part[1]), messages, ('-- after %s --\n'):format(part[1]), text })
  end
  vim.fn.jobstop(channel)
  local f = assert(io.open(folder .. '/' .. name .. '.txtar', 'w'))
  f:write(table.concat(out))
  f:close()
end
vim.cmd('qall!')
