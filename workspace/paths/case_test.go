package paths

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRootsAsTheVolumeComparesThem: a folder has exactly the names by which the volume
// finds it. A symbolic link simulates a volume that ignores case.
func TestRootsAsTheVolumeComparesThem(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	capital := filepath.Join(dir, "Work")
	inside := func() bool { _, ok := Below(work, filepath.Join(capital, "a.txt")); return ok }
	_, err := os.Stat(capital)
	if ignores := err == nil; inside() != ignores {
		t.Errorf("the volume ignores case: %t; the root: %t", ignores, inside())
	}
	if err != nil {
		folder(dir).link(t, "Work", "work")
	}
	if !inside() {
		t.Error("the folder is found under another spelling, and the root is not")
	}
	if _, ok := Below(work, filepath.Join(dir, "works", "a.txt")); ok {
		t.Error("a longer name is in it")
	}
}

// TestARootInOtherCase: a file is found by any spelling of its root, and named as the editor names it.
func TestARootInOtherCase(t *testing.T) {
	dir := newFolder(t)
	work := dir.path("work")
	dir.add(t, "work/", "")
	given := dir.path("WORK/a.txt")
	_, missing := os.Stat(filepath.Dir(given))
	got, err := Policy{Roots: Pin(work)}.Resolve(given, nil)
	if (err == nil) != (missing == nil) {
		t.Fatalf("got %+v, %v; %v", got, err, missing)
	}
	if err == nil && (got.Path != "a.txt" || !strings.HasPrefix(got.Abs, work)) {
		t.Errorf("got %+v, want a.txt in %s", got, work)
	}
}
