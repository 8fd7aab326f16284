package headless

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/disk"
)

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s has %q (%v), want %q", path, got, err, want)
	}
}

// names returns the names in dir.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func open(t *testing.T, e *Editor, path string) *Buffer {
	t.Helper()
	b, err := e.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSaveKeepsBytes: what was not edited is written as it was read: the byte
// order mark, line ends of every kind, NUL, a missing final newline.
func TestSaveKeepsBytes(t *testing.T) {
	for _, content := range []string{
		"\uFEFFone\r\ntwo\r\n", "\uFEFF", "\uFEFF\uFEFFx", "a\rb\r\nc\nd", "nul\x00\n", "\u2028\u0085\f\n", "no end", "",
	} {
		path := writeFile(t, filepath.Join(tempDir(t), "f"), content)
		e, _ := start(t, Options{}, nil)
		b := open(t, e, path)
		if want := strings.TrimPrefix(content, "\uFEFF"); b.Text() != want {
			t.Errorf("%q was read as %q", content, b.Text())
		}
		if err := b.Insert(len(b.Text()), "!"); err != nil {
			t.Fatal(err)
		}
		if err := b.Save(); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, content+"!")
		b.Undo()
		if !b.Dirty() {
			t.Error("clean after undoing what was saved")
		}
		if err := b.Save(); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, content)
	}
}

// TestSaveKeepsFile: mode and owner stay, a symlink stays one, and the folder
// holds nothing else.
func TestSaveKeepsFile(t *testing.T) {
	dir := tempDir(t)
	path := writeFile(t, filepath.Join(dir, "real", "f"), "x")
	for _, link := range [][2]string{{"real/f", filepath.Join(dir, "link")}, {filepath.Join(dir, "link"), filepath.Join(dir, "link2")}, {"real", filepath.Join(dir, "folder")}} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Fatal(err)
		}
	}
	e, _ := start(t, Options{}, nil)
	for i, name := range []string{path, filepath.Join(dir, "link"), filepath.Join(dir, "link2"), filepath.Join(dir, "folder", "f")} {
		mode := []fs.FileMode{0o600, 0o755, 0o4711, 0o666}[i]
		if err := os.Chmod(path, mode.Perm()|map[bool]fs.FileMode{true: fs.ModeSetuid}[mode&0o4000 != 0]); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Stat(path)
		b := open(t, e, name)
		_ = b.Insert(0, "y")
		if err := b.Save(); err != nil {
			t.Fatal(err)
		}
		b.Close()
		wantFile(t, path, strings.Repeat("y", i+1)+"x")
		after, err := os.Lstat(path)
		if err != nil || after.Mode() != before.Mode() || os.SameFile(before, after) {
			t.Errorf("%s: %v before, %v after, the same file %t", name, before.Mode(), after.Mode(), os.SameFile(before, after))
		}
	}
	for _, link := range []string{"link", "link2", "folder"} {
		if info, err := os.Lstat(dir + "/" + link); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s is no symlink any more", link)
		}
	}
	if got := names(t, filepath.Join(dir, "real")); !slices.Equal(got, []string{"f"}) {
		t.Errorf("the folder has %v", got)
	}
}

// TestSaveThroughDanglingLink makes the link's target.
func TestSaveThroughDanglingLink(t *testing.T) {
	dir := tempDir(t)
	if err := os.Symlink("sub/target", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	e, _ := start(t, Options{}, nil)
	b := openText(t, e, mustURI(t, filepath.Join(dir, "link")), "x")
	if o, ok := e.Buffer(filepath.Join(dir, "sub", "target")); !ok || o != b {
		t.Error("the target is another document")
	}
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, filepath.Join(dir, "sub", "target"), "x")
	if _, err := os.Readlink(filepath.Join(dir, "link")); err != nil {
		t.Error(err)
	}
	_ = os.Symlink("loop", filepath.Join(dir, "loop"))
	if _, err := e.OpenText(mustURI(t, filepath.Join(dir, "loop")), "", "x"); err == nil {
		t.Error("a loop was opened")
	}
}

