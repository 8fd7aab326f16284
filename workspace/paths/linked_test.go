package paths

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/edits"
)

// TestWhatGuardedNamesLeadTo: what a guarded or protected name leads to, by links or as the folder of git, is guarded or
// protected too, and nothing else is.
func TestWhatGuardedNamesLeadTo(t *testing.T) {
	for _, tt := range []struct {
		name      string
		files     []string
		links     map[string]string
		git       map[string]string // texts of files .git
		protected []string
		roots     []string // "work" if none
		guarded   []string // what is to be guarded
		refused   []string // what is to be protected
		free      []string // what is to be neither
	}{
		{name: "a folder", files: []string{"work/conf/"}, links: map[string]string{"work/.vscode": "conf"}, guarded: []string{"conf/tasks.json", "conf/settings.json"}, free: []string{"conf/notes.md", "a/tasks.json"}},
		{name: "a folder that is not there yet", links: map[string]string{"work/.husky": "cfg"}, guarded: []string{"cfg", "cfg/a/b"}, free: []string{"cf", "cfg2/x"}},
		{name: "a file", files: []string{"work/env.txt"}, links: map[string]string{"work/.envrc": "env.txt"}, guarded: []string{"env.txt"}, free: []string{"env2.txt"}},
		{name: "a name with a star", links: map[string]string{"work/x.code-workspace": "x.json", "work/opencode.jsonc": "o.txt"}, guarded: []string{"x.json", "o.txt"}},
		{name: "the second part of a name", files: []string{"work/.vscode/", "work/.claude/"}, links: map[string]string{"work/.vscode/tasks.json": "../conf/t.json", "work/.claude/hooks": "../h"}, guarded: []string{"conf/t.json", "h/x"}, free: []string{"conf/s.json"}},
		{name: "in a folder of such a name", files: []string{"work/.husky/", "work/.claude/skills/"}, links: map[string]string{"work/.husky/pre-commit": "../scripts/p.sh", "work/.claude/skills/a": "../../skills/a"}, guarded: []string{"scripts/p.sh", "skills/a/run.sh"}, free: []string{"scripts/q.sh", "skills/b/run.sh"}},
		{name: "behind another link", files: []string{"work/cfg/", "work/y/"}, links: map[string]string{"work/.husky": "cfg", "work/cfg/x": "../y"}, guarded: []string{"cfg/a", "y/z"}},
		{name: "a chain", links: map[string]string{"work/.husky": "l1", "work/l1": "a/l2", "work/l2": "$/work/cfg", "work/a": "."}, guarded: []string{"cfg/x", "l1/x", "l2/x"}},
		{name: "in a folder above the file", files: []string{"work/p/src/"}, links: map[string]string{"work/p/.envrc": "src/deep/env.txt"}, guarded: []string{"p/src/deep/env.txt"}, free: []string{"src/deep/env.txt"}},
		{name: "other case, and characters that file systems ignore", links: map[string]string{"work/.VSCode": "conf", "work/.hus\u200bky": "cfg"}, guarded: []string{"conf/tasks.json", "cfg/x"}},
		{name: "a folder of another root", roots: []string{"one", "two"}, files: []string{"two/conf/"}, links: map[string]string{"one/.vscode": "../two/conf"}, guarded: []string{"$/two/conf/tasks.json"}, free: []string{"$/two/conf/x"}},
		{name: "through the workspace's own link", roots: []string{"link"}, files: []string{"real/"}, links: map[string]string{"link": "real", "real/.husky": "cfg"}, guarded: []string{"cfg/x", "$/real/cfg/x"}},
		{name: "git", files: []string{"work/r/config"}, links: map[string]string{"work/.git": "r"}, refused: []string{"r", "r/config", "r/hooks/x"}, free: []string{"rr/config"}},
		{name: "git, behind a link", links: map[string]string{"work/.git": "s", "work/s": "d/r"}, refused: []string{"d/r/config", "s/config"}},
		{name: "git, of a folder below", files: []string{"work/p/r/config"}, git: map[string]string{"work/p/.git": "gitdir: r\n"}, refused: []string{"p/r/config"}, free: []string{"p/config"}},
		{name: "git, by its whole path", git: map[string]string{"work/.git": "gitdir: $/work/r/x\r\n"}, refused: []string{"r/x/hooks/y"}, free: []string{"r/y"}},
		{name: "git, by a link to a file", files: []string{"work/d/"}, git: map[string]string{"work/g": "gitdir: r"}, links: map[string]string{"work/.git": "g"}, refused: []string{"r/config"}},
		{name: "git, and the file that says where it is", git: map[string]string{"work/x.txt": "gitdir: r\n", "work/l": "gitdir: r\n"}, links: map[string]string{"work/.git": "d/x.txt", "work/d": "."}, refused: []string{"x.txt", "r/config"}, free: []string{"l"}},
		{name: "git, and what its worktrees have in common", git: map[string]string{"work/.git": "gitdir: r", "work/r/commondir": "../c\n", "work/p/.git/commondir": "../e\n"}, refused: []string{"r/x", "c/config", "c/hooks/x", "p/e/hooks/x"}, free: []string{"c/a.txt", "p/e/a.txt"}},
		{name: "git, and a folder with its worktrees", roots: []string{"work", "work/w"}, git: map[string]string{"work/w/.git": "gitdir: ../worktrees/w", "work/worktrees/w/commondir": "../..\n"}, refused: []string{"config", "hooks/x", "worktrees/w/HEAD"}, free: []string{"w/a.go", "a.txt"}},
		{name: "git, and a worktree as git writes one", git: map[string]string{"work/w/.git": "gitdir: $/work/m/.git/worktrees/w\n", "work/m/.git/worktrees/w/commondir": "../..\n", "work/m/.git/config": "[core]\n\tbare = false\n"}, free: []string{"w/a.go", "m/a.go"}},
		{name: "git, and where a file goes round", git: map[string]string{"work/.git": "gitdir: .git", "work/p/.git": "gitdir:", "work/q/.git": "gitdir: r", "work/q/r/commondir": "\n"}, free: []string{"a", "p/a", "q/a"}},
		{name: "git, and its folder of hooks", files: []string{"work/tools/"}, git: map[string]string{"work/.git/config": "[core]\n\tbare = false\n\thooksPath = tools/hooks # ours\n"}, guarded: []string{"tools/hooks/pre-commit", "tools/hooks/a/b"}, free: []string{"tools/x", "hooks/x"}},
		{name: "git, and such a folder in quotes, on one line, in other case", git: map[string]string{"work/.git/config": "[Core] HOOKSPATH=\"my #hooks\"\r\n"}, guarded: []string{"my #hooks/x"}, free: []string{"my"}},
		{name: "git, and such a folder by its whole path, behind a link", files: []string{"work/h/"}, links: map[string]string{"work/l": "h"}, git: map[string]string{"work/.git/config": "[core]\nhookspath = $/work/l\n"}, guarded: []string{"h/pre-push", "l/pre-push"}},
		{name: "git, and settings that it includes", files: []string{"work/cfg/more"}, git: map[string]string{
			"work/.git/config": "[include]\n\tpath = ../cfg/git.txt\n[includeIf \"gitdir:$/work/\"]\n\tpath = $/work/cfg/more\n[include]\n\tpath = ../none.txt\n",
			"work/cfg/git.txt": "[include]\n path=last.txt\n path = git.txt\n", "work/cfg/last.txt": "[core]\n\thooksPath = h\n",
		}, guarded: []string{"cfg/git.txt", "cfg/more", "none.txt", "cfg/last.txt", "h/x"}, free: []string{"cfg/h/x", "cfg/a", "last.txt"}},
		{name: "git, and the settings of a worktree", roots: []string{"work", "work/w"}, git: map[string]string{
			"work/w/.git": "gitdir: ../r/worktrees/w", "work/r/worktrees/w/commondir": "../..\n", "work/r/worktrees/w/config.worktree": "[core]\nhooksPath=own\n", "work/r/config": "[core]\nhooksPath=all\n",
		}, guarded: []string{"w/own/x", "w/all/x"}, free: []string{"own/x", "all/x"}},
		{name: "git, and settings of a folder below", git: map[string]string{"work/p/.git/config": "[core]\nhooksPath=h\n"}, guarded: []string{"p/h/x"}, free: []string{"h/x"}},
		{name: "git, and settings that switch hooks off", git: map[string]string{"work/.git/config": "[core]\n\thooksPath =\n[core]\n\thooksPath = \"\"\n[include]\n\tpath =\n\tpath = ; none\n"}, free: []string{"a", "hooks/x", "a.txt"}},
		{name: "git, and settings that name nothing", git: map[string]string{"work/.git/config": "[core]\n\tbare = false\n;hooksPath = a\n# path = b\n[remote \"origin\"]\n\turl = c\n[branch \"path\"]\n\tmerge = d\n"}, free: []string{"a", "b", "c", "d", "a.txt"}},
		{name: "a file .git that names nothing", git: map[string]string{"work/.git": "", "work/p/.git": "r"}, free: []string{"a", "p/r/config", "p/a"}},
		{name: "a protected name", protected: []string{"secrets", "a/keys"}, files: []string{"work/a/"}, links: map[string]string{"work/secrets": "vault", "work/a/keys": "../k"}, refused: []string{"vault/x", "k/x"}, free: []string{"a/x"}},
		{name: "links that users have", files: []string{"work/node_modules/.pnpm/x/", "work/pkg/x/", "work/.git/hooks/", "work/scripts/p.sh"}, links: map[string]string{
			"work/node_modules/x": ".pnpm/x", "work/node_modules/y": "../pkg/x", "work/CLAUDE.md": "AGENTS.md", "work/.git/hooks/pre-commit": "../../scripts/p.sh", "work/current": "pkg", "work/.cache": "pkg",
		}, free: []string{"node_modules/.pnpm/x/a", "pkg/x/a", "AGENTS.md", "CLAUDE.md", "scripts/p.sh", "current/x/a"}},
		{name: "a link that leads out, and one in a circle", files: []string{"out/"}, links: map[string]string{"work/.vscode": "$/out", "work/.husky": ".husky", "work/.envrc": "$/none/x"}, free: []string{"tasks.json", "a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := newFolder(t)
				dir.add(t, "work/", "")
				for _, name := range tt.files {
					dir.add(t, name, "")
				}
				for name, text := range tt.git {
					dir.add(t, name, dir.expand(text))
				}
				for name, to := range tt.links {
					dir.link(t, name, to)
				}
				p := Policy{Protected: tt.protected}
				for _, root := range append(tt.roots, "work")[:max(1, len(tt.roots))] {
					p.Roots = append(p.Roots, Pin(dir.path(root))...)
				}
				for range 3 { // as they are read, and as they are remembered
					for _, name := range append(tt.guarded, tt.free...) {
						at, err := p.Resolve(dir.expand(name), nil)
						if err != nil {
							t.Fatal(err)
						}
						again, err := p.Reach(p.Target(at.Key, nil), nil, Access) // by its name alone
						want := slices.Contains(tt.guarded, name)
						if err != nil || (at.Guarded != nil) != want || (again.Guarded != nil) != want {
							t.Errorf("%s: guarded %v, then %v, %v, want %t", name, at.Guarded, again.Guarded, err, want)
						}
					}
					for _, name := range tt.refused {
						_, err := p.Resolve(dir.expand(name), nil)
						wantKind(t, err, edits.Protected, "is protected")
					}
					time.Sleep(2 * time.Second) //nolint:forbidigo // the clock of synctest
				}
			})
		})
	}
}

