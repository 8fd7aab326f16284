package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// folder returns an empty folder; journals are beside it.
func folder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	t.Setenv("HOME", filepath.Join(root, "home"))
	t.Setenv("LocalAppData", filepath.Join(root, "home"))
	t.Setenv("TMPDIR", filepath.Join(root, "tmp"))
	dir := filepath.Join(root, "w")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeFile(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s has %q (%v), want %q", path, got, err, want)
	}
}

// names returns the names in dir.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// writes is the change that makes content that of the file at path, which must stay as it
// is until then.
func writes(t *testing.T, path, content string) *Change {
	t.Helper()
	old, err := (Disk{}).Look(path)
	if err != nil {
		t.Fatal(err)
	}
	return &Change{Path: path, Content: []byte(content), Old: old}
}

// write makes content the whole content of the file at path.
func write(d Disk, path string, content []byte, old Stamp) error {
	_, err := d.Commit(&Change{Path: path, Content: content, Old: old})
	return err
}

// TestWriteOfALockedFile: a write does not wait for a lock.
func TestWriteOfALockedFile(t *testing.T) {
	path := writeFile(t, folder(t)+"/f", "old")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := own(f); err != nil {
		t.Fatal(err)
	}
	second, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close() }()
	if own(second) == nil {
		t.Skip("there are no locks here")
	}
	old := StampOf([]byte("old"))
	if err := write(Disk{}, path, []byte("new"), old); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	wantFile(t, path, "old")
	_ = f.Close()
	_ = second.Close()
	if err := write(Disk{}, path, []byte("new"), old); err != nil {
		t.Error(err)
	}
	wantFile(t, path, "new")
}

// TestPlace: what is there is not replaced.
func TestPlace(t *testing.T) {
	dir := folder(t)
	a, b := writeFile(t, dir+"/a", "a"), writeFile(t, dir+"/b", "b")
	if _, ok := errors.AsType[*ChangedError]((&journal{}).place(a, b)); !ok {
		t.Error("what is there was replaced")
	}
	wantFile(t, b, "b")
	if err := (&journal{}).place(a, dir+"/nosuch/c"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := (&journal{}).place(a, dir+"/c"); err != nil {
		t.Error(err)
	}
	wantFile(t, dir+"/c", "a")
	if got := names(t, dir); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the folder has %v", got)
	}
}
