package paths

import (
	"path/filepath"
	"slices"
)

// Guarded is a name, or a slash-separated run of names, of files by which an editor or
// another tool starts programs, or by which the user bounds what agents do, as soon as
// they are saved or a folder is opened: no build, test or terminal is between. Commands
// may read them; an edit of one is made only if the user agrees.
type Guarded struct{ Name, Why string }

// GuardedFiles are all of them. A "*" stands for any characters of a name.
var GuardedFiles = []Guarded{
	{".vscode/settings.json", "VS Code takes settings from it at once, some of which name programs that are started"},
	{".vscode/tasks.json", "VS Code starts programs that it names, also when the folder is opened"},
	{".vscode/launch.json", "VS Code starts programs that it names"},
	{".vscode/mcp.json", "VS Code starts programs that it names"},
	{"*.code-workspace", "VS Code takes settings and tasks from it"},
	{"User/settings.json", "VS Code takes all settings from it, also those of patchls"},
	{"User/tasks.json", "VS Code starts programs that it names"},
	{"User/mcp.json", "VS Code starts programs that it names"},
	{".devcontainer", "VS Code starts what it says in a container, and on this machine"},
	{".devcontainer.json", "VS Code starts what it says in a container, and on this machine"},
	{".zed/settings.json", "Zed takes settings from it at once, some of which name programs"},
	{".zed/tasks.json", "Zed starts programs that it names"},
	{".helix", "Helix takes settings from it, some of which name programs"},
	{".nvim.lua", "Neovim runs it where 'exrc' is set"},
	{".nvimrc", "Neovim runs it where 'exrc' is set"},
	{".exrc", "Vim and Neovim run it where 'exrc' is set"},
	{".lazy.lua", "Neovim runs it where the plugin lazy.nvim is used"},
	{".dir-locals*.el", "Emacs takes variables from it, some of which are run"},
	{".envrc", "direnv runs it"},
	{".claude/settings*.json", "Claude Code takes its hooks and permissions from it"},
	{".codex", "Codex takes its programs and permissions from it"},
	{".gemini/settings.json", "Gemini takes its programs and permissions from it"},
	{".cursor/mcp.json", "Cursor starts programs that it names"},
	{".cursor/hooks.json", "Cursor starts programs that it names"},
	{".mcp.json", "agents start programs that it names"},
	{".husky", "git runs hooks from it"},
	{".githooks", "git runs hooks from it"},
}

// guardedRuns are their names.
var guardedRuns = func() (runs [][]string) {
	for _, g := range GuardedFiles {
		runs = append(runs, runOf(g.Name))
	}
	return runs
}()

// guarded returns the first of GuardedFiles that a path is, nil if it is none.
func guarded(abs string, roots []root) *Guarded {
	i := -1
	named(abs, roots, func(path string) bool {
		parts := plainParts(path)
		i = slices.IndexFunc(guardedRuns, func(run []string) bool { return has(parts, run) })
		return i >= 0
	})
	if i < 0 {
		return nil
	}
	return &GuardedFiles[i]
}

// named has hit look at a path as each root that holds it calls it, slash-separated, until
// it says that this is one. So a folder with such a name can be worked in by opening it;
// nested roots are each taken as if alone. Outside of roots it looks at the whole path.
func named(abs string, roots []root, hit func(path string) bool) {
	inside := false
	for _, r := range roots {
		if rel, ok := r.below(abs); ok {
			inside = true
			if hit(filepath.ToSlash(rel)) {
				return
			}
		}
	}
	if !inside {
		hit(filepath.ToSlash(abs))
	}
}
