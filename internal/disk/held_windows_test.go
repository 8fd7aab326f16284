package disk

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/patchls/patchls/internal/contention"
)

// TestASaveWaitsForWhoHoldsTheFile: a scanner that briefly locks a file against changes
// only delays a save. A longer lock is reported, and leaves the file unchanged.
func TestASaveWaitsForWhoHoldsTheFile(t *testing.T) {
	path := writeFile(t, filepath.Join(folder(t), "a.txt"), "old\n")
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	hold := func() (free func()) {
		h, err := windows.CreateFile(name, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, nil, windows.OPEN_EXISTING, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return sync.OnceFunc(func() { _ = windows.CloseHandle(h) })
	}
	save := func(d Disk, old, text string, want error, has string) {
		t.Helper()
		_, err := d.Commit(&Change{Path: path, Content: []byte(text), Old: StampOf([]byte(old))})
		if now, _ := d.Read(path); !errors.Is(err, want) || now.Text != has {
			t.Errorf("got %v, want %v, and it has %q", err, want, now.Text)
		}
	}
	free, was := hold(), false
	save(Disk{Call: func(op, _ string, do func() error) error {
		if op == "rename" {
			was = true
			time.AfterFunc(20*contention.Pause, free)
		}
		return do()
	}}, "old\n", "new\n", nil, "new\n")
	if !was {
		t.Error("it was not held when it was to be replaced: the test is blind")
	}
	free = hold()
	save(Disk{}, "new\n", "newer\n", ErrLocked, "new\n")
	free()
	save(Disk{}, "new\n", "newer\n", nil, "newer\n")
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("%q are there", left) // the name that the save before has left is gone
	}
}
