package paths

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
)

func TestProtectedPaths(t *testing.T) {
	git := []string{"work/.git/config"}
	for _, s := range []scene{
		{name: "inside .git", files: git, path: ".git/config"},
		{name: ".git itself", files: git, path: ".git"},
		{name: "a file to be made in .git", files: git, path: ".git/hooks/pre-commit"},
		{name: "a worktree's .git file", files: []string{"work/.git"}, path: ".git"},
		{name: "the .git of a submodule", files: []string{"work/sub/.git"}, path: "sub/.git"},
		{name: "in capitals", path: ".GIT/config"},
		{name: "in mixed case", path: "sub/.Git/config"},
		{name: "by absolute path", files: git, path: "$/work/.git/config"},
		{name: "by URI", files: git, path: "file://$/work/%2Egit/config"},
		{name: "by dots", files: git, path: "src/../.git/config"},
		{name: "with a trailing dot, which Windows drops", path: ".git./config"},
		{name: "with a trailing blank, which Windows drops", path: ".git /config"},
		{name: "as an NTFS stream", path: ".git::INDEX_ALLOCATION/config"},
		{name: "by its short name on NTFS", path: "GIT~1/config"},
		{name: "by a later short name on NTFS", path: "git~9"},
		{name: "with a character that HFS+ ignores", path: ".g\u200cit/config"},
		{name: "with a blank of no width", path: ".gi\u200bt/config"},
		{name: "with a soft hyphen", path: ".g\u00adit/config"},
		{name: "with a variation selector", path: ".git\ufe0f/config"},
		{name: "with a joiner of graphemes", path: ".g\u034fit/config"},
		{name: "with a ligature", policy: Policy{Protected: []string{"\ufb01le.key"}}, path: "FILE.key"},
		{name: "composed otherwise", policy: Policy{Protected: []string{"schl\u00fcssel"}}, path: "Schlu\u0308ssel/a"},
		{name: "behind a linked folder", files: git, links: map[string]string{"work/l": ".git"}, path: "l/config"},
		{name: "behind a linked file", files: git, links: map[string]string{"work/l.txt": ".git/config"}, path: "l.txt"},
		{name: "behind a dangling link", files: git, links: map[string]string{"work/l.txt": ".git/new"}, path: "l.txt"},
		{name: "a link in .git that leads out of it", files: []string{"work/a.go"}, links: map[string]string{"work/.git/l.go": "../a.go"}, path: ".git/l.go"},
		{name: "also where the file is open", files: git, open: []string{"work/.git/config"}, path: ".git/config"},
		{name: "also where the target of a link is open", files: git, links: map[string]string{"work/l": ".git"}, open: []string{"work/.git/config"}, path: "l/config"},
		{name: "also where outside is allowed", policy: Policy{AllowOutside: true}, path: "$/other/.git/config"},
		{name: "rather than outside", path: "../other/.git/config"},
		{name: "in a root that is nested in another", roots: []string{"work", "work/.git"}, files: git, path: "$/work/.git/config"},
		{name: "also where the settings name others", policy: Policy{Protected: []string{"secrets"}}, files: git, path: ".git/config"},
		{name: "a name from the settings", policy: Policy{Protected: []string{"secrets"}}, path: "a/Secrets/key"},
		{name: "a name of any ending from the settings", policy: Policy{Protected: []string{"*.key"}}, path: "a/My.KEY"},
		{name: "several names from the settings", policy: Policy{Protected: []string{"etc/prod/"}}, path: "a/etc/prod/key"},
	} {
		s.kind, s.says = edits.Protected, "protected"
		t.Run(s.name, s.test)
	}
}

