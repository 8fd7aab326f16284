--- The options of the plugin.
local say = require("patchls.say")

local M = {}

---@class patchls.Settings
---@field match? "exact"|"lenient" how str_replace finds a text if the agent does not say
---@field protected_paths? string[] names that agents must not edit
---@field agent_socket? boolean whether agents can connect
---@field save_after_edit? "never"|"new"|"clean" which files are saved after an edit: made ones, clean ones
---@field absorb? "merge"|"ask"|"off" what is done when another program writes the file of a buffer with unsaved text
---@field allow_outside_workspace? boolean whether agents reach files of no workspace folder
---@field [string] any the bounds in docs/commands.md, such as max_document_bytes

---@class patchls.MarkOptions
---@field enabled? boolean whether what an agent has changed is marked
---@field fade? number seconds until a mark goes by itself; 0: it stays until :Patchls keep
---@field highlight? string the highlight group; PatchlsEdit is linked to DiffAdd by default
---@field sign? string one or two characters for the sign column at the first line of each mark; "": none

--- How the hunks that agents have changed are shown until the user keeps or reverts them.
---@class patchls.ReviewOptions
---@field codeLens? boolean as code lenses, with which to keep and revert them

---@class patchls.RestartOptions
---@field tries? integer how often a server that crashes is started again
---@field delay? number milliseconds before the first time; each next one waits twice as long

---@class patchls.Options
---@field cmd? string[] how the server is started
---@field settings? patchls.Settings settings of the server
---@field attach? fun(bufnr: integer): boolean? false leaves a buffer out; it is asked of normal buffers of files alone
---@field root? fun(bufnr: integer): string? the workspace folder of a buffer, nil for none; see patchls.buffers.root
---@field marks? patchls.MarkOptions
---@field review? patchls.ReviewOptions
---@field terminal? boolean whether :terminal and jobs get PATCHLS_SOCKET, by which agents find this Neovim
---@field restart? patchls.RestartOptions

M.defaults = {
  cmd = { "patchls", "serve" },
  settings = {},
  attach = false,
  root = false,
  marks = { enabled = true, fade = 60, highlight = "PatchlsEdit", sign = "" },
  review = { codeLens = true },
  terminal = true,
  restart = { tries = 5, delay = 500 },
}

local given = {}

-- What a value must be, where checking its type is not enough.
local must = {
  cmd = {
    "list that begins with a program",
    function(value)
      return type(value[1]) == "string"
    end,
  },
  ["marks.sign"] = {
    "text of at most two columns",
    function(value)
      return vim.fn.strdisplaywidth(value) <= 2
    end,
  },
}

-- Returns what an invalid value should have been, nil for a valid one. An option whose
-- default is false takes a function.
local function wanted(name, value, default)
  local rule = must[name]
  if type(value) ~= type(default) and not (default == false and type(value) == "function") then
    return default == false and "function" or type(default)
  elseif rule and not rule[2](value) then
    return rule[1]
  end
end

-- Returns whether a default is a table of known options. An empty table takes any keys, so it is none.
local function is_section(default)
  return type(default) == "table" and next(default) and not vim.islist(default)
end

local function check(options, defaults, prefix)
  local faults = {}
  for name, value in pairs(options) do
    local default = defaults[name]
    local want = default ~= nil and wanted(prefix .. name, value, default)
    if default == nil then
      local known = vim.tbl_keys(defaults)
      table.sort(known)
      table.insert(faults, ("there is no option %s%s; there are %s"):format(prefix, name, table.concat(known, ", ")))
    elseif want then
      table.insert(faults, ("the option %s%s must be a %s"):format(prefix, name, want))
    elseif is_section(default) then
      vim.list_extend(faults, check(value, default, prefix .. name .. "."))
    end
  end
  return faults
end

--- Returns what is wrong with the options, one sentence for each fault.
function M.faults()
  local of_g = type(vim.g.patchls) == "table" and vim.g.patchls or {}
  local faults = check(vim.tbl_deep_extend("force", of_g, given), M.defaults, "")
  if vim.g.patchls ~= nil and type(vim.g.patchls) ~= "table" then
    table.insert(faults, "vim.g.patchls must be a table")
  end
  return faults
end

function M.set(options)
  given = options or {}
  for _, fault in ipairs(M.faults()) do
    say.tell_once(fault, vim.log.levels.WARN)
  end
end

-- Returns base with the valid ones of the options. Invalid values are ignored, so that one
-- mistake does not disable the plugin.
local function merge(defaults, base, options, prefix)
  local merged = {}
  for name, default in pairs(defaults) do
    local value = options[name]
    if value == nil or wanted(prefix .. name, value, default) then
      value = base[name]
    elseif is_section(default) then
      value = merge(default, base[name], value, prefix .. name .. ".")
    elseif type(default) == "table" and not next(default) then
      value = vim.tbl_extend("force", base[name], value)
    end
    merged[name] = value
  end
  return merged
end

--- The options as they are now.
function M.get()
  local of_g = type(vim.g.patchls) == "table" and vim.g.patchls or {}
  return merge(M.defaults, merge(M.defaults, M.defaults, of_g, ""), given, "")
end

return M
