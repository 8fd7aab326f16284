--- Files that other programs write while their buffers have unsaved text. The server merges
--- what they wrote into the buffer. Neovim would ask about the file all the same: when it sees
--- that it has changed, and when the user saves.
local buffers = require("patchls.buffers")
local config = require("patchls.config")
local wire = require("patchls.wire")

local M = {}

local group

--- For how long the server is waited for, in milliseconds.
local patience = 1000

local function stamp(bufnr)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr)) or {}
  return vim.inspect({ stat.mtime, stat.size, stat.ino })
end

--- Whether saving a buffer takes nothing away that another program wrote, and the file may be
--- written.
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

--- Has a saving of a buffer fail if its file is written meanwhile, as while formatters run.
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

--- Has the next saving of a buffer ask only if the file holds what is not merged.
local function guard(bufnr)
  vim.api.nvim_clear_autocmds({ group = group, event = "BufWriteCmd", buffer = bufnr })
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    group = group,
    buffer = bufnr,
    nested = true, -- the autocommands of a write run as ever
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

--- Takes an edit that a buffer had: it may be a merge, which the user may save before the server tells of it.
function M.edited(bufnr)
  if vim.bo[bufnr].modified and config.get().settings.absorb ~= "off" and buffers.is_changed_on_disk(bufnr) then
    guard(bufnr)
  end
end

--- Has Neovim look at the files that were merged now, and not when the user saves them.
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
      elseif vim.v.fcs_choice == "" then -- else another one has chosen
        vim.v.fcs_choice = "ask"
      end
    end,
  })
end

return M
