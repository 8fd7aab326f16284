package headless

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

// TestPathsAndURIs go both ways without loss, or not at all.
func TestPathsAndURIs(t *testing.T) {
	for path, want := range map[string]string{
		"/a/b.go":  "file:///a/b.go",
		"/a b":     "file:///a%20b",
		"/a%20b":   "file:///a%2520b",
		"/a%b":     "file:///a%25b",
		"/é/漢😀":    "file:///%C3%A9/%E6%BC%A2%F0%9F%98%80",
		"/e\u0301": "file:///e%CC%81",
		"/a\\b":    "file:///a%5Cb",
		"/a?b#c":   "file:///a%3Fb%23c",
		"/a+b=c&d": "file:///a%2Bb%3Dc%26d",
		"/a\nb":    "file:///a%0Ab",
		"/":        "file:///",
		"/c:/x":    "file:///c%3A/x",
		"/ws/C:/x": "file:///ws/C%3A/x",
		"/a\xffb":  "", // not UTF-8
		"/C:/x":    "", // a URI folds the case of a drive
	} {
		u, err := uriOf(path)
		if (err != nil) != (want == "") || u != want {
			t.Errorf("%q: %q %v", path, u, err)
		}
		if back, ok := pathOf(u); err == nil && (!ok || back != path) {
			t.Errorf("%q came back as %q", path, back)
		}
	}
	for raw, want := range map[string]string{
		"file:///a/../b//c": "/b/c", "file:///a%2Fb": "/a/b", "file:///%c3%a9": "/é", "file:///a+b": "/a+b",
		"file://localhost/x": "/x", "file:/x": "/x", "file://server/x": "", "untitled:Untitled-1": "", "file:////srv": "", "": "/",
	} {
		if got, ok := pathOf(raw); got != want || ok != (want != "") {
			t.Errorf("%q: %q %t", raw, got, ok)
		}
	}
}

// TestKeysOfNewFolders: a document in a folder that does not exist yet has the same key once it exists, even if no
// letter in the parent folder's name tells whether case counts.
func TestKeysOfNewFolders(t *testing.T) {
	for _, name := range []string{"menu", "2026"} {
		path := filepath.Join(t.TempDir(), name, "New", "Menu.txt")
		if err := os.MkdirAll(filepath.Dir(filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		was := keyOfPath(path)
		writeFile(t, path, "")
		if is := keyOfPath(path); is != was {
			t.Errorf("it was %s, and is %s", was, is)
		}
	}
}

func TestIsURI(t *testing.T) {
	for s, want := range map[string]bool{
		"file:///x": true, "untitled:1": true, "vscode-notebook-cell:/x#W0": true,
		"/a:b": false, "a": false, "dir/a:b": false, `C:\x`: false, "./a:b": false, "": false,
	} {
		if got := isURI(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

func TestBadURIs(t *testing.T) {
	e, s := start(t, Options{}, nil)
	for _, u := range []string{"file://server/x", "file:////srv"} {
		if _, err := e.OpenText(u, "", ""); err == nil {
			t.Errorf("%q was opened", u)
		}
		s.Apply("", fakeserver.TextEdits(u, nil, at(0, 0, 0, 0, "x"))).MustRefuse(t, "", 0)
	}
	for _, u := range []string{"untitled:Untitled-1", "vscode-notebook-cell:/a/b.ipynb#W0", "zipfile:///a::b"} {
		b := openText(t, e, u, "")
		if b.URI() != u || b.Path() != "" {
			t.Errorf("%q became %q, path %q", u, b.URI(), b.Path())
		}
		if o, ok := e.Buffer(u); !ok || o != b {
			t.Errorf("%q is not found", u)
		}
	}
	if _, ok := e.Buffer(strings.Repeat("x", 3)); ok {
		t.Error("a buffer from nowhere")
	}
}