// TestALookIsBounded: a look visits a folder once for all of its names that mean the same, however many links lead to it, and what
// is not found out for lack of steps needs the user's agreement.
func TestALookIsBounded(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files func(t *testing.T, dir folder)
		path  string
		says  string // the name that guards it; "" if a look is to end too early
		steps int    // that a look may take
	}{
		{"hundreds of links to a folder of folders", func(t *testing.T, dir folder) {
			for i := range 300 {
				dir.add(t, fmt.Sprintf("d/%d/", i), "")
				dir.link(t, fmt.Sprintf(".lefthook-%d", i), "d")
			}
		}, "d/7/x", ".lefthook*", maxLook / 2},
		{"links in a circle", func(t *testing.T, dir folder) {
			for i := range 20 {
				dir.add(t, fmt.Sprintf("d%d/", i), "")
				for j := range 20 {
					dir.link(t, fmt.Sprintf("d%d/%d", i, j), fmt.Sprintf("../d%d", j))
				}
				dir.link(t, fmt.Sprintf(".lefthook-%d", i), fmt.Sprintf("d%d", i))
			}
		}, "d7/x", ".lefthook*", maxLook / 2},
		{"a folder by two names that are guarded in parts", func(t *testing.T, dir folder) {
			dir.link(t, ".claude", "d")
			dir.link(t, ".vscode", "d")
			dir.link(t, "d/hooks", "../h")
			dir.link(t, "d/tasks.json", "../t.json")
		}, "t.json", ".vscode/tasks.json", 100},
		{"a folder deep below one name, and at the top by another", func(t *testing.T, dir folder) {
			dir.link(t, ".codex/a", "../d")
			dir.link(t, ".zed", "d")
			dir.add(t, "d/", "")
			dir.add(t, "e/", "")
			dir.link(t, "d/e", "../e")
			dir.link(t, "e/f", "../f")
		}, "f", ".zed", 200},
		{"long ways of links", func(t *testing.T, dir folder) {
			for i := range 60 {
				dir.link(t, fmt.Sprintf(".lefthook-%d", i), strings.Repeat("d/../", 500)+"d")
			}
			dir.add(t, "d/", "")
		}, "a.txt", "", maxLook},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := newFolder(t)
			tt.files(t, dir)
			p, at := dir.resolved(t, Policy{}, tt.path)
			steps := p.lookFrom(at.real).steps
			if tt.says == "" && at.Guarded != unsure || tt.says != "" && (at.Guarded == nil || !slices.Contains(at.Guarded.Names, tt.says)) {
				t.Errorf("guarded by %+v, want %q", at.Guarded, tt.says)
			}
			if isOver := steps > tt.steps; isOver != (tt.says == "") || steps > 2*maxLook {
				t.Errorf("a look took %d steps", steps)
			}
		})
	}
}

