package headless

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

// severalEdits makes an edit of each kind in the folder dir: one file is changed, one
// deleted, one renamed, and one created in a folder that does not exist.
func severalEdits(t *testing.T, e *Editor, s *fakeserver.Server, dir string) (uris []string) {
	t.Helper()
	uri := func(name string) string { return mustURI(t, filepath.Join(dir, name)) }
	for _, name := range []string{"edited", "deleted", "renamed"} {
		writeFile(t, filepath.Join(dir, name), name)
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.Apply("", deleteFile(uri("deleted")), fakeserver.TextEdits(uri("edited"), nil, at(0, 0, 0, 0, "x")),
		renameFile(uri("renamed"), uri("other")), createFile(uri("sub/made"), nil)).MustApply(t)
	return []string{uri("deleted"), uri("edited"), uri("other"), uri("sub/made")}
}

// TestSaveAllOrNothing fails saving at each file in turn, as late as it can be failed.
// The disk is as it was, and then all can be saved.
func TestSaveAllOrNothing(t *testing.T) {
	for _, fault := range []string{
		"put renamed", "put sub/made", "put other", "mkdir sub", "close edited", "put deleted",
	} {
		step, at, _ := strings.Cut(fault, " ")
		dir := tempDir(t)
		e, s := start(t, Options{}, nil)
		uris := severalEdits(t, e, s, dir)
		before, _ := os.Stat(filepath.Join(dir, "edited"))
		breaks(e, step, filepath.Join(dir, at))
		err := e.SaveAll(uris...)
		of, ok := errors.AsType[*SaveError](err)
		if !ok || !errors.Is(err, errBroken) || !slices.Contains(uris, of.URI) {
			t.Errorf("%s: %v", fault, err)
		}
		for _, name := range []string{"edited", "deleted", "renamed"} {
			wantFile(t, filepath.Join(dir, name), name)
		}
		if got := names(t, dir); len(got) != 3 {
			t.Errorf("%s: the folder has %v", fault, got)
		}
		if after, err := os.Stat(filepath.Join(dir, "edited")); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s: it is another file", fault)
		}
		e.disk.Call = nil
		if err := e.SaveAll(uris...); err != nil {
			t.Errorf("%s: then %v", fault, err)
		}
		wantFile(t, filepath.Join(dir, "edited"), "xedited")
		wantFile(t, filepath.Join(dir, "sub", "made"), "")
		if got := names(t, dir); !slices.Equal(got, []string{"edited", "other", "sub"}) {
			t.Errorf("%s: the folder has %v", fault, got)
		}
	}
}

// TestSaveAllLeavesNoFolder: a failed save removes a folder that it made for several files.
func TestSaveAllLeavesNoFolder(t *testing.T) {
	dir := tempDir(t)
	e, s := start(t, Options{}, nil)
	uris := []string{mustURI(t, filepath.Join(dir, "sub", "a")), mustURI(t, filepath.Join(dir, "sub", "b"))}
	s.Apply("", createFile(uris[0], nil), createFile(uris[1], nil)).MustApply(t)
	breaks(e, "put", filepath.Join(dir, "sub", "b"))
	if err := e.SaveAll(uris...); err == nil {
		t.Error("saved")
	}
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("the folder has %v", got)
	}
}

// TestSaveAllIsNotDurable: if only a sync of a folder fails, the files are saved and no buffer is dirty.
func TestSaveAllIsNotDurable(t *testing.T) {
	dir := tempDir(t)
	e, s := start(t, Options{}, nil)
	uris := severalEdits(t, e, s, dir)
	breaks(e, "sync folder", filepath.Join(dir, "sub"))
	if err := e.SaveAll(uris...); !errors.Is(err, disk.ErrNotDurable) || !errors.Is(err, errBroken) {
		t.Error(err)
	}
	wantFile(t, filepath.Join(dir, "edited"), "xedited")
	for _, b := range e.Buffers() {
		if b.Dirty() {
			t.Errorf("%s is dirty", b.URI())
		}
	}
}

// TestSaveAllCannotPutBack: the error says which files hold what.
func TestSaveAllCannotPutBack(t *testing.T) {
	dir := tempDir(t)
	e, s := start(t, Options{}, nil)
	uris := severalEdits(t, e, s, dir)
	broken := false
	e.disk.Call = func(op, path string, do func() error) error {
		broken = broken || isStep("put", op, path, filepath.Join(dir, "sub", "made"))
		if broken && isChange(op) {
			return errBroken
		}
		return do()
	}
	err := e.SaveAll(uris...)
	half, ok := errors.AsType[*disk.HalfSavedError](err)
	if !ok || len(half.Leftovers) != 4 {
		t.Fatal(err)
	}
	for _, name := range []string{"edited", "deleted", "renamed", "other"} {
		if !strings.Contains(err.Error(), filepath.Join(dir, name)) {
			t.Errorf("%s is not in: %v", name, err)
		}
	}
	kept := 0
	for _, name := range names(t, dir) {
		if content, _ := os.ReadFile(dir + "/" + name); strings.HasPrefix(name, ".") && strings.Contains(err.Error(), name) {
			kept += len(content)
		}
	}
	if kept != len("edited"+"deleted"+"renamed") {
		t.Errorf("%v: the folder has %v", err, names(t, dir))
	}
}