// TestNewFileMode: a new file has the mode that the umask leaves.
func TestNewFileMode(t *testing.T) {
	dir := tempDir(t)
	ref, err := os.Create(filepath.Join(dir, "ref"))
	if err != nil {
		t.Fatal(err)
	}
	_ = ref.Close()
	e, _ := start(t, Options{}, nil)
	if err := openText(t, e, mustURI(t, filepath.Join(dir, "new")), "x").Save(); err != nil {
		t.Fatal(err)
	}
	want, _ := os.Stat(filepath.Join(dir, "ref"))
	if got, err := os.Stat(filepath.Join(dir, "new")); err != nil || got.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v", got.Mode(), want.Mode())
	}
}

// TestSaveFailures fails each step of a save in turn. Until the rename the file
// is as it was and the buffer dirty; after it the file is the buffer's. No
// temporary file stays, and the next save works.
func TestSaveFailures(t *testing.T) {
	for _, step := range []string{"mkdir", "create", "write", "chmod", "sync", "close", "put", "sync folder"} {
		for _, isNew := range []bool{false, true} {
			if step == "mkdir" && !isNew || step == "chmod" && isNew || step == "sync folder" && runtime.GOOS == "windows" {
				continue // this step is not made
			}
			dir := tempDir(t)
			path := filepath.Join(dir, "sub", "f")
			old := ""
			if !isNew {
				old = "old"
				writeFile(t, path, old)
			}
			e, s := start(t, Options{}, nil)
			b := openText(t, e, mustURI(t, path), "new")
			of := path
			switch {
			case step == "mkdir", step == "sync folder" && !isNew:
				of = filepath.Dir(path)
			case step == "sync folder": // the folder's own name comes first
				of = dir
			}
			breaks(e, step, of)
			err := b.Save()
			if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", step, err)
			}
			written := step == "sync folder" && !isNew
			if written {
				wantFile(t, path, "new")
			} else if !isNew {
				wantFile(t, path, old)
			} else if _, err := os.Stat(path); err == nil {
				t.Errorf("%s: there is a file", step)
			}
			if b.Dirty() == written {
				t.Errorf("%s: dirty %t", step, b.Dirty())
			}
			_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, _ error) error {
				if !d.IsDir() && p != path {
					t.Errorf("%s left %s", step, p)
				}
				return nil
			})
			e.disk.Call = nil
			_ = b.Insert(0, "very ")
			if err := b.Save(); err != nil {
				t.Errorf("%s: then %v", step, err)
			}
			wantFile(t, path, "very new")
			_ = e.Call(t.Context(), "test/barrier", nil, nil)
			if m, _ := s.Doc(b.URI()); m.Saves < 1 || *m.Saved != "very new" {
				t.Errorf("%s: the server has %+v", step, m)
			}
		}
	}
}

// TestWriteProtected: a file that may not be written is not replaced.
func TestWriteProtected(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "old")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	e, _ := start(t, Options{}, nil)
	b := open(t, e, path)
	_ = b.Insert(0, "x")
	if err := b.Save(); !errors.Is(err, fs.ErrPermission) || !b.Dirty() {
		t.Errorf("saved: %v", err)
	}
	wantFile(t, path, "old")
}

// TestCleanBufferIsNotWritten: saving what is not dirty touches nothing.
func TestCleanBufferIsNotWritten(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "mine")
	e, s := start(t, Options{Disk: disk.Disk{AllowSave: func(string) error { return errors.New("asked") }}}, nil)
	b := open(t, e, path)
	writeFile(t, path, "theirs")
	if err := b.Save(); err != nil {
		t.Error(err)
	}
	wantFile(t, path, "theirs")
	_ = e.Call(t.Context(), "test/barrier", nil, nil)
	if m, _ := s.Doc(b.URI()); m.Saves != 0 {
		t.Error("didSave was sent")
	}
}

func TestAllowSave(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "mine")
	e, _ := start(t, Options{Disk: disk.Disk{AllowSave: func(p string) error { return errors.New("another editor has " + p) }}}, nil)
	b := open(t, e, path)
	_ = b.Insert(0, "x")
	if err := b.Save(); err == nil || !strings.Contains(err.Error(), "another editor has "+path) {
		t.Errorf("saved: %v", err)
	}
	wantFile(t, path, "mine")
}

func TestSaveUntitled(t *testing.T) {
	e, _ := start(t, Options{}, nil)
	if err := openText(t, e, "untitled:1", "x").Save(); !errors.Is(err, ErrNoFile) {
		t.Error(err)
	}
}