// TestGuardedNamesAreLookedUpEachTime: a link that is made, changed or removed counts at once, also in a folder that was
// looked at before, and whatever time of change another program has set.
func TestGuardedNamesAreLookedUpEachTime(t *testing.T) {
	for name, age := range map[string]time.Duration{"years later": 100 * 365 * 24 * time.Hour, "where the clock is behind": 0} {
		t.Run(name, func(t *testing.T) {
			dir := newFolder(t)
			dir.add(t, "conf/", "")
			dir.add(t, ".claude/", "")
			p, target := dir.resolved(t, Policy{}, "conf/tasks.json")
			synctest.Test(t, func(t *testing.T) { // whose clock begins in the past
				time.Sleep(age) //nolint:forbidigo // the clock of synctest
				want := func(guarded bool) {
					t.Helper()
					for range 3 {
						at, err := p.Reach(p.Target(target.Key, nil), nil, Access)
						if err != nil || (at.Guarded != nil) != guarded {
							t.Fatalf("guarded %v, %v, want %t", at.Guarded, err, guarded)
						}
						time.Sleep(3 * time.Second) //nolint:forbidigo // the clock of synctest: from now on the folders are remembered
					}
					tick(t)
				}
				// change changes what is in a folder, and leaves the time of modification that it has.
				change := func(folder string, do func()) {
					t.Helper()
					was, err := os.Stat(dir.path(folder))
					if err != nil {
						t.Fatal(err)
					}
					do()
					if filepath.Separator == '/' {
						_ = os.Chtimes(dir.path(folder), was.ModTime(), was.ModTime())
					}
				}
				want(false)
				change(".", func() { dir.link(t, ".vscode", "conf") })
				want(true)
				change(".", func() { _ = os.Remove(dir.path(".vscode")); dir.link(t, ".vscode", "other") })
				want(false)
				change(".", func() { dir.link(t, "other", "conf") }) // the link is as before, and leads elsewhere
				want(true)
				change(".", func() { _ = os.Remove(dir.path("other")) })
				want(false)
				change(".claude", func() { dir.link(t, ".claude/hooks", "../conf") })
				want(true)
				change(".", func() { _ = os.RemoveAll(dir.path(".claude")) })
				want(false)
			})
		})
	}
}

