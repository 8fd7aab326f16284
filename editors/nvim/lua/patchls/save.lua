--- Answers patchls/save: saves exactly the named buffers, each as if the user had saved it.
local buffers = require("patchls.buffers")
local disk = require("patchls.disk")
local files = require("patchls.files")
local server = require("patchls.server")
local wire = require("patchls.wire")

local M = {}

--- Makes the next write of a buffer fail if another program has made its name lead elsewhere.
local function fail_if_moved(bufnr, name, want)
  return vim.api.nvim_create_autocmd("BufWritePre", {
    buffer = bufnr,
    callback = function()
      files.check_leads(name, want)
    end,
  })
end

local function write(client, bufnr, want)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if buffers.is_changed_on_disk(bufnr) then
    if not disk.is_merged(client, bufnr) then
      -- Neovim would ask the user in the middle of something else.
      error("another program has changed the file on disk since it was read; compare the two and save by hand", 0)
    end
    vim.cmd.checktime(bufnr) -- Neovim asks nothing about a change that it has seen, see patchls.disk
  end
  files.check_leads(name, want)
  vim.fn.mkdir(vim.fs.dirname(name), "p") -- for a file that an agent has created
  local check = fail_if_moved(bufnr, name, want)
  local confirm = vim.o.confirm
  vim.o.confirm = false -- an error instead of a question
  local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd(vim.uv.fs_stat(name) and "silent update" or "silent write")
  end)
  vim.o.confirm = confirm
  pcall(vim.api.nvim_del_autocmd, check)
  if not ok then
    error(err, 0)
  elseif vim.api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].modified then
    error("the buffer still has unsaved changes after it was written", 0)
  end
end

local function save_one(client, uri, want)
  if server.paused then
    error("agents are paused in this editor", 0)
  elseif wire.is_silent() then
    error(wire.silence, 0) -- the changes of formatters would not be sent
  end
  local bufnr = vim.uri_to_bufnr(uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    error("it is not open in the editor", 0)
  end
  write(client, bufnr, want)
  wire.flush(client, bufnr) -- the changes of formatters are sent before the answer
end

function M.save(client, params)
  local results = {}
  for _, uri in ipairs(params.uris) do
    local ok, err = pcall(save_one, client, uri, (params.leads or {})[uri])
    table.insert(results, { uri = uri, saved = ok, error = not ok and tostring(err) or nil })
  end
  return { results = results }
end

return M
