--- The server: how it is started, attached, and started again.
local config = require("patchls.config")
local say = require("patchls.say")
local wire = require("patchls.wire")

local M = { name = "patchls" }

--- Whether agents are kept from editing.
M.paused = false
--- The socket where agents connect, nil while there is none.
M.socket = nil
--- Why agents cannot connect, if the server gives a reason.
M.problem = nil
--- The names of the agents that are connected.
M.agents = {}
--- The name of this Neovim for each server that it starts, so that agents in its terminals
--- find the next server as well.
M.window = ("nvim-%d-%x"):format(vim.fn.getpid(), vim.uv.hrtime())
--- Crashes since the server last ran well.
M.crashes = 0
--- Whether the server has crashed too often, and is not started again.
M.gave_up = false

local is_leaving, is_waiting = false, false
local started
--- The client that was initialized last, by id.
local newest

--- How long a server must run, in ms, for its next crash to count as the first one.
local well = 60 * 1000

--- The running client, nil if there is none.
function M.client()
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
    if not wire.is_stopped(client) then
      return client
    end
  end
end

--- Sends the text of a buffer if the server has another one.
function M.agree(bufnr)
  local client = M.client()
  if client then
    wire.agree(client, vim.uri_from_bufnr(bufnr))
  end
end

--- Returns the other clients that run a patchls for a buffer, or for any buffer if bufnr is nil.
function M.others(bufnr)
  return vim.tbl_filter(function(client)
    local commands = vim.tbl_get(client.server_capabilities or {}, "executeCommandProvider", "commands")
    return client.name ~= M.name and vim.list_contains(commands or {}, "patchls.str_replace")
  end, vim.lsp.get_clients({ bufnr = bufnr }))
end

--- Returns whether the server supports all that the plugin needs.
function M.is_new_enough(client)
  local can = vim.tbl_get(client.server_capabilities, "experimental", "patchls")
  return type(can) == "table" and can.listening == true and can.edited == true and can.confirm == true
end

-- Records the state of the agents' socket. params is nil if no server runs.
local function listening(params)
  local function given(name)
    return params and params[name] ~= vim.NIL and params[name] or nil
  end
  M.socket = given("socket")
  M.problem = given("problem")
  M.agents = given("agents") or {}
  if config.get().terminal then
    vim.env.PATCHLS_SOCKET = M.socket and (given("window") or M.socket)
  end
  say.redraw()
end

-- The handlers of the server's requests and notifications. Only this client uses them; other
-- clients keep Neovim's.
local handlers = {
  ["workspace/applyEdit"] = function(_, params, context)
    return require("patchls.apply").apply(vim.lsp.get_client_by_id(context.client_id), params)
  end,
  ["patchls/save"] = function(_, params, context)
    return require("patchls.save").save(vim.lsp.get_client_by_id(context.client_id), params)
  end,
  ["patchls/edited"] = function(_, params, context)
    require("patchls.edits").edited(vim.lsp.get_client_by_id(context.client_id), params)
  end,
  ["patchls/written"] = function(_, params)
    require("patchls.disk").written(params.uri)
  end,
  ["patchls/confirm"] = function(_, params, context)
    return require("patchls.confirm").ask(vim.lsp.get_client_by_id(context.client_id), params)
  end,
  ["patchls/withdraw"] = function(_, params)
    require("patchls.confirm").withdraw(params)
  end,
  ["workspace/codeLens/refresh"] = function(err, params, context)
    require("patchls.review").compare(vim.lsp.get_client_by_id(context.client_id))
    return require("patchls.lenses").refresh(err, params, context)
  end,
  ["patchls/listening"] = function(_, params)
    listening(params)
  end,
}

-- The commands of lenses and code actions. The user runs them, so they work as :Patchls does,
-- even while agents are paused.
local function review(command)
  return function(chosen, context)
    local client = vim.lsp.get_client_by_id(context.client_id)
    require("patchls.review").run(client, command, chosen.arguments[1])
  end
end

local commands = {
  ["patchls.keep"] = review("keep"),
  ["patchls.revert"] = review("revert"),
  ["patchls.undo"] = review("undo"),
  ["patchls.showDiff"] = function(chosen)
    require("patchls.review").show(chosen.arguments[1])
  end,
}

local function capabilities()
  return vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), {
    workspace = {
      workspaceEdit = { documentChanges = true, failureHandling = "abort", normalizesLineEndings = true },
      codeLens = { refreshSupport = true },
      textDocumentContent = vim.empty_dict(),
    },
    experimental = {
      patchls = {
        save = true,
        listening = true,
        edited = true,
        written = true,
        confirm = true,
        diff = true,
        versions = true,
        window = M.window,
      },
    },
  })
end

local function on_init(client)
  newest = client.id
  wire.watch(client)
  if not M.is_new_enough(client) then
    say.tell_once(
      "the server is too old for this plugin: marks, the log and PATCHLS_SOCKET do not work. "
        .. "Install the version that the plugin came with.",
      vim.log.levels.WARN
    )
  end
end

local function add_root(client, root)
  for _, folder in ipairs(client.workspace_folders or {}) do
    -- On Windows this is "C:\p", and the root is "C:/p".
    local path = vim.fs.normalize(vim.uri_to_fname(folder.uri), { expand_env = false })
    if root == path or vim.startswith(root, path .. "/") then
      return
    end
  end
  local folder = { uri = vim.uri_from_fname(root), name = root }
  client.workspace_folders = vim.list_extend({ folder }, client.workspace_folders or {})
  wire.notify(client, "workspace/didChangeWorkspaceFolders", { event = { added = { folder }, removed = {} } })
