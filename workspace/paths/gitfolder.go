package paths

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchls/patchls/internal/lists"
)

// Git takes a folder for a repository by what is in it, whatever the folder is called, and starts programs that its
// config and its hooks name: in an editor or a shell, it is enough that the user goes there.

// gitNames are the names in a folder of git of what git acts on. A folder with the first three, or with the first and the
// fourth, is a folder of git.
var gitNames = []string{"HEAD", "objects", "refs", "commondir", "config", "config.worktree", "gitdir", "hooks", "info", "modules", "worktrees", "remotes", "branches", "rebase-merge", "rebase-apply", "sequencer"}

// The parts of a folder by which it is one of git, as bits in the order of gitNames.
const (
	gitHead = 1 << iota
	gitObjects
	gitRefs
	gitCommon
	gitMakes = iota // how many they are
)

// inGit is a folder that may be one of git, and the name in gitNames of what a path has there.
type inGit struct {
	folder string
	name   int
}

// inGit returns the folders above a file that may be folders of git, since the file is or is in what gitNames name.
func (t Target) inGit() (found []inGit) {
	real := t.real
	if real == "" {
		real, _ = t.Identity().FilePath()
	}
	real = filepath.ToSlash(real)
	parts := strings.Split(real, "/")
	for i, plain := range plainParts(real) {
		if n := slices.IndexFunc(gitNames, func(name string) bool { return mayBe(plain, name) && sameName(plain, name) }); n >= 0 {
			found = append(found, inGit{strings.Join(parts[:i], "/") + "/", n})
		}
	}
	return found
}

// key is the same for all spellings of a folder that some file system takes for one.
func (g inGit) key() Key { return FileKey(strings.ToLower(folded(g.folder))) }

// MayMakeGit returns a key for each folder that the file at t could make a folder of git. Commands that make such files in
// one folder must not run at the same time, or neither sees that the folder is complete.
func (t Target) MayMakeGit() []Key {
	return lists.FilterMap(t.inGit(), func(g inGit) (Key, bool) { return g.key(), g.name < gitMakes })
}

// GuardGit sets Guarded of the targets that belong to a folder of git, or would once all of them and the open documents
// are on disk. It looks at each folder on disk once. open returns the open documents.
func GuardGit(open func() []Key, targets ...*Target) {
	has := map[Key]uint{} // what folders have that the disk may not have
	note := func(t Target) (in []inGit) {
		in = t.inGit()
		for _, g := range in {
			has[g.key()] |= 1 << g.name
		}
		return in
	}
	inside := map[*Target][]inGit{}
	for _, t := range targets {
		if in := note(*t); len(in) > 0 {
			inside[t] = in
		}
	}
	if len(inside) == 0 {
		return
	}
	for _, key := range open() {
		abs, _ := key.FilePath()
		note(Target{Key: key, Abs: abs})
	}
	looked := map[Key]bool{}
	for t, in := range inside {
		for _, g := range in {
			key := g.key()
			if !looked[key] {
				looked[key], has[key] = true, has[key]|onDisk(g.folder)
			}
			if t.Guarded == nil && isGit(has[key]) {
				t.Guarded = &Guarded{Why: fmt.Sprintf("git takes the folder %s for a repository, and starts programs that are named there", OneLine(filepath.Base(g.folder), maxShownFolder))}
			}
		}
	}
}

// maxShownFolder is how many characters of the name of a folder a reason has.
const maxShownFolder = 40

// isGit reports whether git takes a folder with these parts for one of its own.
func isGit(parts uint) bool {
	const whole = gitHead | gitObjects | gitRefs
	return parts&whole == whole || parts&gitHead != 0 && parts&gitCommon != 0
}

// onDisk returns which parts of a folder of git the disk has.
func onDisk(folder string) (parts uint) {
	for n, name := range gitNames[:gitMakes] {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			parts |= 1 << n
		}
	}
	return parts
}

// WorkTree returns the top of the work tree of git that holds a folder, an absolute path; "" if none does.
func WorkTree(folder string) string {
	if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil || folder == "" {
		return folder
	}
	if up := filepath.Dir(folder); up != folder {
		return WorkTree(up)
	}
	return ""
}
