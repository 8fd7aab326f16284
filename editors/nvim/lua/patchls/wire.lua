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

-- Returns a new version of a document, for each client.
local renewed = {}

-- What the server has of each document: how many line ends ("ends") and bytes. "wrong" is set by a change that reaches
-- beyond the text.
local told = {}

local line_ends = { unix = "\n", dos = "\r\n", mac = "\r" }

-- Records a text, and returns its size.
local function sized(text)
  return { ends = select(2, text:gsub("\n", "")), bytes = #text }
end

-- Counts a change into what the server has of a document.
local function count(has, change, is_bytes)
  local new = sized(change.text)
  if not change.range then
    return new
  end
  local first, last = change.range.start.line, change.range["end"].line
  return {
    ends = has.ends + new.ends - (last - first),
    bytes = has.bytes and is_bytes and has.bytes + new.bytes - change.rangeLength or nil,
    wrong = has.wrong or last > has.ends,
  }
end

-- Returns whether the server has as many line ends and bytes as a buffer.
local function is_same_size(has, bufnr)
  local bo, lines = vim.bo[bufnr], vim.api.nvim_buf_line_count(bufnr)
  local ends = bo.eol and lines or lines - 1
  if has.wrong or bo.fileformat == "mac" then
    return not has.wrong
  end
  -- Neovim counts one byte for each line end, also for the last one if it would be written.
  local is_written = bo.eol or bo.fixeol and not bo.binary
  local content = vim.api.nvim_buf_get_offset(bufnr, lines) - (is_written and lines or lines - 1)
  return has.ends == ends and (not has.bytes or has.bytes == content + ends * #line_ends[bo.fileformat])
end

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
  versions[client.id], told[client.id] = sent, {}
  renewed[client.id] = function(uri)
    newest[uri] = newest[uri] + 1
    return newest[uri]
  end
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
      local has = doc.text and sized(doc.text) or told[client.id][doc.uri]
      for _, change in ipairs(has and params.contentChanges or {}) do
        has = count(has, change, client.offset_encoding == "utf-8")
      end
      told[client.id][doc.uri] = has
      vim.schedule(function()
        M.agree(client, doc.uri)
      end)
    elseif name == "textDocument/didClose" then
      sent[params.textDocument.uri], told[client.id][params.textDocument.uri] = nil, nil
    elseif name == "textDocument/didSave" and is_unsaved(params.textDocument.uri) then
      return true
    end
    return notify(name, params)
  end
end

function M.forget(client_id)
  versions[client_id], told[client_id], renewed[client_id] = nil, nil, nil
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
  local probe, heard = vim.api.nvim_create_buf(false, true), false
  vim.api.nvim_buf_attach(probe, false, {
    on_lines = function()
      heard = true
    end,
  })
  vim.api.nvim_buf_set_lines(probe, 0, -1, false, { "", "" })
  vim.api.nvim_buf_delete(probe, { force = true })
  return not heard
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

--- Sends the text of a buffer if the server has another one. Neovim 0.12 reports some changes wrong: an edit of a whole
--- buffer by characters, and edits near the end of a text without a final newline. It reports nothing when
--- 'endofline' or 'fileformat' is set.
function M.agree(client, uri)
  local function has()
    return (told[client.id] or {})[uri]
  end
  if not has() or M.is_stopped(client) then
    return
  end
  local bufnr = vim.uri_to_bufnr(uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) or is_same_size(has(), bufnr) then
    return
  end
  M.flush(client, bufnr) -- of changes that were held back
  if has() and not is_same_size(has(), bufnr) then
    local line_end = line_ends[vim.bo[bufnr].fileformat]
    local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), line_end)
    text = vim.bo[bufnr].eol and text .. line_end or text
    told[client.id][uri] = sized(text)
    versions[client.id][uri] = renewed[client.id](uri) -- an edit of what the server had is for an older version
    local doc = { uri = uri, version = versions[client.id][uri], text = text }
    M.request(client, "patchls/synced", { textDocument = doc }, function() end, bufnr)
  end
end

return M
