--- Sends messages to the server, in the way that this version of Neovim requires, and records
--- which version of each buffer the server has.
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

-- Returns whether a buffer was not saved although Neovim reports that it was: the user has written another
-- file, or chose not to overwrite a file that has changed.
local function is_unsaved(uri)
  return vim.bo[vim.uri_to_bufnr(uri)].modified
end

--- Records the versions of documents as they are sent, and keeps them increasing where Neovim begins
--- again at 0: when it reloads a document, which closes and opens it, or when another server attaches.
--- Otherwise an edit for an older text would pass for one of the text that now has its version.
--- Neovim's own record (vim.lsp.util.buf_versions) is shared by all servers of a buffer.
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

--- Returns the version of a buffer that the server has, nil if the buffer is not open there.
function M.version(client, bufnr)
  return versions[client.id][vim.uri_from_bufnr(bufnr)]
end

--- Returns whether Neovim reports no changes of texts. While the user types a command whose effect
--- Neovim previews ('inccommand'), no server is notified of any change, then or later.
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

--- The reason for refusing a request while M.is_silent() holds.
M.silence = "the user is typing a command whose effect Neovim shows meanwhile ('inccommand'); try again"

--- Returns whether an operator waits for its motion, as "d" in "dw" does.
local function is_pending()
  return vim.startswith(vim.api.nvim_get_mode().mode, "no")
end

--- How long to wait for an operator to end, in milliseconds.
local patience = 1000

--- Waits for a limited time until no operator waits for its motion, and returns whether that is so.
--- Neovim keeps the line and the column where the operator began: if an edit moves the text meanwhile,
--- the operator changes other text than the user meant, and Neovim may not notify any server of it.
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

--- The reason for refusing a request while an operator waits for its motion.
M.pending = "the user has typed an operator and not yet its motion; try again"

--- Sends all pending changes of a buffer now, so that whatever is sent next comes after them.
function M.flush(client, bufnr)
  M.request(client, "patchls/synced", nil, function() end, bufnr)
end

return M