// TestGitsSettingsAreLookedUpEachTime: what they name counts at once. What was read counts from two seconds after a change on,
// while the file stays as it is: until then two changes may leave one stamp.
func TestGitsSettingsAreLookedUpEachTime(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, ".git/", "")
	p, _ := dir.resolved(t, Policy{}, "h/x")
	file := dir.path(".git/config")
	want := func(name string, guards bool) {
		t.Helper()
		at, err := p.Reach(p.Target(FileKey(dir.path(name)), nil), nil, Access)
		if err != nil || (at.Guarded != nil) != guards {
			t.Fatalf("%s: guarded %v, %v, want %t", name, at.Guarded, err, guards)
		}
	}
	for range 20 {
		for _, hooks := range []string{"h", "o"} {
			if err := os.WriteFile(file, []byte("[core]\n\thooksPath = "+hooks+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				want("h/x", hooks == "h")
				want("o/x", hooks == "o")
			}
		}
	}
	is, _ := stampOf(file)
	for _, settled := range []bool{false, true} {
		remembered.Store([...]any{file, is, settled}, [][]string{{"", "hooksPath", "", "kept"}})
	}
	want("kept/x", false)
	synctest.Test(t, func(t *testing.T) { // whose clock begins in the past
		time.Sleep(time.Until(time.Unix(0, is.changed)) + 3*time.Second) //nolint:forbidigo // the clock of synctest
		want("kept/x", true)
		want("o/x", false)
	})
}

