package paths

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
)

// wantKind fails the test unless err is an *edits.Error of the kind whose
// message contains says.
func wantKind(t *testing.T, err error, kind edits.Kind, says string) {
	t.Helper()
	var e *edits.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v (%T), want one of kind %s", err, err, kind)
	}
	if e.Kind != kind {
		t.Errorf("kind is %s, want %s; message: %s", e.Kind, kind, e.Message)
	}
	if !strings.Contains(e.Message, says) {
		t.Errorf("message is %q, want it to contain %q", e.Message, says)
	}
}

func TestKeyOf(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("the keys below are paths as Unix has them")
	}
	for _, tt := range []struct {
		name, uri string
		key       Key
	}{
		{"a plain file URI is its path", "file:///w/a.go", "/w/a.go"},
		{"percent-encoding is decoded", "file:///w/a%20b%23c.go", "/w/a b#c.go"},
		{"hexadecimal digits of either case", "file:///w/%C3%A9%c3%a9", "/w/éé"},
		{"what should be encoded may not be", "file:///w/a b é.go", "/w/a b é.go"},
		{"a colon is spelled in two ways", "file:///w/a%3Ab", "/w/a:b"},
		{"bytes that are not UTF-8 are kept", "file:///w/%FF", "/w/\xff"},
		{"a % that encodes nothing stays", "file:///w/100%/%zz%4g%g4%4", "/w/100%/%zz%4g%g4%4"},
		{"dots are cleaned away", "file:///w/./x/../a.go", "/w/a.go"},
		{"encoded dots and slashes as well", "file:///w/x%2f%2e%2e/a.go", "/w/a.go"},
		{"a trailing slash is dropped", "file:///w/", "/w"},
		{"one slash is enough", "file:/w/a.go", "/w/a.go"},
		{"localhost is here", "file://localhost/w/a.go", "/w/a.go"},
		{"the scheme may be written in capitals", "FILE:///w/a.go", "/w/a.go"},
		{"a plain path is taken for a file", "/w/../a.go", "/a.go"},
		{"another host's file is no local file", "file://host/w/a.go", "file://host/w/a.go"},
		{"a fragment makes another document", "file:///w/a.go#x", "file:///w/a.go#x"},
		{"a query makes another document", "file:///w/a.go?x", "file:///w/a.go?x"},
		{"a scheme of all that it may have", "aZ0-9.z+A:x", "aZ0-9.z+A:x"},
		{"a scheme of two letters", "ab:x", "ab:x"},
		{"untitled keeps its spelling", "untitled:Untitled-1", "untitled:Untitled-1"},
		{"so does a cell, its encoding too", "vscode-notebook-cell:/w/a%20b.ipynb#W0s", "vscode-notebook-cell:/w/a%20b.ipynb#W0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key, err := KeyOf(tt.uri)
			if err != nil || key != tt.key {
				t.Errorf("KeyOf(%q) = %q, %v, want %q", tt.uri, key, err, tt.key)
			}
		})
	}
}

func TestKeyOfRefuses(t *testing.T) {
	for _, tt := range []struct{ name, uri, says string }{
		{"Neovim's unnamed buffer", "file://", "file:///path/to/file"},
		{"a file without any path", "file:", "no absolute path"},
		{"a host without a path, which is a file name in truth", "file://a.go", "no absolute path"},
		{"a relative path after the scheme", "file:src/a.go", "no absolute path"},
		{"the empty string", "", "not a URI"},
		{"a relative path", "src/a.go", "not a URI"},
		{"a Windows drive, which is not a scheme", "c:", "not a URI"},
		{"a scheme that begins with a digit", "9a:x", "not a URI"},
		{"a scheme that begins with a sign", "+a:x", "not a URI"},
		{"a scheme with what it may not have", "a_b:x", "not a URI"},
		{"a scheme with a control character", "a\x1fb:x", "not a URI"},
		{"a NUL first", "\x00", "NUL"},
		{"a NUL in what is no file", "untitled:\x00", "NUL"},
		{"a NUL", "file:///a\x00b", "NUL"},
		{"an encoded NUL", "file:///a%00b", "NUL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := KeyOf(tt.uri)
			wantKind(t, err, edits.InvalidParams, tt.says)
		})
	}
}

func TestFilePathTellsFilesFromOtherDocuments(t *testing.T) {
	abs := newFolder(t).path("a.go")
	if got, ok := FileKey(abs).FilePath(); !ok || got != abs {
		t.Errorf("FilePath of a file's key = %q, %v, want %q", got, ok, abs)
	}
	for _, k := range []Key{"untitled:Untitled-1", "file://host/a.go", ""} {
		if got, ok := k.FilePath(); ok {
			t.Errorf("FilePath of %q = %q, want none", k, got)
		}
	}
}

func TestFileURIEncodesAsVSCodeDoes(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("the paths below are those of Unix")
	}
	for abs, want := range map[string]string{
		"/w/a.go":         "file:///w/a.go",
		"/w/../w//a.go":   "file:///w/a.go",
		"/w/a b#c?d%.go":  "file:///w/a%20b%23c%3Fd%25.go",
		"/w/é/日本.go":      "file:///w/%C3%A9/%E6%97%A5%E6%9C%AC.go",
		"/w/[id]+(x)@:;&": "file:///w/%5Bid%5D%2B%28x%29%40%3A%3B%26",
	} {
		if got := FileURI(abs); got != want {
			t.Errorf("FileURI(%q) = %q, want %q", abs, got, want)
		}
	}
}

// A key is found again from the URI that goes to the client for it.
func FuzzFileURIRoundTrip(f *testing.F) {
	if filepath.Separator != '/' {
		f.Skip("the seeds are paths as Unix has them")
	}
	for _, seed := range []string{"/a b", "/é/%20", "/\xff", "/a#b?c", "/..//x", "/a:b\\c", "/%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		KeyOf(path) // whatever it is, it must not panic
		if strings.IndexByte(path, 0) >= 0 {
			return
		}
		abs := filepath.Clean("/" + path)
		if len(abs) > 2 && abs[2] == ':' {
			return // vscode-uri takes "/C:" for a drive on Unix too, and folds it
		}
		if key, err := KeyOf(FileURI(abs)); err != nil || key != FileKey(abs) {
			t.Errorf("KeyOf(%q) = %q, %v, want %q", FileURI(abs), key, err, FileKey(abs))
		}
	})
}
