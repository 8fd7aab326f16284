package paths

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
)

// folder is a temporary folder to build a tree in; names in it have slashes.
type folder string

func newFolder(t *testing.T) folder {
	t.Helper()
	// Where the temporary folder itself is behind a link, as on a Mac, the tests
	// would not see a difference between the names of a root.
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if drive := filepath.VolumeName(dir); drive != "" { // as it is in keys
		dir = strings.ToLower(drive) + dir[len(drive):]
	}
	return folder(dir)
}

func (f folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// add makes a file, or a directory if the name ends in a slash.
func (f folder) add(t *testing.T, name, content string) string {
	t.Helper()
	path := f.path(name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if strings.HasSuffix(name, "/") {
		err = os.MkdirAll(path, 0o755)
	} else if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// link makes a symbolic link; a target that begins with "$" is in the folder.
func (f folder) link(t *testing.T, name, target string) {
	t.Helper()
	path := f.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(f.expand(target), path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Skip("wine 8 says that it has made a symbolic link, and makes none")
	}
}

// expand replaces "$" by the folder's own path, and "file://$" by its URI.
func (f folder) expand(s string) string {
	s = strings.ReplaceAll(s, "file://$", FileURI(string(f)))
	return strings.ReplaceAll(s, "$", filepath.ToSlash(string(f)))
}

// opens returns what is known of documents that the user has just opened.
func opens(keys ...Key) func(Key) *Opened {
	open := map[Key]*Opened{}
	for _, k := range keys {
		open[k] = NewOpened(k, nil, false)
	}
	return func(k Key) *Opened { return open[k] }
}

// scene is a tree, a policy and the editor's state, in which a path is resolved.
type scene struct {
	name     string
	files    []string          // in the folder; with a trailing slash a directory
	links    map[string]string // their targets
	roots    []string          // "work" if none
	policy   Policy
	open     []string // names in the folder, or URIs
	path     string   // "$" is the folder
	want     string   // Abs, as a name in the folder
	shown    string   // Path
	kind     edits.Kind
	says     string
	lost     bool // its links cannot be followed
	notAsWin bool // of no use on Windows
}

func (s scene) resolve(t *testing.T) (folder, Target, error) {
	t.Helper()
	if s.notAsWin && filepath.Separator == '\\' {
		t.Skip("Windows has no such names, or does not tell them apart")
	}
	dir := newFolder(t)
	for _, f := range s.files {
		dir.add(t, f, "text\n")
	}
	for name, target := range s.links {
		dir.link(t, name, target)
	}
	if s.roots == nil {
		s.roots = []string{"work"}
		dir.add(t, "work/", "")
	}
	for _, r := range s.roots {
		s.policy.Roots = append(s.policy.Roots, Pin(dir.path(r))...)
	}
	if s.policy.Base != "" {
		s.policy.Base = dir.path(s.policy.Base)
	}
	var open []Key
	for _, o := range s.open {
		if strings.Contains(o, ":") && !strings.HasPrefix(o, "work/") {
			open = append(open, Key(dir.expand(o)))
		} else {
			open = append(open, FileKey(dir.path(o)))
		}
	}
	target, err := s.policy.Resolve(dir.expand(s.path), opens(open...))
	return dir, target, err
}

func (s scene) test(t *testing.T) {
	dir, got, err := s.resolve(t)
	if s.kind != "" {
		wantKind(t, err, s.kind, dir.expand(s.says))
		if strings.Contains(err.Error(), string(dir)) && !strings.Contains(s.path, "$") {
			t.Errorf("the message gives away a folder of this machine: %s", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("Resolve(%q): %v", s.path, err)
	}
	if abs := dir.path(s.want); got.Abs != abs || got.Key != FileKey(abs) || got.URI != FileURI(abs) {
		t.Errorf("Resolve(%q) = %+v, want the file %s", s.path, got, abs)
	}
	if (got.real == "") != s.lost {
		t.Errorf("the target is checked to be at %q", got.real)
	}
	shown := dir.expand(s.shown)
	if filepath.IsAbs(shown) {
		shown = filepath.FromSlash(shown)
	}
	if got.Path != shown {
		t.Errorf("it is shown as %q, want %q", got.Path, shown)
	}
}

func TestResolvePaths(t *testing.T) {
	for _, s := range []scene{
		{name: "relative to the root", files: []string{"work/src/a.go"}, path: "src/a.go", want: "work/src/a.go", shown: "src/a.go"},
		{name: "absolute", files: []string{"work/src/a.go"}, path: "$/work/src/a.go", want: "work/src/a.go", shown: "src/a.go"},
		{name: "a file that does not exist yet", path: "new/b.go", want: "work/new/b.go", shown: "new/b.go"},
		{name: "a file URI", files: []string{"work/a.go"}, path: "file://$/work/a.go", want: "work/a.go", shown: "a.go"},
		{name: "a URI with encoded and with plain non-ASCII", files: []string{"work/é b/日.go"}, path: "file://$/work/%C3%A9%20b/日.go", want: "work/é b/日.go", shown: "é b/日.go"},
		{name: "dots inside of the root", files: []string{"work/a.go"}, path: "./x/../a.go", want: "work/a.go", shown: "a.go"},
		{name: "the root itself", path: ".", want: "work", shown: "."},
		{name: "a trailing slash", files: []string{"work/src/"}, path: "src/", want: "work/src", shown: "src"},
		{name: "a name with a colon that exists", files: []string{"work/note:a.md"}, path: "note:a.md", want: "work/note:a.md", shown: "note:a.md", notAsWin: true},
		{name: "a name with a colon that is only open", open: []string{"work/note:a.md"}, path: "note:a.md", want: "work/note:a.md", shown: "note:a.md", notAsWin: true},
		{name: "a name with a colon in the base", files: []string{"work/sub/note:a.md"}, policy: Policy{Base: "work/sub"}, path: "note:a.md", want: "work/sub/note:a.md", shown: "sub/note:a.md", notAsWin: true},
		{name: "a name with a colon that is only open in the base", open: []string{"work/sub/note:a.md"}, files: []string{"work/sub/"}, policy: Policy{Base: "work/sub"}, path: "note:a.md", want: "work/sub/note:a.md", shown: "sub/note:a.md", notAsWin: true},
		{name: "a name with a colon to be created", path: "./note:a.md", want: "work/note:a.md", shown: "note:a.md", notAsWin: true},
		{name: "a backslash is a character", files: []string{`work/a\b.go`}, path: `a\b.go`, want: `work/a\b.go`, shown: `a\b.go`, notAsWin: true},
	} {
		t.Run(s.name, s.test)
	}
}

func TestResolveAmongSeveralRoots(t *testing.T) {
	two := []string{"one", "two"}
	for _, s := range []scene{
		{name: "the first root that has the file wins", roots: two, files: []string{"one/a.go", "two/a.go"}, path: "a.go", want: "one/a.go", shown: "a.go"},
		{name: "a later root is taken if only it has the file", roots: two, files: []string{"one/", "two/a.go"}, path: "a.go", want: "two/a.go", shown: "a.go"},
		{name: "a file that is open but not on disk counts", roots: two, files: []string{"one/", "two/"}, open: []string{"two/a.go"}, path: "a.go", want: "two/a.go", shown: "a.go"},
		{name: "a file nowhere is the first root's", roots: two, files: []string{"one/", "two/"}, path: "a.go", want: "one/a.go", shown: "a.go"},
		{name: "a path that an earlier root hides is shown whole", roots: two, files: []string{"one/a.go", "two/a.go"}, path: "$/two/a.go", want: "two/a.go", shown: "$/two/a.go"},
		{name: "dots may lead from one root to another", roots: two, files: []string{"one/", "two/a.go"}, path: "../two/a.go", want: "two/a.go", shown: "a.go"},
		{name: "of nested roots the client's first names the file", roots: []string{"one", "one/sub"}, files: []string{"one/sub/a.go"}, path: "$/one/sub/a.go", want: "one/sub/a.go", shown: "sub/a.go"},
	} {
		t.Run(s.name, s.test)
	}
}

func TestResolveKeepsToTheWorkspace(t *testing.T) {
	for _, s := range []scene{
		{name: "dots lead out", files: []string{"out.go"}, path: "../out.go", kind: edits.OutsideWorkspace, says: "../out.go is outside the workspace"},
		{name: "dots lead out to nothing", path: "x/../../gone.go", kind: edits.OutsideWorkspace},
		{name: "encoded dots lead out", path: "file://$/work/%2e%2e/out.go", kind: edits.OutsideWorkspace},
		{name: "encoded slashes lead out", path: "file://$/work/..%2Fout.go", kind: edits.OutsideWorkspace},
		{name: "an absolute path", files: []string{"out.go"}, path: "$/out.go", kind: edits.OutsideWorkspace},
		{name: "a folder whose name only begins like the root", files: []string{"workshop/a.go"}, path: "$/workshop/a.go", kind: edits.OutsideWorkspace},
		{name: "the root's parent", path: "..", kind: edits.OutsideWorkspace},
		{name: "a link to a file outside", files: []string{"out.go"}, links: map[string]string{"work/l.go": "$/out.go"}, path: "l.go", kind: edits.OutsideWorkspace},
		{name: "a relative link to a file outside", files: []string{"out.go"}, links: map[string]string{"work/l.go": "../out.go"}, path: "l.go", kind: edits.OutsideWorkspace},
		{name: "a linked folder outside", files: []string{"out/a.go"}, links: map[string]string{"work/l": "$/out"}, path: "l/a.go", kind: edits.OutsideWorkspace},
		{name: "a file to be made in a linked folder outside", files: []string{"out/"}, links: map[string]string{"work/l": "$/out"}, path: "l/new/a.go", kind: edits.OutsideWorkspace},
		{name: "a chain of links that ends outside", files: []string{"out/a.go", "work/d/"}, links: map[string]string{"work/l1": "d/l2", "work/d/l2": "../l3", "work/l3": "$/out"}, path: "l1/a.go", kind: edits.OutsideWorkspace},
		{name: "a dangling link to outside", links: map[string]string{"work/l.go": "$/gone.go"}, path: "l.go", kind: edits.OutsideWorkspace},
		{name: "a link whose dots count from where it leads", files: []string{"out/in/", "out/a.go", "work/a.go"}, links: map[string]string{"work/in": "$/out/in", "work/l.go": "in/../a.go"}, path: "l.go", kind: edits.OutsideWorkspace},
		{name: "a policy without roots allows no file", roots: []string{}, files: []string{"a.go"}, path: "$/a.go", kind: edits.OutsideWorkspace},
		{name: "the root in capitals", files: []string{"WORK/a.go"}, path: "$/WORK/a.go", kind: edits.OutsideWorkspace, notAsWin: true},
		{name: "what is meant is named", files: []string{"work/src/a.go"}, path: "/src/a.go", kind: edits.OutsideWorkspace, says: "perhaps src/a.go is meant", notAsWin: true},
		{name: "what is meant by dots is named", files: []string{"work/a.go"}, path: "../a.go", kind: edits.OutsideWorkspace, says: "perhaps a.go is meant"},
		{name: "what a link leads to is not named", files: []string{"out/secret.txt"}, links: map[string]string{"work/d": "$/out"}, path: "/foo/d/secret.txt", kind: edits.OutsideWorkspace, says: "name a file in a workspace folder"},
		{name: "what is refused is not named again", files: []string{"out.go"}, links: map[string]string{"work/out.go": "$/out.go"}, path: "out.go", kind: edits.OutsideWorkspace, says: "name a file in a workspace folder"},
	} {
		t.Run(s.name, s.test)
	}
}

func TestResolveLetsThrough(t *testing.T) {
	for _, s := range []scene{
		{name: "a link inside of the root", files: []string{"work/a.go"}, links: map[string]string{"work/l.go": "a.go"}, path: "l.go", want: "work/l.go", shown: "l.go"},
		{name: "a link that goes up", files: []string{"work/a.go"}, links: map[string]string{"work/d/l.go": "../a.go"}, path: "d/l.go", want: "work/d/l.go", shown: "d/l.go"},
		{name: "a file to be made in a linked folder", files: []string{"work/d/"}, links: map[string]string{"work/l": "d"}, path: "l/new.go", want: "work/l/new.go", shown: "l/new.go"},
		{name: "a link that leaves the root and comes back", files: []string{"work/a.go"}, links: map[string]string{"hop": "$/work", "work/l": "$/hop"}, path: "l/a.go", want: "work/l/a.go", shown: "l/a.go"},
		{name: "a link into another root", roots: []string{"one", "two"}, files: []string{"two/a.go"}, links: map[string]string{"one/l": "$/two"}, path: "l/a.go", want: "one/l/a.go", shown: "l/a.go"},
		{name: "a root behind a link", roots: []string{"link"}, files: []string{"real/a.go"}, links: map[string]string{"link": "real"}, path: "a.go", want: "link/a.go", shown: "a.go"},
		{name: "the real path of a file in a root behind a link", roots: []string{"link"}, files: []string{"real/a.go"}, links: map[string]string{"link": "real"}, path: "$/real/a.go", want: "link/a.go", shown: "a.go"},
		{name: "a path through a link to the root", files: []string{"work/a.go"}, links: map[string]string{"link": "work"}, path: "$/link/a.go", want: "work/a.go", shown: "a.go"},
		{name: "a file outside that is open", files: []string{"out.go"}, open: []string{"out.go"}, path: "$/out.go", want: "out.go", shown: "$/out.go"},
		{name: "an open file outside that is not on disk", open: []string{"out.go"}, path: "$/out.go", want: "out.go", shown: "$/out.go"},
		{name: "an open file that the server cannot get at", lost: true, links: map[string]string{"a": "b", "b": "a"}, open: []string{"a"}, path: "$/a", want: "a", shown: "$/a"},
		{name: "a link to an open file outside", files: []string{"out.go"}, links: map[string]string{"work/l.go": "$/out.go"}, open: []string{"out.go"}, path: "l.go", want: "out.go", shown: "$/out.go"},
		{name: "a file outside where the settings allow it", policy: Policy{AllowOutside: true}, files: []string{"out.go"}, path: "$/out.go", want: "out.go", shown: "$/out.go"},
	} {
		t.Run(s.name, s.test)
	}
}

// Editors differ in whether they resolve links; the text on screen must be
// found by either name.
func TestResolveFindsTheNameThatIsOpen(t *testing.T) {
	behind := map[string]string{"link": "real"}
	for _, s := range []scene{
		{name: "the target of a link", files: []string{"work/a.go"}, links: map[string]string{"work/l.go": "a.go"}, open: []string{"work/a.go"}, path: "l.go", want: "work/a.go", shown: "a.go"},
		{name: "the link, if that is open", files: []string{"work/a.go"}, links: map[string]string{"work/l.go": "a.go"}, open: []string{"work/a.go", "work/l.go"}, path: "l.go", want: "work/l.go", shown: "l.go"},
		{name: "the real name in a root behind a link", roots: []string{"link"}, files: []string{"real/a.go"}, links: behind, open: []string{"real/a.go"}, path: "a.go", want: "real/a.go", shown: "a.go"},
		{name: "the root's name for a real path", roots: []string{"link"}, files: []string{"real/a.go"}, links: behind, open: []string{"link/a.go"}, path: "$/real/a.go", want: "link/a.go", shown: "a.go"},
	} {
		t.Run(s.name, s.test)
	}
}

func TestResolveOtherDocuments(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		open       string
		kind       edits.Kind
		says       string
	}{
		{name: "untitled that is open", path: "untitled:Untitled-1", open: "untitled:Untitled-1"},
		{name: "a cell that is open", path: "vscode-notebook-cell:/w/a.ipynb#W0s", open: "vscode-notebook-cell:/w/a.ipynb#W0s"},
		{name: "a file of another host that is open", path: "file://host/a.go", open: "file://host/a.go"},
		{name: "untitled that is not open", path: "untitled:Untitled-1", kind: edits.FileNotFound, says: "File not found: untitled:Untitled-1 is not open in the editor"},
		{name: "another untitled than is open", path: "untitled:Untitled-2", open: "untitled:Untitled-1", kind: edits.FileNotFound},
		{name: "a web page", path: "https://example.com/a.go", kind: edits.FileNotFound},
		{name: "a file URI with a line", path: "file:///w/a.go#L10", kind: edits.InvalidParams, says: "leave out the host, ? and #"},
		{name: "a file URI with nothing else", path: "file://", kind: edits.InvalidParams, says: "file:///path/to/file"},
		{name: "git's copy of a protected file", path: "git:/w/.git/config?x", open: "git:/w/.git/config?x", kind: edits.Protected},
		{name: "a protected name that is encoded", path: "vscode-vfs://h/%2egit/config", open: "vscode-vfs://h/%2egit/config", kind: edits.Protected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.HasPrefix(tt.path, "file://host/") && filepath.Separator == '\\' {
				t.Skip("it has a path there: share_windows_test.go is about those")
			}
			got, err := Policy{Roots: Pin(t.TempDir())}.Resolve(tt.path, opens(Key(tt.open)))
			if tt.kind != "" {
				wantKind(t, err, tt.kind, tt.says)
				return
			}
			if want := (Target{Key: Key(tt.path), URI: tt.path, Path: tt.path}); err != nil || got != want {
				t.Errorf("Resolve(%q) = %+v, %v, want %+v", tt.path, got, err, want)
			}
		})
	}
}

func TestResolveRefusesWhatIsNoPath(t *testing.T) {
	for _, s := range []scene{
		{name: "an empty path", path: "", kind: edits.InvalidParams, says: "path is empty"},
		{name: "nothing but a NUL", path: "\x00", kind: edits.InvalidParams, says: "NUL"},
		{name: "a NUL", path: "a\x00.go", kind: edits.InvalidParams, says: "NUL"},
		{name: "an encoded NUL", path: "file:///a%00.go", kind: edits.InvalidParams, says: "NUL"},
		{name: "a relative path and no workspace folder", roots: []string{}, path: "a.go", kind: edits.InvalidParams, says: "give an absolute path"},
		{name: "a text instead of a path", path: strings.Repeat("x/", maxPath), kind: edits.InvalidParams, says: "more than the 12288"},
		{name: "a name longer than any", path: strings.Repeat("x", 300), kind: edits.InvalidParams, says: "longer than the file system allows", notAsWin: true},
		{name: "links in a circle", links: map[string]string{"work/a": "b", "work/b": "a"}, path: "a", kind: edits.FileNotFound, says: "circle of symbolic links"},
		{name: "links in a circle outside", links: map[string]string{"out/a": "b", "out/b": "a"}, path: "$/out/a", kind: edits.OutsideWorkspace, says: "is outside"},
		{name: "a link to a circle outside", links: map[string]string{"out/a": "b", "out/b": "a", "work/l": "../out/a"}, path: "l", kind: edits.OutsideWorkspace, says: "is outside"},
		{name: "too long a name outside", files: []string{"out/"}, path: "$/out/" + strings.Repeat("x", 300), kind: edits.OutsideWorkspace, says: "is outside"},
		{name: "a path that would break the line of a message", path: "../a\nb", kind: edits.OutsideWorkspace, says: `"../a\nb" is`},
	} {
		t.Run(s.name, s.test)
	}
}

// A name that no user could see whole or type is that of a file that has it, and none is made of it.
func TestResolveMakesNoOddName(t *testing.T) {
	for _, s := range []scene{
		{name: "line ends alone", path: "\r\n\r\n", says: `"\r\n\r\n"`},
		{name: "blanks alone", path: "  ", says: `"  "`},
		{name: "a line end behind it", path: "a.go\n", says: "Give the plain name"},
		{name: "a line end before it, in a folder", files: []string{"work/sub/"}, path: "sub/\na.go", says: `"\na.go"`},
		{name: "a blank behind a folder that is none yet", path: "sub /deep/a.go", says: `"sub "`},
		{name: "a tab in it", path: "a\tb.go", says: `"a\tb.go"`},
		{name: "an escape by absolute path", path: "$/work/\x1b[31ma.go", says: `"\x1b[31ma.go"`},
		{name: "an encoded line end", path: "file://$/work/a.go%0A", says: `"a.go\n"`},
		{name: "a blank without width before it", path: "\u200ba.go", says: `"\u200ba.go"`},
		{name: "a wide blank behind it", path: "a.go\u3000", says: `"a.go\u3000"`},
		{name: "letters that are not drawn, alone", path: "\u3164\u115f", says: `"\u3164\u115f"`},
		{name: "through a link that leads nowhere", links: map[string]string{"work/l": "gone "}, path: "l", want: "work/l"}, // the link is there
		{name: "a line end in a file that is there", files: []string{"work/a.go\n"}, path: "a.go\n", shown: "file://$/work/a.go%0A", want: "work/a.go\n"},
		{name: "a file that is open alone", open: []string{"work/a.go "}, path: "a.go ", want: "work/a.go "},
		{name: "a new file in a folder that is there", files: []string{"work/sub /"}, path: "sub /a.go", want: "work/sub /a.go"},
		{name: "a blank within", path: "my notes.md", want: "work/my notes.md"},
		{name: "an emoji at the end", path: "\u2764\ufe0f", want: "work/\u2764\ufe0f"},
		{name: "England's flag at the end", path: "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", shown: "file://$/work/%F0%9F%8F%B4%F3%A0%81%A7%F3%A0%81%A2%F3%A0%81%A5%F3%A0%81%AE%F3%A0%81%A7%F3%A0%81%BF", want: "work/\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"},
		{name: "a flag that no country has", path: "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E007F", says: "Give the plain name"},
		{name: "letters of a flag behind another emoji", path: "\U0001F600\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", says: "Give the plain name"},
		{name: "a letter more behind a flag", path: "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F\U000E0061", says: "Give the plain name"},
		{name: "joiners within", path: "\u0645\u06cc\u200c\u062e\u0648.md", shown: "file://$/work/%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88.md", want: "work/\u0645\u06cc\u200c\u062e\u0648.md"},
	} {
		if s.notAsWin = true; s.says != "" {
			s.kind = edits.InvalidParams
		} else if s.shown == "" {
			s.shown = strings.TrimPrefix(s.want, "work/")
		}
		t.Run(s.name, s.test)
	}
}

// A path shown in results resolves to the file it was shown for.
func TestShownPathLeadsBack(t *testing.T) {
	dir := newFolder(t)
	p := Policy{Roots: Pin(dir.path("one"), dir.path("two"), dir.path("two/in"))}
	for _, name := range []string{"one/a.go", "two/a.go", "two/b.go", "two/in/b.go", "two/in/c.go", "one/in/c.go"} {
		dir.add(t, name, "")
	}
	for _, name := range []string{"one/a.go", "two/a.go", "two/b.go", "two/in/b.go", "two/in/c.go", "one/in/c.go", "two"} {
		first, err := p.Resolve(dir.path(name), nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := p.Resolve(first.Path, nil); err != nil || again != first {
			t.Errorf("%s is shown as %s, which leads to %+v, %v", name, first.Path, again, err)
		}
	}
}

func TestPathsInMessagesKeepToTheirLine(t *testing.T) {
	for path, want := range map[string]string{
		"a b/é.go": "a b/é.go",
		"\na":      `"\na"`,
		"a\u2028b": `"a\u2028b"`,
		"a\u2029b": `"a\u2029b"`,
		"a\xffb":   `"a\xffb"`,
	} {
		if got := edits.Printable(path); got != want {
			t.Errorf("edits.Printable(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestTargetOfAKey(t *testing.T) {
	dir := newFolder(t)
	p := Policy{Roots: Pin(dir.path("work"))}
	if got := p.Target("untitled:x", nil); got != (Target{Key: "untitled:x", URI: "untitled:x", Path: "untitled:x"}) {
		t.Errorf("Target of an untitled document = %+v", got)
	}
	abs := dir.path("work/src/a.go")
	if got := p.Target(FileKey(abs), nil); got != (Target{Key: FileKey(abs), URI: FileURI(abs), Path: "src/a.go", Abs: abs}) {
		t.Errorf("Target of a file = %+v", got)
	}
}

func TestPathThatIsNotUTF8IsShownAsURI(t *testing.T) {
	abs := string(filepath.Separator) + "w\xff"
	if got := display(abs, nil, nil); got != FileURI(abs) {
		t.Errorf("shown as %q, want %q", got, FileURI(abs))
	}
}

func TestFindByAnyName(t *testing.T) {
	dir := newFolder(t)
	file := dir.add(t, "work/a.go", "")
	dir.add(t, "work/b.go", "")
	dir.link(t, "elsewhere/l.go", "../work/a.go")
	dir.link(t, "new", "work")
	if err := os.Link(dir.path("work/b.go"), dir.path("hard.go")); err != nil {
		t.Fatal(err)
	}
	open := []Key{"untitled:x", FileKey(dir.path("gone.go")), FileKey(dir.path("work/b.go")), FileKey(dir.path("elsewhere/l.go")), FileKey(dir.path("work/made.go"))}
	for abs, want := range map[string]int{
		file: 3, dir.path("elsewhere/l.go"): 3, dir.path("hard.go"): 2, dir.path("gone.go"): 1, dir.path("new/made.go"): 4, dir.path("work/c.go"): -1,
	} {
		if got := Find(FileKey(abs), open); got != want {
			t.Errorf("Find(%s) = %d, want %d", abs, got, want)
		}
	}
	if got := Find(FileKey(file), open[:3]); got != -1 {
		t.Errorf("Find = %d though none of the documents is the file", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := Find(FileKey(file), open); got != 3 {
		t.Errorf("Find = %d, though saving the document makes the file", got)
	}
}
