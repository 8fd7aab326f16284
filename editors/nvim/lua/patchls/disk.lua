--- Handles files that other programs write. If the buffer has unsaved text, the server merges
--- what they wrote into it. Neovim would still ask the user about the file: when it notices that
--- the file has changed, and when the user saves. This module avoids that. If the buffer has no
--- unsaved text, this module has Neovim load the file at once.
local buffers = require("patchls.buffers")
local config = require("patchls.config")
local wire = require("patchls.wire")

local M = {}

local group

--- How long to wait for the server, in milliseconds.
local patience = 1000

local function stamp(bufnr)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr)) or {}
  return vim.inspect({ stat.mtime, stat.size, stat.ino })
end

--- Returns whether saving a buffer loses nothing that another program wrote, and the file is
--- writable.
function M.is_merged(client, bufnr)
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  local before = stamp(bufnr)
  local answer = wire.request_sync(client, "patchls/merged", params, patience, bufnr)
  return vim.tbl_get(answer or {}, "result", "merged") == true
    and vim.fn.filewritable(vim.api.nvim_buf_get_name(bufnr)) == 1
    and stamp(bufnr) == before
end

local function client_of(bufnr)
  local server = require("patchls.server")
  return vim.lsp.get_clients({ bufnr = bufnr, name = server.name })[1]
end

--- Makes the next save of a buffer fail if its file is written meanwhile, such as while formatters run.
local function fail_if_written(bufnr, before)
  vim.api.nvim_create_autocmd("BufWritePre", {
    group = group,
    buffer = bufnr,
    once = true,
    callback = function()
      if stamp(bufnr) ~= before then
        error("another program has changed the file while it was saved; save again", 0)
      end
    end,
  })
end

--- Makes the next save of a buffer ask the user only if the file contains text that is not merged.
local function guard(bufnr)
  vim.api.nvim_clear_autocmds({ group = group, event = "BufWriteCmd", buffer = bufnr })
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    group = group,
    buffer = bufnr,
    nested = true, -- the autocommands of a write run as usual
    callback = function(args)
      local client = client_of(bufnr)
      local is_own = args.match == vim.api.nvim_buf_get_name(bufnr)
      local force = vim.v.cmdbang == 1
      local before = stamp(bufnr)
      if not force and is_own and client and M.is_merged(client, bufnr) then
        force = true
        fail_if_written(bufnr, before)
      end
      local command = ("write%s %s %s"):format(
        force and "!" or "",
        vim.v.cmdarg,
        is_own and "" or vim.fn.fnameescape(args.match)
      )
      vim.api.nvim_clear_autocmds({ group = group, event = "BufWriteCmd", buffer = bufnr })
      local ok, err = pcall(vim.cmd, command)
      vim.api.nvim_clear_autocmds({ group = group, event = "BufWritePre", buffer = bufnr })
      if vim.bo[bufnr].modified then -- it was not written
        guard(bufnr)
      end
      if not ok then
        error(err, 0)
      end
    end,
  })
end

--- Is called after an edit of a buffer. It may be a merge, which the user may save before the server reports it.
function M.edited(bufnr)
  if vim.bo[bufnr].modified and config.get().settings.absorb ~= "off" and buffers.is_changed_on_disk(bufnr) then
    guard(bufnr)
  end
end

--- Has Neovim check the merged files for changes now, and not when the user saves them.
function M.look(params)
  if params.agent ~= "disk" then
    return
  end
  for _, file in ipairs(params.files) do
    local path = vim.uri_to_fname(file.uri)
    if vim.fn.bufloaded(path) == 1 then
      vim.cmd.checktime(vim.fn.bufadd(path))
    end
  end
end

-- Has Neovim load the file of a buffer that the user has not changed, if 'autoread' is set. While
-- the user types, selects, or answers a prompt, that waits.
local function reload(bufnr)
  local mode = vim.api.nvim_get_mode()
  if not vim.o.autoread or not vim.api.nvim_buf_is_loaded(bufnr) or vim.bo[bufnr].modified then
    return
  elseif not mode.blocking and (mode.mode == "n" or mode.mode == "t") then
    vim.cmd.checktime(bufnr)
    return
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    group = group,
    pattern = "*:[nt]",
    once = true,
    callback = vim.schedule_wrap(function()
      reload(bufnr)
    end),
  })
end

--- Handles patchls/written. Neovim itself looks at the file only when it gets the focus or the
--- user runs a command in a shell, so that they would read and work on an old text until then.
function M.written(uri)
  local path = vim.uri_to_fname(uri)
  if vim.fn.bufloaded(path) == 1 then
    reload(vim.fn.bufadd(path))
  end
end

function M.enable()
  group = vim.api.nvim_create_augroup("patchls.disk", {})
  vim.api.nvim_create_autocmd("FileChangedShell", {
    group = group,
    callback = function(args)
      local is_left = vim.v.fcs_reason == "conflict"
        and config.get().settings.absorb ~= "off"
        and client_of(args.buf) ~= nil
      if is_left then
        vim.v.fcs_choice = ""
        guard(args.buf)
      elseif vim.v.fcs_choice == "" then -- otherwise another autocommand has chosen
        vim.v.fcs_choice = "ask"
      end
    end,
  })
end

return M