func TestNotProtected(t *testing.T) {
	for _, s := range []scene{
		{name: "names that only begin like .git", path: ".github/x.yml", want: "work/.github/x.yml", shown: ".github/x.yml"},
		{name: ".gitignore", path: ".gitignore", want: "work/.gitignore", shown: ".gitignore"},
		{name: "git without a dot", path: "git/a.go", want: "work/git/a.go", shown: "git/a.go"},
		{name: "a root inside of .git", roots: []string{".git/modules/m"}, files: []string{".git/modules/m/"}, path: "config", want: ".git/modules/m/config", shown: "config"},
		{name: "a linked root inside of .git", roots: []string{"link"}, files: []string{".git/m/a"}, links: map[string]string{"link": ".git/m"}, path: "$/.git/m/a", want: "link/a", shown: "a"},
		{name: "a backup's name", path: "a~1", want: "work/a~1", shown: "a~1"},
		{name: "a short name with two digits", path: "git~10", want: "work/git~10", shown: "git~10"},
		{name: "what is no short name", path: "git~a", want: "work/git~a", shown: "git~a"},
		{name: "part of a run of names", policy: Policy{Protected: []string{"etc/prod"}}, path: "etc/test/prod", want: "work/etc/test/prod", shown: "etc/test/prod"},
		{name: "an empty name in the settings", policy: Policy{Protected: []string{"", "/"}}, path: "a.go", want: "work/a.go", shown: "a.go"},
	} {
		t.Run(s.name, s.test)
	}
}

