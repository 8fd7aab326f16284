--- Shows one line in the corner of the screen, which stays there. "-- INSERT --" overwrites a message
--- at once, so a user who types would not see it. The cursor never enters the window of the line.
local oneline = require("patchls.oneline")

local M = {}

local win

local function hide()
  if win and vim.api.nvim_win_is_valid(win) then
    pcall(vim.api.nvim_win_close, win, true)
  end
  win = nil
end

--- Shows a text in the current tab page, instead of any earlier one; nil shows none.
function M.show(text)
  hide()
  if not text then
    return
  end
  local line = " " .. oneline.line(text) .. " "
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, { line })
  local ok, opened = pcall(vim.api.nvim_open_win, bufnr, false, {
    relative = "editor",
    anchor = "SE",
    row = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0),
    col = vim.o.columns,
    width = math.max(1, math.min(vim.fn.strdisplaywidth(line), vim.o.columns)),
    height = 1,
    style = "minimal",
    focusable = false,
    noautocmd = true,
  })
  if not ok then
    vim.api.nvim_buf_delete(bufnr, { force = true })
    return
  end
  win = opened
  vim.wo[win].winhighlight = "NormalFloat:PatchlsNotice"
end

function M.enable()
  local function colour()
    vim.api.nvim_set_hl(0, "PatchlsNotice", { link = "WildMenu", default = true })
  end
  colour()
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("patchls.notice", {}),
    callback = colour,
  })
end

return M
