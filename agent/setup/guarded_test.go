package setup

import (
	"path"
	"testing"

	"github.com/patchls/patchls/workspace/paths"
)

// projectFiles are the files of a project from which an agent starts programs or takes what it may do.
var projectFiles = map[string][]string{
	"claude":   {".mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/a.sh", ".claude/skills/a/SKILL.md", ".claude/agents/a.md", ".claude/commands/a.md"},
	"codex":    {".codex/config.toml", ".codex/hooks.json", ".codex/rules/a.rules"},
	"gemini":   {".gemini/settings.json", ".gemini/.env", ".gemini/extensions/a/gemini-extension.json", ".gemini/commands/a.toml"},
	"opencode": {"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/plugin/a.ts", ".opencode/plugins/a.ts", ".opencode/tools/a.ts", ".opencode/package.json"},
	"copilot":  {".github/hooks/a.json", ".github/copilot/settings.json", ".github/mcp.json", ".github/agents/a.md", ".mcp.json"},
	"cursor":   {".cursor/mcp.json", ".cursor/hooks.json", ".cursor/hooks/a.sh", ".cursor/cli.json", ".cursor/environment.json"},
}

// TestAgentsFilesAreGuarded: an edit of the files that Set writes, and of those that the agent takes from a project, needs
// the user's agreement.
func TestAgentsFilesAreGuarded(t *testing.T) {
	policy := paths.Policy{Roots: paths.Pin(t.TempDir())}
	for _, a := range Agents {
		names := projectFiles[a.Name]
		if len(names) == 0 {
			t.Errorf("%s has no files of projects here", a.Name)
		}
		for _, f := range a.files {
			names = append(names, path.Join(f.home, f.name))
			if f.or != "" {
				names = append(names, path.Join(f.home, f.or))
			}
		}
		for _, name := range names {
			if got, err := policy.Resolve(name, nil); err != nil || got.Guarded == nil {
				t.Errorf("%s of %s is not guarded: %+v, %v", name, a.Name, got, err)
			}
		}
	}
}