// TestGuardedFiles: an edit of these files needs the consent of the user, by whichever name.
func TestGuardedFiles(t *testing.T) {
	for _, s := range []scene{
		{name: "VS Code's settings", path: ".vscode/settings.json", says: ".vscode/settings.json"},
		{name: "in a folder below", path: "sub/.VSCode/Settings.json", says: ".vscode/settings.json"},
		{name: "by its short name on NTFS", path: ".vscode/SETTIN~1.JSO", says: ".vscode/settings.json"},
		{name: "any workspace file", path: "a.code-workspace", says: "*.code-workspace"},
		{name: "local settings of an agent", path: ".claude/settings.local.json", says: ".claude/settings*.json"},
		{name: "all that is in a folder", path: ".codex/a/b.toml", says: ".codex"},
		{name: "behind a link", files: []string{"work/.husky/"}, links: map[string]string{"work/l": ".husky"}, path: "l/pre-commit", says: ".husky"},
		{name: "a link of that name", files: []string{"work/a"}, links: map[string]string{"work/.envrc": "a"}, path: ".envrc", says: ".envrc"},
		{name: "where it is open", open: []string{"home/.config/Code/User/settings.json"}, path: "$/home/.config/Code/User/settings.json", says: ".config/*/User"},
		{name: "an agent's folder in a worktree of its own", path: ".claude/worktrees/a/.claude/hooks/x.sh", says: ".claude/hooks"},
		{name: "Copilot's hooks", path: ".github/hooks/x.json", says: ".github/hooks"},
		{name: "both kinds of JSON", path: "sub/opencode.jsonc", says: "opencode.jsonc"},
		{name: "a shell's file", path: ".bash_profile", says: ".bash_profile"},
		{name: "a file by its end", path: "a/b.sublime-project", says: "*.sublime-project"},
		{name: "programs of a build at each save", path: "sub/.cargo/config.toml", says: ".cargo/config.toml"},
		{name: "a compiler in a folder", path: "rust-toolchain.toml", says: "rust-toolchain.toml"},
		{name: "programs at each commit", path: ".pre-commit-config.yaml", says: ".pre-commit-config.yaml"},
		{name: "a list of hooks for one user", path: "lefthook-local.yml", says: "lefthook*.yml"},
		{name: "what an editor runs first", path: "dot/.config/nvim/after/plugin/a.lua", says: ".config/nvim"},
		{name: "Emacs' first file", path: ".emacs.d/init.el", says: ".emacs.d"},
		{name: "a function in place of a command", path: ".config/fish/functions/ls.fish", says: ".config/fish"},
		{name: "what starts at login", path: ".config/autostart/a.desktop", says: ".config/autostart"},
		{name: "an interpreter's first file", path: ".irbrc", says: ".irbrc"},
		{name: "the settings of all windows on a Mac", path: "Library/Application Support/Code - Insiders/User/settings.json", says: "Application*Support/*/User"},
		{name: "the settings of an editor made of VS Code", path: "AppData/Roaming/VSCodium/User/profiles/a/tasks.json", says: "AppData/Roaming/*/User"},
		{name: "the settings of a server of VS Code", path: ".vscode-server-insiders/data/Machine/settings.json", says: ".vscode-server*/data/Machine"},
		{name: "PowerShell's first file", path: ".config/powershell/Microsoft.PowerShell_profile.ps1", says: "PowerShell/*profile.ps1"},
		{name: "settings of mise for one user", path: "sub/mise.local.toml", says: "mise.*.toml"},
		{name: "settings of mise in a folder", path: "mise/config.toml", says: "mise/config.toml"},
		{name: "programs at each commit, by another program", path: "prek.toml", says: "prek.toml"},
		{name: "what hooks of husky run first", path: ".huskyrc.js", says: ".huskyrc.*"},
		{name: "what Haskell's server runs", path: "sub/hie.yaml", says: "hie.yaml"},
		{name: "what Scala's server runs", path: ".bsp/sbt.json", says: ".bsp"},
		{name: "what Swift's server runs", path: "buildServer.json", says: "buildServer.json"},
		{name: "what ghci runs", path: ".ghci", says: ".ghci"},
		{name: "what iex runs", path: ".iex.exs", says: ".iex.exs"},
		{name: "what utop runs", path: ".ocamlinit", says: ".ocamlinit"},
		{name: "what Ruby's debuggers run", path: ".rdbgrc", says: ".rdbgrc"},
		{name: "what Ruby's older debugger runs", path: ".byebugrc", says: ".byebugrc"},
		{name: "skills of any agent", path: ".agents/skills/a/run.sh", says: ".agents/skills"},
		{name: "a user's own settings of Zed", path: ".config/zed/tasks.json", says: ".config/zed"},
		{name: "what a terminal starts", path: "dot/.config/kitty/kitty.conf", says: ".config/kitty"},
		{name: "what a window manager starts", path: ".config/hypr/hyprland.conf", says: ".config/hypr"},
		{name: "direnv for all folders", path: ".direnvrc", says: ".direnvrc"},
		{name: "Vim's keys in JetBrains' editors", path: ".ideavimrc", says: ".ideavimrc"},
		{name: "a program's own users", path: "src/user/settings.json"},
		{name: "a program's own profiles", path: "app/User/profiles/a.ts"},
		{name: "a script about profiles", path: "scripts/Set-Profile.ps1"},
		{name: "words on a compiler", path: "docs/rust-toolchain.md"},
		{name: "a schema of settings", path: "opencode.json5.schema"},
		{name: "a program like mise", path: "misery.toml"},
		{name: "a shell's past", path: ".bash_history"},
		{name: "an editor's words", path: ".emacs-notes.org"},
		{name: "a program's description of settings", path: ".cargo/config-notes.md"},
		{name: "a program about fish", path: "fish/functions/swim.go"},
		{name: "other files of agents", path: ".agents/notes.md"},
		{name: "a package of Rust", path: "Cargo.toml"},
		{name: "what cargo has fetched", path: ".cargo/registry/a.rs"},
		{name: "a package of Node", path: "package.json"},
		{name: "a plugin for Neovim", path: "editors/nvim/lua/a.lua"},
		{name: "a program about hooks", path: "lefthook/lefthook.go"},
		{name: "no settings", path: ".vscode/other.json"},
		{name: "a worktree in an agent's folder", path: ".claude/worktrees/a/src/main.go"},
		{name: "a plan in an agent's folder", path: ".opencode/plans/a.md"},
		{name: "a specification in an agent's folder", path: ".kiro/specs/a.md"},
		{name: "a rule in words", path: ".cursor/rules/a.mdc"},
		{name: "a workflow", path: ".github/workflows/ci.yml"},
		{name: "instructions", path: ".github/copilot-instructions.md"},
		{name: "a folder that ends as a guarded one", path: "x.ssh/a"},
		{name: "half a name", path: "vscode/settings.json"},
		{name: "a root of that name", roots: []string{".codex"}, path: "a.toml"},
		{name: "a plain file", path: "settings.json"},
	} {
		t.Run(s.name, func(t *testing.T) {
			_, got, err := s.resolve(t)
			if err != nil {
				t.Fatal(err)
			}
			if s.says == "" && got.Guarded != nil || s.says != "" && (got.Guarded == nil || !slices.Contains(got.Guarded.Names, s.says)) {
				t.Errorf("%s is guarded by %+v, want %q", s.path, got.Guarded, s.says)
			}
		})
	}
}

