--- Has Neovim show code lenses over agents' changes, and only those of our server:
--- whether the lenses of other servers are shown is left to the user.
local config = require("patchls.config")
local server = require("patchls.server")
local wire = require("patchls.wire")

local M = {}

--- Neovim 0.12 asks for lenses by itself, for the clients for which they are enabled.
local is_automatic = vim.lsp.codelens.enable ~= nil

--- How long, in ms, no text must have changed before lenses are requested again.
local rest = 200

-- vim.lsp.codelens.refresh() would ask all servers of the buffer.
local function request(client, bufnr)
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  wire.request(client, "textDocument/codeLens", params, function(err, result, context)
    vim.lsp.codelens.on_codelens(err, result, context)
  end, bufnr)
end

function M.attach(client, bufnr)
  if not config.get().review.codeLens then
    return
  elseif is_automatic then
    vim.lsp.codelens.enable(true, { bufnr = bufnr, client_id = client.id })
  else
    request(client, bufnr)
  end
end

--- Handles workspace/codeLens/refresh.
function M.refresh(err, params, context)
  if is_automatic then
    return vim.lsp.handlers["workspace/codeLens/refresh"](err, params, context)
  end
  local client = vim.lsp.get_client_by_id(context.client_id)
  for bufnr in pairs(client and client.attached_buffers or {}) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      request(client, bufnr)
    end
  end
  return vim.NIL
end

-- Requests the lenses of a buffer when its text has stopped changing.
local waiting = {}
local function ask_soon(bufnr)
  local mine = (waiting[bufnr] or 0) + 1
  waiting[bufnr] = mine
  vim.defer_fn(function()
    local client = server.client()
    if waiting[bufnr] == mine then
      waiting[bufnr] = nil
      if client and vim.api.nvim_buf_is_loaded(bufnr) and wire.version(client, bufnr) then
        request(client, bufnr)
      end
    end
  end, rest)
end

-- Neovim 0.12 keeps the lenses of a client that ends, if they were enabled only for that
-- client. Each redraw then fails and waits for a key, and agents wait with it. Enabling and
-- disabling all lenses of the buffer removes them.
local function drop(bufnr)
  if not vim.lsp.codelens.is_enabled({ bufnr = bufnr }) then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    vim.lsp.codelens.enable(false, { bufnr = bufnr })
  end
end

function M.enable()
  if is_automatic then
    vim.api.nvim_create_autocmd("LspDetach", {
      group = vim.api.nvim_create_augroup("patchls.lenses", {}),
      callback = function(args)
        local client = vim.lsp.get_client_by_id(args.data.client_id)
        if client and client.name == server.name then
          drop(args.buf)
        end
      end,
    })
    return
  end
  vim.api.nvim_create_autocmd({ "TextChanged", "InsertLeave" }, {
    group = vim.api.nvim_create_augroup("patchls.lenses", {}),
    callback = function(args)
      local client = server.client()
      if config.get().review.codeLens and client and wire.version(client, args.buf) then
        ask_soon(args.buf)
      end
    end,
  })
end

return M
