--- Every option that there is.
local say = require("patchls.say")

local M = {}

M.defaults = {
  --- How the server is started.
  cmd = { "patchls", "serve" },
  --- Settings of the server, such as { match = "lenient" }.
  settings = {},
  --- function(bufnr): false leaves a buffer out. It is asked of normal buffers of files alone.
  attach = false,
  --- function(bufnr): the workspace folder of a buffer, nil for none. Without it: the
  --- folder that holds .git, else the working directory if the file is below it; never
  --- the home folder.
  root = false,
  marks = {
    --- Whether what an agent has changed is marked.
    enabled = true,
    --- Seconds until a mark goes by itself; 0: it stays until :Patchls keep.
    fade = 60,
    --- The highlight group of marks. PatchlsEdit is linked to DiffAdd by default.
    highlight = "PatchlsEdit",
    --- One or two characters for the sign column at the first line of each mark; "": none.
    sign = "",
  },
  --- How the hunks are shown that agents have changed and nobody has kept or reverted.
  review = {
    --- As code lenses, with which to keep and revert them.
    codeLens = true,
  },
  --- Whether :terminal and jobs get PATCHLS_SOCKET, by which agents find this Neovim.
  terminal = true,
  restart = {
    --- How often a server that crashes is started again.
    tries = 5,
    --- Milliseconds before the first time; each next one waits twice as long.
    delay = 500,
  },
}

local given = {}

-- What a value must be where its type does not say it.
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

-- What is wanted of a value that does not fit, nil for one that does. What is false by
-- default is a function where it is given.
local function wanted(name, value, default)
  local rule = must[name]
  if type(value) ~= type(default) and not (default == false and type(value) == "function") then
    return default == false and "function" or type(default)
  elseif rule and not rule[2](value) then
    return rule[1]
  end
end

-- Whether a default has options of its own: one that is empty has whatever is given.
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

--- What is wrong with the options, one sentence each.
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

-- A value that does not fit is as if it were not there: one slip must not take the
-- plugin with it.
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
