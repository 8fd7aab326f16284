--- Makes texts from agents, and the names of files, fit to be shown to the user in one line.
local M = {}

-- Blanks (a run of them becomes one space), and characters that are invisible or change how
-- others are displayed, as ranges { first, last }.
-- stylua: ignore
local blanks = {
  { 0x09, 0x0d }, { 0x20, 0x20 }, { 0x85, 0x85 }, { 0xa0, 0xa0 }, { 0x1680, 0x1680 },
  { 0x2000, 0x200a }, { 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 },
}
-- stylua: ignore
local unfit = {
  { 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x180e, 0x180e },
  { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff },
  { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
}

local function is_in(ranges, code)
  for _, range in ipairs(ranges) do
    if range[1] <= code and code <= range[2] then
      return true
    end
  end
  return false
end

-- Returns the characters of a text; each byte that is not UTF-8 becomes U+FFFD.
local function characters(text)
  local all, at = {}, 1
  while at <= #text do
    local character = text:match("^[%z\1-\127]", at)
      or text:match("^[\194-\223][\128-\191]", at)
      or text:match("^[\224-\239][\128-\191][\128-\191]", at)
      or text:match("^[\240-\244][\128-\191][\128-\191][\128-\191]", at)
    table.insert(all, character or "\239\191\189")
    at = at + #(character or "x")
  end
  return all
end

local shown = { ["["] = "［", ["]"] = "］" }

--- Makes a text fit for one line of at most limit characters. The server does the same in
--- workspace/paths/oneline.go, and both are tested with testdata/oneline.json.
function M.fit(text, limit)
  local line = {}
  local is_blank = true -- so that blanks at the beginning are dropped
  for _, character in ipairs(characters(text)) do
    local code = character == "\0" and 0 or vim.fn.char2nr(character, true)
    if not is_in(blanks, code) then
      if character == "(" and line[#line] == "$" then
        line[#line] = "＄"
      end
      table.insert(line, is_in(unfit, code) and "\239\191\189" or shown[character] or character)
      is_blank = false
    elseif not is_blank then
      table.insert(line, " ")
      is_blank = true
    end
  end
  if line[#line] == " " then
    table.remove(line)
  end
  if #line <= limit then
    return table.concat(line)
  end
  local head = math.floor((limit - 1) / 3)
  return table.concat(line, "", 1, head) .. "…" .. table.concat(line, "", #line - (limit - 1 - head) + 1)
end

--- Returns a name, fit to be part of a line.
function M.name(text)
  return M.fit(text, 60)
end

--- Returns a whole line that contains such texts, fit to be shown.
function M.line(text)
  return M.fit(text, 1000)
end

return M
