package paths

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
)

func TestNearest(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		links map[string]string
		path  string
		want  []string
	}{
		{"a path that differs in case alone, before all else", []string{"src/App.go", "lib/app.go", "src/ap.go"}, nil, "src/app.go", []string{"src/App.go", "lib/app.go", "src/ap.go"}},
		{"case in a folder's name", []string{"Src/app.go"}, nil, "src/app.go", []string{"Src/app.go"}},
		{"the name elsewhere, before a similar one here", []string{"src/app.go", "lib/ap.go"}, nil, "lib/app.go", []string{"src/app.go", "lib/ap.go"}},
		{"of the name in several places the nearest path", []string{"a/x/main.go", "src/main.go", "src/cmd/main.go"}, nil, "src/cmds/main.go", []string{"src/cmd/main.go", "src/main.go", "a/x/main.go"}},
		{"a similar name here, before a more similar one elsewhere", []string{"src/hamdlre.go", "lib/handlers.go"}, nil, "src/handler.go", []string{"src/hamdlre.go", "lib/handlers.go"}},
		{"the most similar name here", []string{"src/handlres.go", "src/handlers.go"}, nil, "src/handler.go", []string{"src/handlers.go", "src/handlres.go"}},
		{"equally similar names by their paths", []string{"b/main.go", "a/main.go"}, nil, "c/main.go", []string{"a/main.go", "b/main.go"}},
		{"three at most", []string{"a/m.go", "b/m.go", "c/m.go", "d/m.go"}, nil, "m.go", []string{"a/m.go", "b/m.go", "c/m.go"}},
		{"a folder whose name is near", []string{"sources/a.go"}, nil, "source", []string{"sources"}},
		{"backslashes for slashes", []string{"src/app.go"}, nil, `src\app.go`, []string{"src/app.go"}},
		{"case everywhere, before a path that is nearer letter by letter", []string{"SRC/APP.go", "sr/app.go"}, nil, "src/app.go", []string{"SRC/APP.go", "sr/app.go"}},
		{"names that differ in a third of their letters", []string{"mnop.txt"}, nil, "main.txt", nil},
		{"but not in less", []string{"mnon.txt"}, nil, "main.txt", []string{"mnon.txt"}},
		{"nothing that is not near", []string{"src/other.go"}, nil, "src/app.go", nil},
		{"nothing in .git", []string{".git/app.go"}, nil, "app.go", nil},
		{"nothing in hidden folders", []string{".cache/app.go"}, nil, "app.go", nil},
		{"nothing in node_modules", []string{"node_modules/app.go"}, nil, "app.go", nil},
		{"nothing in protected folders", []string{"secrets/app.go"}, nil, "app.go", nil},
		{"no protected file", []string{"a/.git"}, nil, "a/.gitt", nil},
		{"no link that leads nowhere", nil, map[string]string{"a/app.go": "gone"}, "app.go", nil},
		{"no link that leads out", nil, map[string]string{"a/app.go": "/dev/null"}, "app.go", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.HasPrefix(tt.name, "case ") && runtime.GOOS == "windows" {
				t.Skip("its files are one there")
			}
			dir := newFolder(t)
			for _, f := range tt.files {
				dir.add(t, f, "")
			}
			for name, to := range tt.links {
				dir.link(t, name, to)
			}
			p, target := dir.resolved(t, Policy{Protected: []string{"secrets"}}, tt.path)
			if got := p.Nearest(target, 3); !slices.Equal(got, tt.want) {
				t.Errorf("Nearest(%s) = %q, want %q", tt.path, got, tt.want)
			}
		})
	}
}

func TestNearestOfADocumentThatIsNoFile(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "x", "")
	if got := (Policy{Roots: Pin(string(dir))}).Nearest(Target{Path: "untitled:x"}, 3); got != nil {
		t.Errorf("Nearest = %q, want none", got)
	}
}

