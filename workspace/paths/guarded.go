package paths

import (
	"slices"
	"strings"
	"sync"
)

// Guarded are files that make an editor or another tool start programs, or that limit what agents may do.
// They take effect as soon as they are saved, or a folder, a shell or the program is opened, without a build
// or a test. Commands may read them; an edit of such a file is made only if the user agrees.
type Guarded struct {
	// Names are names of files and folders, or slash-separated runs of names. A "*" stands for any characters of
	// a name. A folder stands for all that is in it. So of a folder that has much else, such as documents
	// or whole worktrees, only the parts from which programs start are named.
	Names []string
	Why   string
}

// GuardedFiles are all guarded files, by the program that acts on them.
var GuardedFiles = []Guarded{
	{[]string{".vscode/settings.json"}, "VS Code takes settings from it at once, some of which name programs that are started"},
	{
		[]string{".vscode/tasks.json", ".vscode/launch.json", ".vscode/mcp.json", ".vscode/c_cpp_properties.json", ".vscode/cmake-kits.json", "User/tasks.json", "User/mcp.json"},
		"VS Code starts programs that it names, some of them when the folder is opened",
	},
	{[]string{"*.code-workspace"}, "VS Code takes settings and tasks from it"},
	{[]string{"User/settings.json", "User/profiles", "Machine/settings.json"}, "VS Code takes all settings from it, also those of patchls"},
	{[]string{".devcontainer", ".devcontainer.json"}, "VS Code starts what it says in a container, and on this machine"},
	{[]string{".theia", ".vs"}, "Theia and Visual Studio start programs that it names"},
	{[]string{".idea", "*.run.xml", ".fleet"}, "JetBrains' editors start programs that it names"},
	{[]string{".zed"}, "Zed takes settings from it at once, some of which name programs, and starts programs that it names"},
	{[]string{".helix"}, "Helix takes settings from it, some of which name programs"},
	{[]string{"*.sublime-project"}, "Sublime Text takes settings from it, those of its package LSP name programs"},
	{[]string{".nvim.lua", ".nvimrc"}, "Neovim runs it where 'exrc' is set"},
	{[]string{".exrc", "_exrc", ".vimrc", "_vimrc"}, "Vim and Neovim run it where 'exrc' is set"},
	{[]string{".lazy.lua", ".lvimrc", ".local.vimrc", ".vimrc.lua"}, "Vim and Neovim run it where a plugin for settings of folders is used"},
	{[]string{".vim/coc-settings.json", ".neoconf.json", ".nlsp-settings", ".vimspector.json"}, "plugins of Vim and Neovim start programs that it names"},
	{[]string{".dir-locals*.el"}, "Emacs takes variables from it, some of which are run"},
	{[]string{".config/nvim", ".vim", ".emacs*", ".config/emacs", ".config/helix", ".config/kak"}, "an editor runs it, or programs that it names, when it starts"},
	{[]string{".cargo/config*", "rust-toolchain*", ".config/go/env"}, "language servers of Rust and Go start programs that it names when a file is saved"},

	{[]string{".mcp.json", ".mcphub"}, "agents start programs that it names"},
	{
		[]string{".claude.json", ".claude/settings*.json", ".claude/hooks", ".claude/plugins", ".claude/agents", ".claude/commands", ".claude/skills"},
		"Claude Code takes its programs, hooks and permissions from it",
	},
	{[]string{".codex"}, "Codex takes its programs and permissions from it"},
	{[]string{".gemini"}, "Gemini takes its programs and permissions from it"},
	{
		[]string{"opencode.json*", ".opencode.json*", ".opencode/opencode.json*", ".opencode/package.json", ".opencode/plugin*", ".opencode/tool*", ".opencode/agent*", ".opencode/command*", ".opencode/mode*", ".opencode/skill*"},
		"opencode takes its programs and permissions from it",
	},
	{
		[]string{".copilot", ".github/hooks", ".github/copilot", ".github/agents", ".github/skills", ".github/mcp.json", ".github/lsp.json", ".github/github-app.yml"},
		"Copilot takes its programs, hooks and permissions from it",
	},
	{[]string{".cursor/*.json", ".cursor/hooks", ".cursor/plugins", ".cursor/agents", ".cursor/commands", ".cursor/skills"}, "Cursor takes its programs, hooks and permissions from it"},
	{[]string{".windsurf", ".codeium", ".devin"}, "Windsurf takes its programs, hooks and permissions from it"},
	{[]string{".kiro/hooks", ".kiro/settings", ".kiro/agents"}, "Kiro takes its programs, hooks and permissions from it"},
	{[]string{".cline", ".clinerules/hooks", ".roo/*.json", ".roomodes", ".kilo", ".kilocode/*.json", ".kilocodemodes"}, "Cline and its relatives take their programs and permissions from it"},
	{
		[]string{".qwen", ".junie/*.json", ".junie/mcp", ".continue", ".continuerc.json", ".amp", ".amazonq/*.json", ".amazonq/*agents", ".factory", ".augment", ".trae", ".goose", "crush.json", ".crush.json", ".aider.conf.yml"},
		"an agent takes its programs and permissions from it",
	},

	{[]string{".envrc"}, "direnv runs it"},
	{[]string{"mise*.toml", ".mise*", ".config/mise"}, "mise runs programs that it names when a shell enters the folder"},
	{
		[]string{".bash*", ".zsh*", ".zprofile", ".zlogin", ".zlogout", ".profile", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xprofile", ".xinitrc", "fish/config.fish", "fish/conf.d", "fish/functions", "fish/completions", "*profile.ps1", ".tmux.conf", ".screenrc"},
		"shells and terminals run it when they start",
	},
	{[]string{".config/autostart", ".config/systemd", "Library/LaunchAgents", "Programs/Startup"}, "the system starts programs that it names when the user logs in"},
	{[]string{".gdbinit", ".lldbinit", ".pdbrc", ".Rprofile", ".irbrc", ".pryrc", ".psqlrc", ".sqliterc"}, "a debugger or an interpreter runs it when it starts"},
	{[]string{".ripgreprc"}, "ripgrep starts a program that it names"},
	{[]string{".ssh"}, "ssh starts programs that it names, and lets in whom it names"},
	{[]string{".gitconfig", ".config/git"}, "git starts programs that it names"},
	{[]string{".hg", ".hgrc", ".jj", ".sl"}, "version control starts programs that it names"},
	{[]string{".husky", ".githooks", ".pre-commit-config.yaml", "lefthook*.yml", "lefthook*.yaml", "lefthook*.toml", "lefthook*.json", ".lefthook*", ".overcommit.yml"}, "git runs hooks from it, or hooks that it names"},
}

// guardedName is a name of GuardedFiles, in its parts.
type guardedName struct {
	parts []string
	of    *Guarded
}

// guardedNames are all names of GuardedFiles, by the first byte of what may have such a name. Each of a path's parts is
// compared with them, and a patch may have ten thousand paths.
var guardedNames = sync.OnceValue(func() *[256][]guardedName {
	var by [256][]guardedName
	for i, g := range GuardedFiles {
		for _, name := range g.Names {
			parts := strings.Split(name, "/")
			for b := range by {
				if mayBe(string([]byte{byte(b)}), parts[0]) {
					by[b] = append(by[b], guardedName{parts, &GuardedFiles[i]})
				}
			}
		}
	}
	return &by
})

// guarded returns one of GuardedFiles that a path matches, or nil if there is none.
func guarded(abs string, roots []Root) *Guarded {
	for _, path := range namesOf(abs, roots) {
		parts := plainParts(path)
		for i, part := range parts {
			if part == "" {
				continue
			}
			for _, name := range guardedNames()[part[0]] {
				if end := i + len(name.parts); end <= len(parts) && slices.EqualFunc(parts[i:end], name.parts, sameName) {
					return name.of
				}
			}
		}
	}
	return nil
}