end

local function on_attach(client, bufnr)
  local file = vim.bo[bufnr].modified and require("patchls.buffers").in_common(bufnr)
  if file then -- the server was started again
    local doc = { uri = vim.uri_from_bufnr(bufnr), file = file }
    wire.request(client, "patchls/synced", { textDocument = doc }, function() end, bufnr)
  end
  require("patchls.lenses").attach(client, bufnr)
  local root = require("patchls.buffers").root(bufnr)
  if root then
    add_root(client, root)
  end
  local others = M.others(bufnr)
  if others[1] then
    say.tell_once(
      ("the client %s also runs patchls, and agents may take either. "):format(others[1].name)
        .. "Remove it from vim.lsp.config or lspconfig: this plugin needs nothing there.",
      vim.log.levels.WARN
    )
  end
end

local function crashed(how)
  if started and vim.uv.now() - started > well then
    M.crashes = 0
  end
  M.crashes = M.crashes + 1
  local restart = config.get().restart
  if M.crashes > restart.tries then
    M.gave_up = true
    say.tell(
      ("gave up after %d crashes. The server %s; its words are in the log that "):format(M.crashes, how)
        .. ":checkhealth vim.lsp names. Your buffers are as they were. :Patchls restart tries again.",
      vim.log.levels.ERROR
    )
    return
  end
  is_waiting = true
  vim.defer_fn(function()
    is_waiting = false
    require("patchls.buffers").attach_all()
  end, restart.delay * 2 ^ (M.crashes - 1))
end

local function on_exit(code, signal, client_id)
  vim.schedule(function()
    wire.forget(client_id)
    require("patchls.confirm").forget(client_id)
    if client_id == newest then -- otherwise a replaced server has ended late
      require("patchls.edits").forget()
      listening(nil)
    end
    -- A server that was stopped with SIGTERM, as Neovim stops servers, is not restarted.
    if not is_leaving and signal ~= 15 and (code ~= 0 or signal ~= 0) then
      crashed(signal ~= 0 and ("died of signal %d"):format(signal) or ("ended with exit code %d"):format(code))
    end
  end)
end

--- Returns whether the server may be started now. Tells the user once if its program is missing.
function M.is_startable()
  local program = config.get().cmd[1]
  if vim.fn.executable(program) == 0 then
    say.tell_once(
      ("no program %s, so no agents. Put it on your PATH, or name it: "):format(vim.inspect(program))
        .. 'vim.g.patchls = { cmd = { "/path/to/patchls", "serve" } }',
      vim.log.levels.WARN
    )
    return false
  end
  if vim.lsp.is_enabled and not vim.lsp.is_enabled(M.name) then
    return false
  end
  return not is_leaving and not is_waiting and not M.gave_up
end

local function reuse(client, with)
  return client.name == with.name and not wire.is_stopped(client)
end

--- Returns the configuration of the client, for vim.lsp.config and vim.lsp.start.
function M.config()
  local options = config.get()
  return {
    name = M.name,
    cmd = options.cmd,
    init_options = vim.tbl_extend("keep", { review = options.review }, options.settings),
    capabilities = capabilities(),
    handlers = handlers,
    commands = commands,
    on_init = on_init,
    on_attach = on_attach,
    on_exit = on_exit,
    before_init = function()
      started = vim.uv.now()
    end,
    reuse_client = reuse,
    root_dir = function(bufnr, on_dir)
      local buffers = require("patchls.buffers")
      if not buffers.unwanted(bufnr) and M.is_startable() then
        on_dir(buffers.root(bufnr))
      end
    end,
  }
end

--- Attaches a buffer to the one client, which is started if need be.
function M.attach(bufnr)
  if not M.is_startable() then
    return
  end
  local base = vim.lsp.config and vim.lsp.config[M.name] or M.config()
  local with = vim.tbl_extend("force", base, { root_dir = require("patchls.buffers").root(bufnr) or vim.NIL })
  if with.root_dir == vim.NIL then
    with.root_dir = nil
  end
  if not vim.lsp.start(with, { bufnr = bufnr, reuse_client = reuse }) then
    crashed("could not be started")
  end
end

-- Applies changed options: Neovim keeps the old configuration until vim.lsp.config() is called.
local function take_options()
  if vim.lsp.config then
    vim.lsp.config(M.name, {})
  end
end

--- Refuses the edits of agents, or accepts them again.
function M.pause(is_paused)
  M.paused = is_paused
  say.redraw()
end

--- Starts the server again after it was given up, or while it runs.
function M.restart()
  M.crashes, M.gave_up = 0, false
  take_options()
  local client = M.client()
  if not client then
    require("patchls.buffers").attach_all()
    return
  end
  wire.stop(client)
  local tries = 0
  local function again()
    tries = tries + 1
    if vim.lsp.get_client_by_id(client.id) and tries < 100 then
      vim.defer_fn(again, 20)
    else
      require("patchls.buffers").attach_all()
    end
  end
  again()
end

function M.enable()
  vim.api.nvim_create_autocmd("VimLeavePre", {
    group = vim.api.nvim_create_augroup("patchls.server", {}),
    callback = function()
      is_leaving = true
    end,
  })
  take_options()
  if vim.lsp.enable then
    vim.lsp.enable(M.name)
  end
end

return M