func TestNearestLooksIntoNoProtectedFolder(t *testing.T) {
	dir := newFolder(t)
	for _, f := range []string{".git/a", "b/c", "node_modules/d", ".cache/e", "f"} {
		dir.add(t, f, "")
	}
	var seen []string
	Policy{}.walk([]Target{at(string(dir))}, 100, func(abs string) {
		rel, _ := Below(string(dir), abs)
		seen = append(seen, filepath.ToSlash(rel))
	})
	if want := []string{".cache", "b", "f", "node_modules", "b/c"}; !slices.Equal(seen, want) {
		t.Errorf("seen are %q, want %q", seen, want)
	}
}

func TestNearestNamesWhatACommandMayName(t *testing.T) {
	dir := newFolder(t)
	for _, f := range []string{"one/a/main.go", "two/a/main.go", "two/b/main.go"} {
		dir.add(t, f, "")
	}
	p := Policy{Roots: Pin(dir.path("one"), dir.path("two"))}
	target, err := p.Resolve("main.go", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a/main.go", dir.path("two/a/main.go"), "b/main.go"}
	if got := p.Nearest(target, 3); !slices.Equal(got, want) {
		t.Errorf("Nearest = %q, want %q", got, want)
	}
}

func TestNearestInTheFileNotFoundMessage(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "src/app.go", "")
	for _, tt := range []struct{ add, path, says string }{
		{"", "zzz", "File not found: zzz; view a folder to see what there is, or create the file."},
		{"", "src/ap.go", "File not found: src/ap.go; the nearest existing path is src/app.go."},
		{"src/apt.go", "src/ap.go", "File not found: src/ap.go; the nearest existing paths are src/app.go and src/apt.go."},
		{"src/apx.go", "src/ap.go", "File not found: src/ap.go; the nearest existing paths are src/app.go, src/apt.go and src/apx.go."},
	} {
		if tt.add != "" {
			dir.add(t, tt.add, "")
		}
		p, target := dir.resolved(t, Policy{}, tt.path)
		_, err := p.ReadClosed(target)
		wantKind(t, err, edits.FileNotFound, tt.says)
	}
	p, target := dir.resolved(t, Policy{Terse: true}, "src/ap.go")
	_, err := p.ReadClosed(target)
	wantKind(t, err, edits.FileNotFound, "File not found: src/ap.go; view a folder to see what there is, or create the file.")
}

// The target's own folder is looked at even if the bound is used up elsewhere.
func TestNearestIsBoundedButLooksNextToTheTarget(t *testing.T) {
	dir := newFolder(t)
	dir.add(t, "z/deep/app.go", "")
	for i := range 300 {
		dir.add(t, fmt.Sprintf("a/%d", i), "")
	}
	p, target := dir.resolved(t, Policy{}, "z/deep/ap.go")
	var seen []string
	p.walk([]Target{at(dir.path("z/deep")), at(string(dir))}, 100, func(abs string) { seen = append(seen, abs) })
	if len(seen) > 100 || seen[0] != dir.path("z/deep/app.go") {
		t.Errorf("%d entries were seen, the first is %s", len(seen), seen[0])
	}
	if got := p.Nearest(target, 1); !slices.Equal(got, []string{"z/deep/app.go"}) {
		t.Errorf("Nearest = %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		far  int
		want int
	}{
		{"", "", 9, 0}, {"abc", "abc", 9, 0}, {"abc", "", 9, 3},
		{"abc", "axc", 9, 1}, {"abc", "abxc", 9, 1}, {"abxc", "abc", 9, 1},
		{"kitten", "sitting", 9, 3}, {"main", "mian", 9, 1}, {"ab", "ba", 9, 1},
		{"kitten", "sitting", 3, 3}, {"kitten", "sitting", 2, 2}, {"a", "abcdef", 3, 3},
		{"abc", "abc", 1, 0}, {"xyz", "abc", 1, 1},
	} {
		if got := distance(tt.a, tt.b, tt.far); got != tt.want {
			t.Errorf("distance(%q, %q, %d) = %d, want %d", tt.a, tt.b, tt.far, got, tt.want)
		}
	}
}
