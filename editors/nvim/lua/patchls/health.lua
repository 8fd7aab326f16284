--- :checkhealth patchls
local oneline = require("patchls.oneline")

local M = {}

local health = vim.health or require("health")

local function check_program(cmd)
  local path = vim.fn.exepath(cmd[1])
  if path == "" then
    health.error(("the program %s was not found"):format(vim.inspect(cmd[1])), {
      "Put patchls on your PATH.",
      'Or name it: vim.g.patchls = { cmd = { "/path/to/patchls", "serve" } }',
    })
    return
  end
  local ok, job = pcall(vim.system, { path, "version" }, { text = true, timeout = 5000 })
  local done = ok and job:wait()
  if done and done.code == 0 then
    health.ok(("%s: %s"):format(path, vim.trim(done.stdout)))
  else
    local why = done and vim.trim(done.stderr or "") or tostring(job)
    health.error(("%s does not run: %s"):format(path, why), { "Install patchls again, for this machine." })
  end
end

local function check_server()
  local server, wire = require("patchls.server"), require("patchls.wire")
  local client = server.client()
  if server.gave_up then
    health.error("the server crashed too often and is not started again", { ":Patchls restart tries again." })
  elseif server.crashes > 0 then
    health.warn(("the server crashed %d times"):format(server.crashes))
  end
  if not client then
    health.info("the server is not running; it starts with the first buffer of a file")
    return
  end
  local attached = 0
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    attached = attached + (wire.version(client, bufnr) and 1 or 0)
  end
  health.ok(("attached to %d buffers, columns in %s"):format(attached, client.offset_encoding))
  if server.is_new_enough(client) then
    health.ok("the server has all that the plugin uses")
  else
    health.error("the server is too old for this plugin", { "Install the version that the plugin came with." })
  end
  for _, folder in ipairs(client.workspace_folders or {}) do
    health.info("workspace folder: " .. oneline.line(folder.name))
  end
  if not (client.workspace_folders or {})[1] then
    health.info("no workspace folder: agents reach the files that are open, and find this Neovim by those alone")
  end
end

local function check_agents()
  local status = require("patchls").status()
  for _, line in ipairs(status.server == "running" and require("patchls.status").agents(status) or {}) do
    (status.problem and health.warn or health.ok)(line)
  end
  if status.paused then
    health.warn("agents are paused", { ":Patchls resume lets them edit." })
  end
end

local function check_review(options)
  health.info("code lenses over agents' changes: " .. (options.review.codeLens and "on" or "off"))
  local waiting = require("patchls.confirm").status()
  if waiting then
    health.warn(waiting)
  end
end

local function check_buffers()
  local buffers, server = require("patchls.buffers"), require("patchls.server")
  local others = server.others()
  if others[1] then
    health.warn(("the client %s also runs patchls"):format(others[1].name), {
      "Remove it from vim.lsp.config or lspconfig: this plugin needs no configuration there.",
    })
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ":~:.")
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == "" and name ~= "" then
      local why = buffers.unwanted(bufnr)
      if why then
        health.info(("agents do not see %s: %s"):format(oneline.name(name), why))
      elseif buffers.is_changed_on_disk(bufnr) then
        health.warn(
          ("another program has changed %s on disk"):format(oneline.name(name)),
          { ":checktime loads it, if you have not changed it." }
        )
      end
    end
  end
  for _, message in ipairs(require("patchls.say").cropped) do
    health.info("you were told: " .. message)
  end
  if not vim.go.swapfile then -- the page of :checkhealth itself has none
    health.info("'swapfile' is off, so it is not noticed when another Neovim has the same file open")
  end
end

function M.check()
  (health.start or health.report_start)("patchls")
  if vim.fn.has("nvim-0.10") == 0 then
    health.report_error("patchls needs Neovim 0.10 or newer", { "See :help patchls-requirements" })
    return
  end
  local config = require("patchls.config")
  health.ok(("Neovim %s"):format(tostring(vim.version())))
  for _, fault in ipairs(config.faults()) do
    health.error(fault)
  end
  check_program(config.get().cmd)
  check_server()
  check_agents()
  check_review(config.get())
  check_buffers()
end

return M
