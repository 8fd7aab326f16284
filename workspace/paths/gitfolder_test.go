package paths

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

// gitGuarded returns which of the names in dir, all of which one command changes, are guarded as parts of a folder of git.
func gitGuarded(t *testing.T, dir folder, open []string, names ...string) (guarded []string) {
	t.Helper()
	var keys []Key
	for _, name := range open {
		keys = append(keys, FileKey(dir.path(name)))
	}
	var targets []*Target
	for _, name := range names {
		target, err := Policy{Roots: Pin(string(dir))}.Resolve(name, opens(keys...))
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, &target)
	}
	GuardGit(func() []Key { return keys }, targets...)
	for i, target := range targets {
		if target.Guarded != nil {
			guarded = append(guarded, names[i])
		}
	}
	return guarded
}

// TestGitFolders: the files of a folder that git takes for a repository are guarded, whatever the folder is called, and so
// is the file that makes it one.
func TestGitFolders(t *testing.T) {
	bare := []string{"d/HEAD", "d/objects/", "d/refs/"}
	for name, c := range map[string]struct {
		disk, open, changed, want []string
	}{
		"all at once":            {nil, nil, []string{"d/HEAD", "d/objects/.keep", "d/refs/.keep", "d/config", "d/readme.md"}, []string{"d/HEAD", "d/objects/.keep", "d/refs/.keep", "d/config"}},
		"the config last":        {bare, nil, []string{"d/config"}, []string{"d/config"}},
		"HEAD last":              {[]string{"d/objects/", "d/refs/", "d/config"}, nil, []string{"d/HEAD"}, []string{"d/HEAD"}},
		"an object last":         {[]string{"d/HEAD", "d/refs/", "d/config"}, nil, []string{"d/objects/x"}, []string{"d/objects/x"}},
		"a reference last, deep": {[]string{"d/HEAD", "d/objects/", "d/config"}, nil, []string{"d/refs/heads/a/b"}, []string{"d/refs/heads/a/b"}},
		"the common folder":      {[]string{"d/HEAD"}, nil, []string{"d/commondir"}, []string{"d/commondir"}},
		"HEAD of a worktree":     {[]string{"d/commondir"}, nil, []string{"d/HEAD"}, []string{"d/HEAD"}},
		"what is open is there":  {[]string{"d/HEAD"}, []string{"d/refs/x"}, []string{"d/objects/x"}, []string{"d/objects/x"}},
		"by another spelling":    {nil, nil, []string{"stra\u00dfe/HEAD", "STRASSE/objects/x", "stra\u017f\u200dse/refs/x"}, []string{"stra\u00dfe/HEAD", "STRASSE/objects/x", "stra\u017f\u200dse/refs/x"}},
		"open by another case":   {nil, []string{"D/Head", "d/Refs/x"}, []string{"d/OBJECTS/x"}, []string{"d/OBJECTS/x"}},
		"by its short name":      {[]string{"d/HEAD", "d/refs/"}, nil, []string{"d/OBJECT~1/x"}, []string{"d/OBJECT~1/x"}},
		"hooks":                  {bare, nil, []string{"d/hooks/post-checkout", "d/info/attributes", "d/config.worktree"}, []string{"d/hooks/post-checkout", "d/info/attributes", "d/config.worktree"}},
		"addresses and what goes on later": {
			bare, nil, []string{"d/remotes/origin", "d/branches/b", "d/rebase-merge/git-rebase-todo", "d/rebase-apply/0001", "d/sequencer/opts", "d/REBASE~1/x"},
			[]string{"d/remotes/origin", "d/branches/b", "d/rebase-merge/git-rebase-todo", "d/rebase-apply/0001", "d/sequencer/opts", "d/REBASE~1/x"},
		},
		"the top of the workspace":        {[]string{"HEAD", "objects/"}, nil, []string{"refs/x"}, []string{"refs/x"}},
		"one of another":                  {[]string{"a/b.git/HEAD", "a/b.git/objects/", "a/b.git/refs/"}, nil, []string{"a/b.git/config"}, []string{"a/b.git/config"}},
		"a worktree in a bare repository": {bare, nil, []string{"d/main/src/a.go", "d/main/config"}, nil},
		"other files in it":               {bare, nil, []string{"d/description", "d/readme.md"}, nil},
		"one part too few":                {[]string{"d/HEAD", "d/objects/"}, nil, []string{"d/config"}, nil},
		"no HEAD":                         {[]string{"d/objects/", "d/refs/", "d/commondir"}, nil, []string{"d/config", "d/hooks/x"}, nil},
		"in two folders":                  {[]string{"a/HEAD", "a/objects/", "b/refs/"}, nil, []string{"b/config", "a/config"}, nil},
		"a folder of hooks":               {nil, nil, []string{"src/hooks/useThing.ts", "src/config/a.ts", "src/info/x", "src/branches/a.ts", "src/remotes/b.ts"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newFolder(t)
			for _, name := range c.disk {
				dir.add(t, name, "")
			}
			if got := gitGuarded(t, dir, c.open, c.changed...); !slices.Equal(got, c.want) {
				t.Errorf("guarded %q, want %q", got, c.want)
			}
		})
	}
}