// TestSaveAllIsAskedFirst: nothing is touched if one of the files is refused.
func TestSaveAllIsAskedFirst(t *testing.T) {
	dir := tempDir(t)
	e, s := start(t, Options{Disk: disk.Disk{AllowSave: func(path string) error {
		if path == filepath.Join(dir, "renamed") {
			return errors.New("another editor has it")
		}
		return nil
	}}}, nil)
	uris := severalEdits(t, e, s, dir)
	e.disk.Call = func(op, path string, do func() error) error {
		if isChange(op) && strings.HasPrefix(path, dir) {
			t.Errorf("%s of %s, though refused", op, path)
		}
		return do()
	}
	if err := e.SaveAll(uris...); err == nil {
		t.Error("saved")
	}
}

// TestTwoProgramsSave: the second program saves between the first one's check and its
// write. Just one of the two saves succeeds.
func TestTwoProgramsSave(t *testing.T) {
	for _, isNew := range []bool{false, true} {
		dir := tempDir(t)
		uri := mustURI(t, filepath.Join(dir, "f"))
		if !isNew {
			writeFile(t, filepath.Join(dir, "f"), "old")
		}
		one, _ := start(t, Options{}, nil)
		two, _ := start(t, Options{}, nil)
		first, second := openText(t, one, uri, "first"), openText(t, two, uri, "second")
		var inTurn error
		turn := false
		one.disk.Call = func(op, path string, do func() error) error {
			if !turn && isStep("put", op, path, filepath.Join(dir, "f")) {
				turn = true
				inTurn = second.Save()
			}
			return do()
		}
		err := first.Save()
		content, _ := os.ReadFile(filepath.Join(dir, "f"))
		if err == nil == (inTurn == nil) || err == nil && string(content) != "first" || inTurn == nil && string(content) != "second" {
			t.Errorf("new %t: first %v, second %v, disk has %q", isNew, err, inTurn, content)
		}
		if got := names(t, dir); len(got) != 1 {
			t.Errorf("the folder has %v", got)
		}
	}
}

// TestSaveOfALockedFile: the error says which file is locked.
func TestSaveOfALockedFile(t *testing.T) {
	path := writeFile(t, filepath.Join(tempDir(t), "f"), "old")
	e, _ := start(t, Options{}, nil)
	b := open(t, e, path)
	_ = b.Insert(0, "x")
	e.disk.Call = func(op, at string, do func() error) error {
		if op == "lock" && at == path {
			return disk.ErrLocked
		}
		return do()
	}
	if err := b.Save(); !errors.Is(err, disk.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("saved: %v", err)
	}
	wantFile(t, path, "old")
	e.disk.Call = nil
	if err := b.Save(); err != nil {
		t.Error(err)
	}
}

// TestSaveAllByBothNames of a file that was renamed.
func TestSaveAllByBothNames(t *testing.T) {
	for _, oldFirst := range []bool{true, false} {
		dir := tempDir(t)
		uris := []string{mustURI(t, writeFile(t, filepath.Join(dir, "a"), "x")), mustURI(t, filepath.Join(dir, "b"))}
		e, s := start(t, Options{}, nil)
		s.Apply("", renameFile(uris[0], uris[1])).MustApply(t)
		if !oldFirst {
			slices.Reverse(uris)
		}
		if err := e.SaveAll(uris...); err != nil {
			t.Error(err)
		}
		wantFile(t, filepath.Join(dir, "b"), "x")
		wantNoFile(t, filepath.Join(dir, "a"))
	}
}

// TestModeIsKept of a file that is renamed, and of one that is deleted and comes back,
// saved in between or not.
func TestModeIsKept(t *testing.T) {
	for _, saved := range []bool{true, false} {
		dir := tempDir(t)
		a, b := mustURI(t, writeFile(t, filepath.Join(dir, "a"), "a")), mustURI(t, filepath.Join(dir, "b"))
		if err := os.Chmod(filepath.Join(dir, "a"), 0o751); err != nil {
			t.Fatal(err)
		}
		_, s := start(t, Options{}, nil)
		for i, step := range []struct {
			change any
			uri    string
		}{{renameFile(a, b), b}, {renameFile(b, a), a}, {deleteFile(a), a}, {createFile(a, nil), a}} {
			s.Apply("", step.change).MustApply(t)
			if !saved && i < 3 {
				continue
			}
			if got := save(s, step.uri); got[0] != "" {
				t.Error(got)
			}
			for _, name := range names(t, dir) {
				if info, err := os.Stat(dir + "/" + name); err != nil || info.Mode() != 0o751 {
					t.Errorf("saved in between %t, step %d: %s has %v (%v)", saved, i, name, info.Mode(), err)
				}
			}
		}
	}
}

// TestLinkIsNotMoved: a plain file would take the place of the link.
func TestLinkIsNotMoved(t *testing.T) {
	dir := tempDir(t)
	writeFile(t, filepath.Join(dir, "real"), "x")
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	e, s := start(t, Options{}, nil)
	s.Apply("", renameFile(mustURI(t, filepath.Join(dir, "link")), mustURI(t, filepath.Join(dir, "new")))).MustApply(t)
	if err := e.SaveAll(mustURI(t, filepath.Join(dir, "new"))); !errors.Is(err, ErrSymlink) || !strings.Contains(err.Error(), filepath.Join(dir, "link")) {
		t.Error(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"link", "real"}) {
		t.Errorf("the folder has %v", got)
	}
}
