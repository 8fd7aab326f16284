--- Marks on the text that agents have changed.
local config = require("patchls.config")

local M = {}

local space = vim.api.nvim_create_namespace("patchls")

--- The data of each mark, by buffer and extmark: edit_id, agent and command, which the server reports
--- after the edit; step, the undo step of the edit; and empty, whether the edit left no text there.
local marks = {}

local function column(bufnr, position, encoding)
  local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ""
  if encoding == "utf-8" then
    return math.min(position.character, #line)
  elseif vim.fn.has("nvim-0.11") == 1 then
    return vim.str_byteindex(line, encoding, position.character, false)
  end
  local ok, byte = pcall(vim.str_byteindex, line, position.character, encoding == "utf-16")
  return ok and byte or #line
end

--- Sets an extmark around each place that is about to be edited. It grows with the text that
--- is put there. Returns the ids of the extmarks, for M.show and M.drop.
function M.place(bufnr, edits, encoding)
  local placed = {}
  for _, edit in ipairs(edits) do
    local from, to = edit.range.start, edit.range["end"]
    table.insert(
      placed,
      vim.api.nvim_buf_set_extmark(bufnr, space, from.line, column(bufnr, from, encoding), {
        end_row = to.line,
        end_col = column(bufnr, to, encoding),
        right_gravity = false,
        end_right_gravity = true,
        strict = false,
      })
    )
  end
  return placed
end

function M.drop(bufnr, placed)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  for _, id in ipairs(placed) do
    vim.api.nvim_buf_del_extmark(bufnr, space, id)
    if marks[bufnr] then
      marks[bufnr][id] = nil
    end
  end
end

--- Makes the extmarks that M.place has set visible, until they fade. From now on they do not
--- grow when the user types at their ends.
function M.show(bufnr, placed)
  local options = config.get().marks
  if not options.enabled then
    M.drop(bufnr, placed)
    return
  end
  local step = vim.fn.undotree(bufnr).seq_cur
  local shown = marks[bufnr] or {}
  marks[bufnr] = shown
  for _, id in ipairs(placed) do
    local row, col, at = unpack(vim.api.nvim_buf_get_extmark_by_id(bufnr, space, id, { details = true }))
    vim.api.nvim_buf_set_extmark(bufnr, space, row, col, {
      id = id,
      end_row = at.end_row,
      end_col = at.end_col,
      hl_group = options.highlight,
      hl_eol = true,
      sign_text = options.sign ~= "" and options.sign or nil,
      sign_hl_group = options.sign ~= "" and options.highlight or nil,
      strict = false,
    })
    shown[id] = { step = step, empty = row == at.end_row and col == at.end_col }
  end
  if options.fade > 0 then
    vim.defer_fn(function()
      if marks[bufnr] == shown then -- otherwise the text was reloaded, and other marks have these ids
        M.drop(bufnr, placed)
      end
    end, options.fade * 1000)
  end
end

--- Returns the marks of a buffer for which fits holds, or all without fits: { id, row, col, end_row, end_col, of }.
function M.list(bufnr, fits)
  local found = {}
  for id, of in pairs(marks[bufnr] or {}) do
    local row, col, at = unpack(vim.api.nvim_buf_get_extmark_by_id(bufnr, space, id, { details = true }))
    local mark = row and { id = id, row = row, col = col, end_row = at.end_row, end_col = at.end_col, of = of }
    if mark and (not fits or fits(mark)) then
      table.insert(found, mark)
    end
  end
  table.sort(found, function(a, b)
    return a.row < b.row or a.row == b.row and (a.col < b.col or a.col == b.col and a.id < b.id)
  end)
  return found
end

--- Removes the marks of a buffer for which fits holds, or all without fits. Returns how many there were.
function M.forget(bufnr, fits)
  local ids = vim.tbl_map(function(mark)
    return mark.id
  end, M.list(bufnr, fits))
  M.drop(bufnr, ids)
  return #ids
end

--- Returns the buffers that have marks.
function M.buffers()
  return vim.tbl_filter(function(bufnr)
    return next(marks[bufnr]) ~= nil
  end, vim.tbl_keys(marks))
end

--- Returns whether no text is left between the ends of a mark that had text there.
function M.is_hollow(mark)
  local ends_before = mark.end_row < mark.row or mark.end_row == mark.row and mark.end_col <= mark.col
  return ends_before and not mark.of.empty
end

--- Returns the first and the last row in which a mark has text. They leave out a line if the mark
--- only begins behind its last character, or ends before its first.
function M.rows(bufnr, mark)
  local first, last = mark.row, mark.end_row
  if first < last and mark.col == #vim.api.nvim_buf_get_lines(bufnr, first, first + 1, true)[1] then
    first = first + 1
  end
  if first < last and mark.end_col == 0 then
    last = last - 1
  end
  return first, last
end

--- Returns the marks at the cursor, or if there are none, those on its line.
function M.at_cursor()
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  row = row - 1
  local bufnr = vim.api.nvim_get_current_buf()
  local of_line = M.list(bufnr, function(mark)
    -- A mark that ends before the first character of this line belongs to the lines above.
    local ends = mark.end_col == 0 and mark.end_row > mark.row and mark.end_row - 1 or mark.end_row
    return mark.row <= row and row <= ends
  end)
  local exact = vim.tbl_filter(function(mark)
    local starts_before = mark.row < row or mark.col <= col
    local ends_behind = mark.end_row > row or mark.end_col > col
    return starts_before and ends_behind
  end, of_line)
  return exact[1] and exact or of_line
end

function M.enable()
  vim.api.nvim_set_hl(0, "PatchlsEdit", { link = "DiffAdd", default = true })
  local group = vim.api.nvim_create_augroup("patchls.marks", {})
  -- Removes the marks of edits that the user has undone, and of text that the user has deleted.
  vim.api.nvim_create_autocmd("TextChanged", {
    group = group,
    callback = function(args)
      if next(marks[args.buf] or {}) then
        local step = vim.fn.undotree(args.buf).seq_cur
        M.forget(args.buf, function(mark)
          return mark.of.step > step or M.is_hollow(mark)
        end)
      end
    end,
  })
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = group,
    callback = function()
      vim.api.nvim_set_hl(0, "PatchlsEdit", { link = "DiffAdd", default = true })
    end,
  })
  -- Removes the marks of a buffer when its text is unloaded or read again.
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufUnload" }, {
    group = group,
    callback = function(args)
      vim.api.nvim_buf_clear_namespace(args.buf, space, 0, -1)
      marks[args.buf] = nil
    end,
  })
end

return M
