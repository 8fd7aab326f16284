--- Messages to the server, in whatever way this version of Neovim sends them, and what
--- the server knows of each buffer by what was sent.
local M = {}

local is_method = vim.fn.has("nvim-0.11") == 1

---@param handler fun(err: table?, result: any)
---@param bufnr integer its changes are sent first
function M.request(client, method, params, handler, bufnr)
  if is_method then
    return client:request(method, params, handler, bufnr)
  end
  return client.request(method, params, handler, bufnr)
end

function M.notify(client, method, params)
  if is_method then
    return client:notify(method, params)
  end
  return client.notify(method, params)
end

function M.is_stopped(client)
  if is_method then
    return client:is_stopped()
  end
  return client.is_stopped()
end

function M.stop(client)
  if is_method then
    return client:stop()
  end
  return client.stop()
end

local versions = {}

--- Watches what is sent of documents. Neovim's own record of versions
--- (vim.lsp.util.buf_versions) is shared by all servers of a buffer, and begins at 0 again
--- when another one attaches.
function M.watch(client)
  local sent, notify = {}, client.rpc.notify
  versions[client.id] = sent
  client.rpc.notify = function(method, params)
    if method == "textDocument/didOpen" or method == "textDocument/didChange" then
      sent[params.textDocument.uri] = params.textDocument.version
    elseif method == "textDocument/didClose" then
      sent[params.textDocument.uri] = nil
    end
    return notify(method, params)
  end
end

function M.forget(client_id)
  versions[client_id] = nil
end

--- The version of a buffer that the server has, nil if it does not have it open.
function M.version(client, bufnr)
  return versions[client.id][vim.uri_from_bufnr(bufnr)]
end

--- Has all changes of a buffer sent now; what is sent next comes after them.
function M.flush(client, bufnr)
  M.request(client, "patchls/synced", nil, function() end, bufnr)
end

return M