// TestGitFoldersBehindLinks: a folder counts with what its links lead to.
func TestGitFoldersBehindLinks(t *testing.T) {
	dir := newFolder(t)
	for _, name := range []string{"d/HEAD", "d/refs/", "d/objects/"} {
		dir.add(t, name, "")
	}
	dir.link(t, "l", "d")
	dir.link(t, "o", "d/objects")
	for _, name := range []string{"l/config", "o/x"} {
		if got := gitGuarded(t, dir, nil, name); len(got) != 1 {
			t.Errorf("%s is not guarded", name)
		}
	}
}

// TestGitFoldersAsGitTakesThem: each folder that git takes for a repository is taken for one here.
func TestGitFoldersAsGitTakesThem(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not in the PATH")
	}
	files := map[string]string{"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "", "commondir": "../common\n", "config": ""}
	names := []string{"HEAD", "objects/x", "refs/x", "commondir", "config"}
	taken := 0
	for set := range 1 << len(names) {
		dir := newFolder(t)
		for _, name := range []string{"common/objects/", "common/refs/", "common/config", "d/"} {
			dir.add(t, name, "")
		}
		var all []string
		for i, name := range names {
			if set&(1<<i) != 0 {
				dir.add(t, "d/"+name, files[name])
				all = append(all, "d/"+name)
			}
		}
		cmd := exec.CommandContext(t.Context(), git, "rev-parse", "--git-dir")
		cmd.Dir, cmd.Env = dir.path("d"), append(os.Environ(), "GIT_CEILING_DIRECTORIES="+string(dir))
		if cmd.Run() == nil {
			taken++
			if got := gitGuarded(t, dir, nil, all...); !slices.Equal(got, all) {
				t.Errorf("git takes a folder with %q for a repository, and of these only %q are guarded", all, got)
			}
		}
	}
	if taken == 0 {
		t.Error("git took no folder for a repository: the test is blind")
	}
}

// TestMayMakeGit: commands that could together make one folder one of git share a key, and those of other files do not.
func TestMayMakeGit(t *testing.T) {
	dir := newFolder(t)
	keys := func(name string) []Key {
		target, err := Policy{Roots: Pin(string(dir))}.Resolve(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		return target.MayMakeGit()
	}
	for _, name := range []string{"d/HEAD", "d/objects/a/b", "d/refs/x", "D/commondir"} {
		if got := keys(name); len(got) != 1 || !slices.Equal(got, keys("d/HEAD")) {
			t.Errorf("%s has the keys %q, want %q", name, got, keys("d/HEAD"))
		}
	}
	for _, name := range []string{"d/config", "src/hooks/a.ts", "a.go"} {
		if got := keys(name); len(got) > 0 {
			t.Errorf("%s has the keys %q", name, got)
		}
	}
}
