package paths

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// protects returns the first protected name that a path contains, or "" if it contains none.
func (p Policy) protects(abs string, roots []root) (name string) {
	for _, path := range namesOf(abs, roots) {
		name = cmp.Or(name, p.protectedName(path))
	}
	return name
}

// protectedName returns the protected name that the slash-separated path
// contains, "" if it contains none.
func (p Policy) protectedName(path string) string {
	parts := plainParts(path)
	if has(parts, ".git") {
		return ".git"
	}
	for _, name := range p.Protected {
		if has(parts, name) {
			return name
		}
	}
	return ""
}

// plainParts returns the names of a slash-separated path as some file system reads them.
// As in git (core.protectNTFS, core.protectHFS), the rules of all file systems apply
// everywhere: a volume may be mounted from another system.
func plainParts(path string) []string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		plain := strings.Map(func(r rune) rune { // HFS+ does not see these
			switch {
			case 0x200c <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x206a <= r && r <= 0x206f, r == 0xfeff:
				return -1
			}
			return r
		}, part)
		plain, _, _ = strings.Cut(plain, ":")     // NTFS: a stream of the file
		parts[i] = strings.TrimRight(plain, ". ") // Windows drops these
	}
	return parts
}

// has reports whether the plain parts of a path contain a slash-separated run of names.
func has(parts []string, run string) bool {
	names := strings.FieldsFunc(run, func(r rune) bool { return r == '/' })
	for i := range len(parts) - len(names) + 1 {
		if len(names) > 0 && mayBe(parts[i], names[0]) && slices.EqualFunc(parts[i:i+len(names)], names, sameName) {
			return true
		}
	}
	return false
}

// mayBe reports whether sameName may be true, judging by the first characters alone. It exists for
// speed: a patch may have ten thousand paths of 500 parts, and each part is compared with each name.
func mayBe(plain, name string) bool {
	if plain == "" || name[0] == '*' {
		return true
	}
	same := func(a, b byte) bool { return a|0x20 == b|0x20 || a >= utf8.RuneSelf || b >= utf8.RuneSelf }
	long := strings.TrimLeft(name, ".")
	return same(plain[0], name[0]) || long == "" || same(plain[0], long[0])
}

// sameName reports whether some file system opens the file name, in which a "*" stands
// for any characters, when asked for the plain part of a path.
func sameName(plain, name string) bool {
	if strings.EqualFold(plain, name) {
		return true
	}
	if head, tail, ok := strings.Cut(name, "*"); ok && len(plain) >= len(head)+len(tail) &&
		strings.EqualFold(plain[:len(head)], head) && strings.EqualFold(plain[len(plain)-len(tail):], tail) {
		return true
	}
	stem, number, ok := strings.Cut(plain, "~") // NTFS: the short name of ".git" is GIT~1
	number, _, _ = strings.Cut(number, ".")
	if !ok || len(number) != 1 || number[0]-'0' > 9 {
		return false
	}
	long := strings.ReplaceAll(name, ".", "")
	return strings.EqualFold(stem, long[:min(len(long), 6)])
}

// Guarded is a name, or a slash-separated run of names, of files that make an editor or
// another tool start programs, or that limit what agents may do. They take effect as soon
// as they are saved or a folder is opened, without a build, a test or a terminal. Commands
// may read them; an edit of such a file is made only if the user agrees.
type Guarded struct{ Name, Why string }

// GuardedFiles are all guarded files. A "*" stands for any characters of a name.
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

// guarded returns the first of GuardedFiles that a path matches, or nil if there is none.
func guarded(abs string, roots []root) *Guarded {
	for _, path := range namesOf(abs, roots) {
		parts := plainParts(path)
		if i := slices.IndexFunc(GuardedFiles, func(g Guarded) bool { return has(parts, g.Name) }); i >= 0 {
			return &GuardedFiles[i]
		}
	}
	return nil
}

// namesOf returns a path relative to each root that holds it, slash-separated. So the user
// can work in a folder with a protected name by opening that folder; each of several nested
// roots counts as if alone. A path outside the roots is returned whole.
func namesOf(abs string, roots []root) (names []string) {
	for _, r := range roots {
		if rel, ok := r.below(abs); ok {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	if len(names) == 0 {
		return []string{filepath.ToSlash(abs)}
	}
	return names
}