// Paths whose names cannot be resolved from the top of the volume, and roots that no
// client should send.
func TestOddRoots(t *testing.T) {
	for _, s := range []scene{
		{name: "the top of the volume", policy: Policy{Roots: Pin("/")}, roots: []string{}, files: []string{"a.go"}, path: "$/a.go", want: "a.go", notAsWin: true},
		{name: "a root with a trailing slash and dots", policy: Policy{Roots: Pin("/x/../")}, roots: []string{}, files: []string{"a.go"}, path: "$/a.go", want: "a.go", notAsWin: true},
		{name: "a root that is no absolute path is none", policy: Policy{Roots: Pin("", "x")}, files: []string{"work/a.go"}, path: "a.go", want: "work/a.go"},
		{name: "a root that is a circle of links", links: map[string]string{"a": "b", "b": "a"}, roots: []string{"a", "work"}, files: []string{"work/a.go"}, path: "$/work/a.go", want: "work/a.go"},
		{name: "a root that does not exist", roots: []string{"gone"}, path: "a.go", want: "gone/a.go"},
	} {
		t.Run(s.name, func(t *testing.T) {
			dir, got, err := s.resolve(t)
			if err != nil || got.Abs != dir.path(s.want) {
				t.Errorf("Resolve(%q) = %+v, %v, want %s", s.path, got, err, dir.path(s.want))
			}
		})
	}
}

func TestRelativeRootsAreNone(t *testing.T) {
	_, err := Policy{Roots: Pin("", "x")}.Resolve("a.go", nil)
	wantKind(t, err, edits.InvalidParams, "no workspace folder")
}

// git's list for HFS+ (utf8.c, next_hfs_char), and others that Unicode calls ignorable.
func TestCharactersThatFileSystemsIgnore(t *testing.T) {
	for _, r := range "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u206a\u206b\u206c\u206d\u206e\u206f\ufeff\u200b\u2069\u00ad\u034f\u115f\ufe0f" {
		if !has(plainParts(".gi"+string(r)+"t"), ".git") {
			t.Errorf("U+%04X hides a .git", r)
		}
	}
	for _, r := range "\u2010\u2029\u202f\u2070" {
		if has(plainParts(".gi"+string(r)+"t"), ".git") {
			t.Errorf("U+%04X is taken for nothing", r)
		}
	}
}

