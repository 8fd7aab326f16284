package headless

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/disk"
)

// TestDiskChanged: a save does not overwrite what another program wrote. A touch does
// not count as a change, nor does writing the same text again.
func TestDiskChanged(t *testing.T) {
	for name, meddle := range map[string]func(path string){
		"changed":             func(path string) { _ = os.WriteFile(path, []byte("ours!"), 0o644) },
		"deleted":             func(path string) { _ = os.Remove(path) },
		"replaced":            func(path string) { _ = os.Rename(path+"2", path) },
		"changed at the last": nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir := tempDir(t)
			path := writeFile(t, filepath.Join(dir, "f"), "mine!")
			writeFile(t, path+"2", "other")
			stat, _ := os.Stat(path)
			e, _ := start(t, Options{}, nil)
			b := open(t, e, path)
			_ = b.Insert(0, "x")
			if meddle != nil {
				e.disk.Call = func(op, at string, do func() error) error {
					if isChange(op) && strings.HasPrefix(at, dir) {
						t.Errorf("%s of %s, though refused", op, at)
					}
					return do()
				}
				meddle(path)
				_ = os.Chtimes(path, stat.ModTime(), stat.ModTime()) // same size, same time
			} else {
				e.disk.Call = func(op, at string, do func() error) error {
					if isStep("close", op, at, path) {
						_ = os.WriteFile(path, []byte("ours!"), 0o644)
					}
					return do()
				}
			}
			before, _ := os.ReadFile(path)
			err := b.Save()
			var changed *disk.ChangedError
			if !errors.As(err, &changed) || changed.Path != path || !strings.Contains(err.Error(), path) {
				t.Fatalf("saved: %v", err)
			}
			if after, _ := os.ReadFile(path); meddle != nil && !bytes.Equal(after, before) || !b.Dirty() {
				t.Errorf("disk has %q, dirty %t", after, b.Dirty())
			}
			if got := len(names(t, dir)); got > 2 {
				t.Errorf("the folder has %v", names(t, dir))
			}
			e.disk.Call = nil
		})
	}
}

func TestDiskCreated(t *testing.T) {
	path := filepath.Join(tempDir(t), "f")
	e, _ := start(t, Options{}, nil)
	b := openText(t, e, mustURI(t, path), "mine")
	writeFile(t, path, "theirs")
	var changed *disk.ChangedError
	if err := b.Save(); !errors.As(err, &changed) || changed.How != "created" {
		t.Errorf("saved: %v", err)
	}
	wantFile(t, path, "theirs")
}

func TestTouchIsNoChange(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "mine")
	e, _ := start(t, Options{}, nil)
	b := open(t, e, path)
	_ = b.Insert(0, "x")
	_ = os.Remove(path)
	writeFile(t, path, "mine")
	if err := b.Save(); err != nil {
		t.Error(err)
	}
	if err := b.Save(); err != nil { // nothing to do
		t.Error(err)
	}
	wantFile(t, path, "xmine")
}
