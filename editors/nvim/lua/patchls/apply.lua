--- Answers workspace/applyEdit, strictly: all changes, except texts after a file operation, are
--- checked before anything is touched. An edit is an undo step of its own, and the answer says
--- whether it was made. If so, it also says which versions of the document are the edit, so that
--- the server need not infer which changes were the user's.
local buffers = require("patchls.buffers")
local disk = require("patchls.disk")
local edits = require("patchls.edits")
local files = require("patchls.files")
local marks = require("patchls.marks")
local server = require("patchls.server")
local wire = require("patchls.wire")

local M = {}

--- The changedtick of each buffer after the last edit of an agent.
local ticks = {}

local function is_given(value)
  return value ~= nil and value ~= vim.NIL
end

--- Checks that an open document is at the version that the edit was made for.
local function check_open(client, bufnr, uri, version)
  if vim.o.autoread and not vim.bo[bufnr].modified and buffers.is_changed_on_disk(bufnr) then
    vim.cmd.checktime(bufnr)
  end
  wire.flush(client, bufnr)
  wire.agree(client, uri)
  local now = wire.version(client, bufnr)
  if not is_given(version) then
    error(("%s is open in the editor, and the edit was made for the file"):format(uri), 0)
  elseif now ~= version then
    error(("%s is at version %s, and the edit is for version %s"):format(uri, now, version), 0)
  end
end

--- Loads a document that the server does not have open.
local function open_closed(bufnr, uri, version)
  if is_given(version) then
    error(uri .. " is not open any more", 0)
  elseif vim.api.nvim_buf_is_loaded(bufnr) then
    local why = buffers.unwanted(bufnr)
    if why then
      error(("agents cannot edit %s: %s"):format(uri, why), 0)
    end
    buffers.attach(bufnr) -- so that the server sees its text, and can try again
    error(uri .. " is loaded in the editor, and the edit was made for the file", 0)
  end
  files.load(bufnr)
end

-- Returns why a buffer cannot be edited, by the user or an agent; nil if it can.
local function uneditable(bufnr, uri)
  if not vim.bo[bufnr].modifiable then
    return ("the buffer of %s is not 'modifiable'"):format(uri)
  elseif vim.bo[bufnr].readonly then
    return ("the buffer of %s is read-only ('readonly' is set)"):format(uri)
  end
end

--- Checks one document and returns its buffer.
local function checked(client, change)
  local uri, version = change.textDocument.uri, change.textDocument.version
  if not vim.startswith(uri, "file:") then
    error(uri .. " is no file", 0)
  end
  local bufnr = vim.uri_to_bufnr(uri)
  local is_open = wire.version(client, bufnr)
  if is_open then
    check_open(client, bufnr, uri, version)
  else
    open_closed(bufnr, uri, version)
  end
  local why = uneditable(bufnr, uri)
  if why then
    if not is_open then
      files.unload(bufnr)
    end
    error(why, 0)
  end
  return bufnr
end

-- Begins a new undo step.
local function fence(bufnr)
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd("let &l:undolevels = &l:undolevels")
  end)
end

local function apply_text(client, bufnr, change)
  fence(bufnr)
  local before = vim.fn.undotree(bufnr).seq_cur
  local placed = marks.place(bufnr, change.edits, client.offset_encoding)
  local ok, err = pcall(vim.lsp.util.apply_text_edits, change.edits, bufnr, client.offset_encoding)
  fence(bufnr)
  if not ok then
    marks.drop(bufnr, placed)
    vim.api.nvim_buf_call(bufnr, function()
      vim.cmd("silent! undo " .. before)
    end)
    error(err, 0)
  end
  vim.bo[bufnr].buflisted = true -- :ls shows what is unsaved
  marks.show(bufnr, placed)
  ticks[bufnr] = vim.api.nvim_buf_get_changedtick(bufnr)
end

-- Returns whether a buffer has unsaved changes after the last edit of an agent; the server knows the earlier ones.
local function has_unsaved(bufnr)
  return vim.bo[bufnr].modified and ticks[bufnr] ~= vim.api.nvim_buf_get_changedtick(bufnr)
end

--- Refuses what Neovim's own handlers would do silently: emptying an existing file that is
--- to be created, or deleting unsaved changes.
local function check_operation(change)
  local options = change.options or {}
  local there = vim.uv.fs_stat(vim.uri_to_fname(change.newUri or change.uri))
  if change.kind == "create" and there and not options.ignoreIfExists then
    error(change.uri .. " exists", 0)
  elseif change.kind == "rename" and there then
    error(change.newUri .. " exists", 0)
  elseif change.kind == "delete" and there and there.type == "directory" then
    error(change.uri .. " is a directory", 0)
  elseif change.kind == "delete" and has_unsaved(vim.uri_to_bufnr(change.uri)) then
    error(change.uri .. " has unsaved changes", 0)
  end
end

-- Creates, renames or deletes a file. A file that was never saved exists only as a buffer,
-- which Neovim's own handler does not find. Neovim does nothing else between the look where the names lead and that.
local function operate(client, change, leads)
  for _, uri in ipairs({ change.uri or change.oldUri, change.newUri }) do
    files.check_leads(vim.uri_to_fname(uri), leads[uri])
  end
  local bufnr = change.kind == "delete" and vim.uri_to_bufnr(change.uri)
  if bufnr and vim.api.nvim_buf_is_loaded(bufnr) and not vim.uv.fs_stat(vim.uri_to_fname(change.uri)) then
    vim.api.nvim_buf_delete(bufnr, { force = true })
    return
  elseif change.kind == "rename" then
    files.rename(vim.uri_to_fname(change.oldUri), vim.uri_to_fname(change.newUri))
    return
  end
  vim.lsp.util.apply_workspace_edit({ documentChanges = { change } }, client.offset_encoding)
end

local function refused(why, index)
  return { applied = false, failureReason = tostring(why), failedChange = index }
end

-- Makes the edit of one document, and returns the versions before and after it. Neovim takes
-- no keys meanwhile, so exactly the changes sent between the two versions are the edit.
local function apply_told(client, bufnr, change)
  local before = wire.version(client, bufnr)
  apply_text(client, bufnr, change)
  wire.flush(client, bufnr)
  disk.edited(bufnr)
  return before and { before = before, after = wire.version(client, bufnr) }
end

function M.apply(client, params)
  -- The user's own :Patchls undo also arrives here as an edit.
  if server.paused and not edits.is_own() then
    return refused("agents are paused in this editor")
  elseif not wire.await_operator() then
    return refused(wire.pending)
  elseif wire.is_silent() then
    return refused(wire.silence)
  end
  local changes = params.edit.documentChanges
  if not is_given(changes) then
    return refused("an edit without documentChanges, so without versions")
  end
  local targets, renamed = {}, false
  for i, change in ipairs(changes) do
    local ok, err = true, nil
    if change.kind then
      ok, err = pcall(check_operation, change)
      renamed = true
    elseif not renamed then -- otherwise an earlier change may create its file
      ok, err = pcall(checked, client, change)
      targets[i] = err
    end
    if not ok then
      return refused(err, i - 1)
    end
  end
  local versions
  for i, change in ipairs(changes) do
    local ok, err = pcall(function()
      if change.kind then
        operate(client, change, params.leads or {})
      else
        versions = apply_told(client, targets[i] or checked(client, change), change)
      end
    end)
    if not ok then
      return refused(err, i - 1)
    end
  end
  return { applied = true, versions = versions }
end

return M
