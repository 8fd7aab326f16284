package paths

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
)

func TestList(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no name with a line break")
	}
	dir := newFolder(t)
	for _, f := range []string{
		"b.go", "a/x.go", "a/in/deep.go", "a-b.go", "a/.hidden", ".env", ".git/config", "empty/",
		"secrets/key", "a/keys/key", "keys/a", "line\nbreak",
	} {
		dir.add(t, f, "")
	}
	dir.link(t, "link", "a")
	for _, tt := range []struct {
		name, path string
		want       []string
	}{
		{"two levels, the first one first, without hidden and protected ones", ".", []string{"a/", "a-b.go", "b.go", "empty/", "keys/", `"line\nbreak"`, "link", "a/in/", "a/x.go", "keys/a"}},
		{"paths are those of the workspace", "a", []string{"a/in/", "a/x.go", "a/in/deep.go"}},
		{"what a linked folder holds", "link", []string{"link/in/", "link/x.go", "link/in/deep.go"}},
		{"an empty folder", "empty", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, target := dir.resolved(t, Policy{Protected: []string{"secrets", "a/keys"}}, tt.path)
			got, err := p.List(target)
			if err != nil || got.Truncated || !slices.Equal(got.Entries, tt.want) {
				t.Errorf("List = %q, %v, want %q", got.Entries, err, tt.want)
			}
		})
	}
}

func TestListOfAFolderOutsideIsAbsolute(t *testing.T) {
	dir := newFolder(t)
	file := dir.add(t, "a.go", "")
	p := Policy{AllowOutside: true}
	target, err := p.Resolve(string(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.List(target)
	if err != nil || !slices.Equal(got.Entries, []string{file}) {
		t.Errorf("List = %q, %v, want %q", got.Entries, err, file)
	}
}

func TestListIsBounded(t *testing.T) {
	dir := newFolder(t)
	for i := range maxListed {
		dir.add(t, fmt.Sprintf("a/%04d", i), "")
	}
	p, target := dir.resolved(t, Policy{}, ".")
	dir.add(t, "z", "")
	for _, tt := range []struct {
		name, path string
		n          int
		cut        bool
	}{
		{"all that are allowed", "a", maxListed, false},
		{"more", ".", maxListed, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, target = dir.resolved(t, Policy{}, tt.path)
			got, err := p.List(target)
			if err != nil || len(got.Entries) != tt.n || got.Truncated != tt.cut {
				t.Errorf("List has %d entries, cut is %v, %v, want %d, %v", len(got.Entries), got.Truncated, err, tt.n, tt.cut)
			}
		})
	}
	t.Run("the first level comes first", func(t *testing.T) {
		got, err := p.List(target)
		if err != nil || got.Entries[1] != "z" {
			t.Errorf("the listing begins with %q, %v, want a/ and z", got.Entries[:2], err)
		}
	})
}

// at returns the target of a folder that no link leads to.
func at(folder string) Target { return Target{Abs: folder, real: folder} }

func TestReadDirIsBoundedAndSorted(t *testing.T) {
	dir := newFolder(t)
	for _, name := range []string{"d", "b", "e", "a", "c"} {
		dir.add(t, name, "")
	}
	for limit, cut := range map[int]bool{4: true, 5: false} {
		entries, gotCut, err := readDir(at(string(dir)), limit)
		if len(entries) != limit || gotCut != cut || err != nil {
			t.Errorf("readDir of 5 entries up to %d gives %d, %v, %v", limit, len(entries), gotCut, err)
		}
		sorted := func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }
		if !slices.IsSortedFunc(entries, sorted) {
			t.Errorf("readDir up to %d gives %v, which is not sorted", limit, entries)
		}
	}
}

func TestListRefusesAFolderThatWasReplaced(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "work/d/", "")
	dir.add(t, "secret/key", "")
	p, target := folder(dir.path("work")).resolved(t, Policy{}, "d")
	os.Remove(dir.path("work/d"))
	dir.link(t, "work/d", "$/secret")
	_, err := p.List(target)
	wantKind(t, err, edits.OutsideWorkspace, "d has come to lead elsewhere")
}

// TestFoldersAreExchangedDuringAList: another program exchanges the folders that are listed for links, again and again. No
// list and no error has a name of what they lead to, neither outside nor in a folder of git.
func TestFoldersAreExchangedDuringAList(t *testing.T) {
	dir := newFolder(t)
	for _, name := range []string{"work/d/e/f", "work/top", "out/hidden-key", "out/e/hidden-key", "work/.git/hidden-key"} {
		dir.add(t, name, "")
	}
	dir.link(t, "link", "$/out")
	dir.link(t, "git", "$/work/.git")
	p, whole := folder(dir.path("work")).resolved(t, Policy{}, ".")
	if l, err := p.List(whole); err != nil || !slices.Contains(l.Entries, "d/e/") {
		t.Fatalf("listed %q, %v", l.Entries, err)
	}
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			for _, at := range []string{"work/d", "work/d/e"} {
				for _, link := range []string{"link", "git"} {
					select {
					case <-done:
						return
					default:
					}
					_ = os.Rename(dir.path(at), dir.path("away"))
					_ = os.Rename(dir.path(link), dir.path(at))
					_ = os.Rename(dir.path(at), dir.path(link))
					_ = os.Rename(dir.path("away"), dir.path(at))
				}
			}
		}
	}()
	for range 500 {
		for _, name := range []string{".", "d"} {
			target, err := p.Resolve(name, nil)
			if err != nil {
				continue
			}
			l, err := p.List(target)
			if strings.Contains(strings.Join(l.Entries, " ")+fmt.Sprint(err), "hidden") {
				t.Errorf("%s: listed %q, %v", name, l.Entries, err)
			}
		}
		var near []string
		p.walk([]Target{at(dir.path("work"))}, maxWalked, func(abs string) { near = append(near, abs) })
		if strings.Contains(strings.Join(near, " "), "hidden") {
			t.Errorf("near are %q", near)
		}
		if t.Failed() {
			break
		}
	}
	close(done)
	<-stopped
}

func TestListRefuses(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "file", "")
	for name, kind := range map[string]edits.Kind{"file": edits.InvalidParams, "gone": edits.FileNotFound} {
		p, target := dir.resolved(t, Policy{}, name)
		_, err := p.List(target)
		wantKind(t, err, kind, name)
	}
	_, err := Policy{}.List(Target{Path: "untitled:x"})
	wantKind(t, err, edits.FileNotFound, "is not open in the editor")
}