// TestFoldersAreRemembered: a folder is not read again while it stays as it is, also if its time of change lies in the future.
func TestFoldersAreRemembered(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, ".claude/", "")
	synctest.Test(t, func(t *testing.T) { // whose clock begins in the past
		takes := func(want int) {
			t.Helper()
			l := look{}
			if l.read(string(dir)); l.steps != want {
				t.Errorf("a look at the folder took %d steps, want %d", l.steps, want)
			}
		}
		takes(4)
		takes(4)                    // a change now may leave the stamp that it has
		time.Sleep(2 * time.Second) //nolint:forbidigo // the clock of synctest
		takes(4)
		takes(1)
		tick(t)
		dir.add(t, "a/", "")
		takes(4)
		time.Sleep(2 * time.Second) //nolint:forbidigo // the clock of synctest
		takes(4)
		takes(1)
	})
}

// tick returns when the clock by which the file system stamps changes has moved on.
func tick(t *testing.T) {
	t.Helper()
	dir := newFolder(t)
	was, _ := stampOf(dir.add(t, "a", ""))
	for range 1_000_000 {
		_ = os.Remove(dir.path("a"))
		if is, _ := stampOf(dir.add(t, "a", "")); is.changed != was.changed {
			return
		}
	}
	t.Fatal("the clock of the file system stands still")
}

// TestLargeFoldersAreReadOnceASecond: reading a folder of many names takes long, and each file that is made there
// changes it. So a link there may count a second late.
func TestLargeFoldersAreReadOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := newFolder(t)
		for i := range 101 {
			dir.add(t, strconv.Itoa(i), "")
		}
		p := Policy{Roots: Pin(string(dir))}
		want := func(guarded bool) {
			t.Helper()
			at, err := p.Reach(p.Target(FileKey(dir.path("env.txt")), nil), nil, Access)
			if err != nil || (at.Guarded != nil) != guarded {
				t.Errorf("guarded %v, %v, want %t", at.Guarded, err, guarded)
			}
		}
		want(false)
		dir.link(t, ".envrc", "env.txt")
		want(false)
		time.Sleep(time.Second) //nolint:forbidigo // the clock of synctest
		want(true)
	})
}

// TestAskedForByAGuardedName: what a command asks for by a guarded name is guarded, even if it is open by another name,
// and the link is in no folder that is looked at.
func TestAskedForByAGuardedName(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "conf/tasks.json", "")
	dir.link(t, "pkg/.vscode", "../conf")
	p := Policy{Roots: Pin(string(dir))}
	open := opens(FileKey(dir.path("conf/tasks.json")))
	at, err := p.Resolve("pkg/.vscode/tasks.json", open)
	if err != nil || at.Path != "conf/tasks.json" || at.Guarded == nil {
		t.Fatalf("resolved to %+v, %v", at, err)
	}
	for _, op := range []Operation{Access, Save} { // as each effect asks
		if at, err = p.Reach(at, open(at.Key), op); err != nil || at.Guarded == nil {
			t.Errorf("operation %d: guarded %v, %v", op, at.Guarded, err)
		}
	}
	at, err = p.Resolve("conf/tasks.json", open)
	if err != nil || at.Guarded != nil {
		t.Errorf("by its own name: guarded %v, %v", at.Guarded, err)
	}
}

// TestListLeavesOutWhatIsGits: the folder that is git's by a link is not listed.
func TestListLeavesOutWhatIsGits(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "r/config", "")
	dir.add(t, "s/a", "")
	dir.link(t, ".git", "r")
	p, target := dir.resolved(t, Policy{}, ".")
	l, err := p.List(target)
	if err != nil || slices.Contains(l.Entries, "r/") || slices.Contains(l.Entries, "r/config") || !slices.Contains(l.Entries, "s/a") {
		t.Errorf("listed %q, %v", l.Entries, err)
	}
	_, err = p.Resolve("r", nil)
	if !edits.IsKind(err, edits.Protected) {
		t.Error(err)
	}
}

func BenchmarkReach(b *testing.B) {
	dir := b.TempDir()
	f := folder(dir)
	for _, name := range []string{".git/hooks/", ".vscode/", ".github/workflows/", ".claude/skills/a/", "src/a/b/c/"} {
		if err := os.MkdirAll(f.path(name), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(3 * time.Second) //nolint:forbidigo // from then on the folders are remembered
	p := Policy{Roots: Pin(dir)}
	at := p.Target(FileKey(f.path("src/a/b/c/d.go")), nil)
	o := NewOpened(at.Key, nil, false)
	b.Run("closed", func(b *testing.B) {
		for b.Loop() {
			_, _ = p.Reach(at, nil, Access)
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			_, _ = p.Reach(at, o, Access)
		}
	})
}
