--- Tells the server what the person does, so that it need not guess: at most every
--- quarter of a second, and on events that are rare while somebody types.
local config = require("patchls.config")
local server = require("patchls.server")
local wire = require("patchls.wire")

local M = {}

local least = 250
local last, is_due = 0, false

-- The selection, or the place of the cursor.
local function range(mode, encoding)
  local from, to = vim.fn.getpos("v"), vim.fn.getpos(".")
  if not mode:match("^[vV\22]") then
    local at = vim.lsp.util.make_position_params(0, encoding).position
    return { start = at, ["end"] = at }
  elseif from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then
    from, to = to, from
  end
  from, to = { from[2], from[3] - 1 }, { to[2], to[3] - 1 }
  return vim.lsp.util.make_given_range_params(from, to, 0, encoding).range
end

local function send(idle)
  local client, bufnr = server.client(), vim.api.nvim_get_current_buf()
  if not client or not wire.version(client, bufnr) then
    return
  end
  last = vim.uv.now()
  local mode = vim.api.nvim_get_mode().mode
  wire.notify(client, "patchls/activity", {
    uri = vim.uri_from_bufnr(bufnr),
    mode = mode,
    idle_ms = idle,
    range = range(mode, client.offset_encoding),
  })
end

local function tell(event)
  local wait = last + least - vim.uv.now()
  local idle = vim.startswith(event, "CursorHold") and vim.o.updatetime or 0
  if wait <= 0 then
    send(idle)
  elseif not is_due then
    is_due = true
    vim.defer_fn(function()
      is_due = false
      send(idle)
    end, wait)
  end
end

function M.enable()
  if not config.get().activity then
    return
  end
  vim.api.nvim_create_autocmd({ "ModeChanged", "CursorMoved", "CursorHold", "CursorHoldI", "BufEnter" }, {
    group = vim.api.nvim_create_augroup("patchls.activity", {}),
    callback = function(args)
      tell(args.event)
    end,
  })
end

return M
