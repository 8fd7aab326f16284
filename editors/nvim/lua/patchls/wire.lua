--- Messages to the server, in whatever way this version of Neovim sends them, and what
--- the server knows of each buffer by what was sent.
local M = {}

local is_method = vim.fn.has("nvim-0.11") == 1

local function method(name)
  return function(client, ...)
    if is_method then
      return client[name](client, ...)
    end
    return client[name](...)
  end
end

--- request(client, method, params, handler, bufnr): what changed in the buffer is sent first.
M.request = method("request")
--- request_sync(client, method, params, timeout, bufnr) returns { err, result }, nil if none came in time.
M.request_sync = method("request_sync")
M.notify = method("notify")
M.is_stopped = method("is_stopped")
M.stop = method("stop")

local versions = {}

-- Whether a buffer was not saved though Neovim says so: the user has written another file, or said
-- no when they were asked whether to overwrite one that has changed.
local function is_unsaved(uri)
  return vim.bo[vim.uri_to_bufnr(uri)].modified
end

--- Watches what is sent of documents, and numbers them on where Neovim begins again at 0: when
--- it reloads a document, which closes and opens it, or when another server attaches. An edit
--- for the text before would else pass for one of the text that has its number now. Neovim's own
--- record (vim.lsp.util.buf_versions) is shared by all servers of a buffer.
function M.watch(client)
  local sent, newest, added, notify = {}, {}, {}, client.rpc.notify
  versions[client.id] = sent
  client.rpc.notify = function(name, params)
    if name == "textDocument/didOpen" or name == "textDocument/didChange" then
      local doc = vim.tbl_extend("force", {}, params.textDocument)
      local last = newest[doc.uri] or -1
      if doc.version + (added[doc.uri] or 0) <= last then
        added[doc.uri] = last + 1 - doc.version
      end
      doc.version = doc.version + (added[doc.uri] or 0)
      newest[doc.uri], sent[doc.uri] = doc.version, doc.version
      params = vim.tbl_extend("force", params, { textDocument = doc })
    elseif name == "textDocument/didClose" then
      sent[params.textDocument.uri] = nil
    elseif name == "textDocument/didSave" and is_unsaved(params.textDocument.uri) then
      return true
    end
    return notify(name, params)
  end
end

function M.forget(client_id)
  versions[client_id] = nil
end

--- The version of a buffer that the server has, nil if it does not have it open.
function M.version(client, bufnr)
  return versions[client.id][vim.uri_from_bufnr(bufnr)]
end

--- Whether Neovim keeps changes to itself: while the user types a command that it shows
--- the effect of ('inccommand'), no server is told of any change of a text, nor is it later.
function M.is_silent()
  if vim.api.nvim_get_mode().mode ~= "c" then
    return false
  end
  local probe, told = vim.api.nvim_create_buf(false, true), false
  vim.api.nvim_buf_attach(probe, false, {
    on_lines = function()
      told = true
    end,
  })
  vim.api.nvim_buf_set_lines(probe, 0, -1, false, { "", "" })
  vim.api.nvim_buf_delete(probe, { force = true })
  return not told
end

--- Why nothing is done while it is silent.
M.silence = "the user is typing a command whose effect Neovim shows meanwhile ('inccommand'); try again"

--- Whether an operator waits for its motion, as "d" of "dw" does.
local function is_pending()
  return vim.startswith(vim.api.nvim_get_mode().mode, "no")
end

--- For how long an operator is waited for, in milliseconds.
local patience = 1000

--- Waits until no operator waits for its motion, and returns whether that is so. Neovim keeps
--- the line and the column where the operator began: if an edit moves the text meanwhile, the
--- operator changes other text than the user meant, and Neovim may tell no server of it.
function M.await_operator()
  local co, is_main = coroutine.running()
  if is_pending() and co and not is_main then
    local over = false
    local function go_on()
      if not over then
        over = true
        vim.schedule(function()
          coroutine.resume(co)
        end)
      end
    end
    local id = vim.api.nvim_create_autocmd("ModeChanged", { pattern = "no*:*", callback = go_on })
    vim.defer_fn(go_on, patience)
    coroutine.yield()
    vim.api.nvim_del_autocmd(id)
  end
  return not is_pending()
end

--- Why nothing is done while an operator waits.
M.pending = "the user has typed an operator and not yet its motion; try again"

--- Has all changes of a buffer sent now; what is sent next comes after them.
function M.flush(client, bufnr)
  M.request(client, "patchls/synced", nil, function() end, bufnr)
end

return M