// Disks that ignore case fold one letter to several, and see a composed letter where a character that they ignore is within.
func TestSpellingsThatFileSystemsTakeForOne(t *testing.T) {
	p := Policy{Protected: []string{"passwords", "cl\u00e9s", "Stra\u00dfe", "a/o\ufb03ce", "\u0390", "\uac00"}}
	for _, path := range []string{
		"pa\u00dfwords", "PA\u1e9eWORDS", "pa\u017fswords/x", "p\u00adasswords", "\uff50asswords",
		"cle\u200d\u0301s", "cl\u00e9s", "CLE\u0301S", "cle\u034f\u0301s", "cle\ufe0f\u0301s",
		"STRASSE", "strasse/x", "stra\u1e9ee", "a/office", "A/O\uff26\ufb01CE", "\u1fd3", "\u0399\u0308\u0301", "\u1100\u200b\u1161", "\u1100\uffa0\u1161",
	} {
		if p.protectedName(path) == "" {
			t.Errorf("%q is not protected", path)
		}
	}
	for _, path := range []string{"pasword", "pa\u03b2words", "cles", "cle\u2010\u0301s", "strase", "\u03b9", "a/ofice", "\u1100"} {
		if hit := p.protectedName(path); hit != "" {
			t.Errorf("%q is taken for %q", path, hit)
		}
	}
	for _, path := range []string{".\u00dfh/config", ".S\u017fH/config", ".\u1e9eH/x", ".vscode/ta\u017fks.json", ".con\ufb01g/fish/config.fish", ".hu\u200dsky/x", ".ba\u017fhrc", ".devco\u0578x"} {
		if want := path != ".devco\u0578x"; (guarded(path, nil) != nil) != want {
			t.Errorf("%q: guarded %t", path, !want)
		}
	}
}

// If the first characters of a name rule it out, it is not that name.
func TestFirstCharactersRuleOutNoName(t *testing.T) {
	parts := []string{"", "a", "A", ".", ".a", "a.b", "é", "É", "\u212a", "k", "K", "ſ", "s", "~1", "a~1", "kas~1", "ſa~1", "*", "[", "{"}
	names := []string{"*", "a*", ".a", ".a.b", "..", "*a", ".é", "é", "k", ".kas", ".sa", "s", "[", "{", ".*", "..a"}
	for _, a := range parts {
		for _, b := range append(parts, "b", "~1") {
			for _, name := range names {
				if sameName(a+b, name) && !mayBe(a+b, name) {
					t.Errorf("%q is %q", a+b, name)
				}
			}
		}
	}
}

// TestShortNames: each name of the list is known by the short names that NTFS makes of it.
func TestShortNames(t *testing.T) {
	for _, g := range GuardedFiles() {
		for _, run := range g.Names {
			for _, chars := range []string{"", "x", "-local", ".of a.b"} {
				parts := strings.Split(strings.ReplaceAll(run, "*", chars), "/")
				for i, name := range parts {
					for _, short := range shortNames(name) {
						path := strings.Join(slices.Concat(parts[:i], []string{short}, parts[i+1:]), "/")
						if guarded("/"+path, nil) == nil {
							t.Errorf("%s is not guarded, which may be %s", path, strings.Join(parts, "/"))
						}
					}
				}
			}
		}
	}
	for _, path := range []string{"/.vscode/TASK~1.JSO", "/.vscode/TASKSX~1.JSO", "/.vscode/TASKS~1.JS", "/.vscode/TASKS~1.TXT", "/.vscode/TASKS~1", "/a/MCP~12.JSO", "/a/MCP~.JSO", "/a~1.txt", "/GITIGN~1"} {
		if g := guarded(path, nil); g != nil {
			t.Errorf("%s is guarded as %v", path, g.Names)
		}
	}
}

// shortNames returns names that NTFS may give a file beside its long one; none if the long one is short. The fifth and later
// files of one beginning get a number made of the whole name.
func shortNames(name string) []string {
	cut := func(s string, most int) string { return s[:min(len(s), most)] }
	long := strings.ReplaceAll(strings.TrimLeft(name, "."), " ", "")
	base, end := long, ""
	if i := strings.LastIndexByte(long, '.'); i >= 0 {
		base, end = strings.ReplaceAll(long[:i], ".", ""), "."+cut(long[i+1:], 3)
	}
	if len(base) <= 8 && base+end == name || base == "" {
		return nil
	}
	end = strings.ToUpper(end)
	return []string{strings.ToUpper(cut(base, 6)) + "~1" + end, strings.ToUpper(cut(base, 6)) + "~4" + end, strings.ToUpper(cut(base, 2)) + "0AF9~1" + end}
}
