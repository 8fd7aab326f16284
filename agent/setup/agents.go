package setup

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// An Agent is a program that takes configuration from its user's home.
type Agent struct {
	Name  string // on the command line
	Title string
	Note  string // what the user should know before it is set up
	files []file
}

// A file is a configuration file of an agent.
type file struct {
	variable, home string // the folder is what the variable says, else home below the user's home
	name, or       string // in the folder; or is used if it exists and name does not
	parts          []part // the last one is put in last, in front of the others
	off            []part // values, as JSON, by which the user turns patchls off, at least in part
}

// A part is one value that patchls puts into a file.
type part struct {
	// At are the keys that lead to the value, from the outermost in, with dots between; the last
	// one is [element] for one of a list.
	At string `json:"at"`
	// Text is the value, as JSON, or the lines of TOML that make it, a table at the end of the file.
	Text string `json:"text"`
	// Had is how many of the keys existed before the part was put in.
	Had int `json:"had"`
}

// element stands in At for an element of a list.
const element = "[]"

func (p part) keys() []string { return strings.Split(p.At, ".") }
func (p part) inList() bool   { return strings.HasSuffix(p.At, element) }
func (p part) name() string   { return strings.TrimSuffix(p.At, "."+element) }

const toolsAreOff = "This turns its own tools for files off: where no editor runs patchls, it has none."

// Agents are the known agents.
var Agents = []Agent{
	{
		Name: "claude", Title: "Claude Code", Note: "Its own tools for files then edit in the editor where that has unsaved text, and on disk elsewhere. It no longer asks you before an edit that patchls makes.",
		files: []file{
			{"CLAUDE_CONFIG_DIR", "", ".claude.json", "", []part{
				{At: "mcpServers.patchls", Text: `{"type": "stdio", "command": "patchls", "args": ["mcp"]}`},
			}, nil},
			{"CLAUDE_CONFIG_DIR", ".claude", "settings.json", "", []part{
				{At: "permissions.allow.[]", Text: `"mcp__patchls"`},
				{At: "hooks.UserPromptSubmit.[]", Text: `{"hooks": [{"type": "command", "command": "patchls hook claude"}]}`},
				{At: "hooks.PostToolBatch.[]", Text: `{"hooks": [{"type": "command", "command": "patchls hook claude"}]}`},
				{At: "hooks.PostToolUse.[]", Text: `{"matcher": "Read", "hooks": [{"type": "command", "command": "patchls hook claude"}]}`},
				{At: "hooks.PreToolUse.[]", Text: `{"matcher": "Edit|Write|NotebookEdit|Bash", "hooks": [{"type": "command", "command": "patchls hook claude"}]}`},
			}, []part{
				{At: "disableAllHooks", Text: "true"},
				{At: "permissions.deny.[]", Text: `"mcp__patchls"`},
				{At: "deniedMcpServers.[]", Text: `{"serverName": "patchls"}`},
			}},
		},
	},
	{
		Name: "codex", Title: "Codex CLI", Note: "Codex asks you once whether it may run the hook. Until you say yes, its own patches go to disk. It does not ask you before an edit that patchls makes.",
		files: []file{
			{"CODEX_HOME", ".codex", "config.toml", "", []part{
				{At: "mcp_servers.patchls", Text: `[mcp_servers.patchls]
command = "patchls"
args = ["mcp"]
env_vars = ["PATCHLS_SOCKET"]
default_tools_approval_mode = "approve"
`},
			}, []part{{At: "features.hooks", Text: "false"}, {At: "features.codex_hooks", Text: "false"}}},
			{"CODEX_HOME", ".codex", "hooks.json", "", []part{
				{At: "hooks.UserPromptSubmit.[]", Text: `{"hooks": [{"type": "command", "command": "patchls hook codex"}]}`},
				{At: "hooks.PreToolUse.[]", Text: `{"matcher": "^(apply_patch|Bash)$", "hooks": [{"type": "command", "command": "patchls hook codex"}]}`},
			}, nil},
		},
	},
	{
		Name: "gemini", Title: "Gemini CLI", Note: toolsAreOff,
		files: []file{
			{"GEMINI_CLI_HOME", "", ".gemini/settings.json", "", []part{
				{At: "mcpServers.patchls", Text: `{"command": "patchls", "args": ["mcp"]}`},
			}, []part{{At: "mcp.excluded.[]", Text: `"patchls"`}}},
			{"GEMINI_CLI_HOME", "", ".gemini/policies/patchls.toml", "", []part{
				{At: "rule.[]", Text: `[[rule]]
toolName = ["read_file", "read_many_files", "replace", "write_file"]
decision = "deny"
priority = 100
`},
			}, nil},
		},
	},
	{
		Name: "opencode", Title: "opencode", Note: toolsAreOff,
		files: []file{{"XDG_CONFIG_HOME", ".config", "opencode/opencode.json", "opencode/opencode.jsonc", []part{
			{At: "tools.apply_patch", Text: "false"},
			{At: "tools.write", Text: "false"},
			{At: "tools.edit", Text: "false"},
			{At: "tools.read", Text: "false"},
			{At: "mcp.patchls", Text: `{"type": "local", "command": ["patchls", "mcp"]}`},
		}, []part{{At: "tools.patchls*", Text: "false"}, {At: "tools.patchls_*", Text: "false"}}}},
	},
	{
		Name: "copilot", Title: "Copilot CLI", Note: "Its own tools for files are to be turned off where it is started: copilot --excluded-tools view,edit,create",
		files: []file{{"COPILOT_HOME", ".copilot", "mcp-config.json", "", []part{
			{At: "mcpServers.patchls", Text: `{"type": "local", "command": "patchls", "args": ["mcp"], "tools": ["*"]}`},
		}, nil}},
	},
	{
		Name: "cursor", Title: "Cursor", Note: "Its own tools for files stay, and go past the editor.",
		files: []file{{"", ".cursor", "mcp.json", "", []part{
			{At: "mcpServers.patchls", Text: `{"command": "patchls", "args": ["mcp"]}`},
		}, nil}},
	},
}

// path returns the path of the file, which may not exist yet.
func (f file) path() (string, error) {
	home, err := os.UserHomeDir()
	folder, err := absolute(cmp.Or(os.Getenv(f.variable), filepath.Join(home, f.home)), err) // no variable has the name ""
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, filepath.FromSlash(f.name))
	if other := filepath.Join(folder, filepath.FromSlash(f.or)); f.or != "" && !isThere(path) && isThere(other) {
		path = other
	}
	return path, nil
}

func absolute(path string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
