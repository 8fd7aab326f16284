package headless

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// linked returns a file that has two names, and a buffer of it that is to be saved.
func linked(t *testing.T, e *Editor, dir, content string) *Buffer {
	t.Helper()
	if err := os.Link(writeFile(t, dir+"/f", content), dir+"/g"); err != nil {
		t.Skip("there are no hard links here: ", err)
	}
	b := open(t, e, dir+"/f")
	if err := b.SetText("new"); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSaveKeepsNames: all names of a file have what was saved, alone or with others.
func TestSaveKeepsNames(t *testing.T) {
	for _, several := range []bool{false, true} {
		dir := t.TempDir()
		e, s := start(t, Options{}, nil)
		uris := []string{linked(t, e, dir, "older text").URI()}
		want := []string{"f", "g"}
		if several {
			s.apply("", createFile(mustURI(t, dir+"/made"), nil)).mustApply(t)
			uris, want = append(uris, mustURI(t, dir+"/made")), append(want, "made")
		}
		if err := e.SaveAll(uris...); err != nil {
			t.Fatal(err)
		}
		wantFile(t, dir+"/f", "new")
		wantFile(t, dir+"/g", "new")
		if got := names(t, dir); !slices.Equal(got, want) {
			t.Errorf("the folder has %v", got)
		}
	}
}

// TestOverwritingFails: the file is as it was, or a copy of it is there and named.
func TestOverwritingFails(t *testing.T) {
	for times, want := range []string{"new", "older text", ""} {
		dir := t.TempDir()
		e, s := start(t, Options{}, nil)
		s.apply("", createFile(mustURI(t, dir+"/made"), nil)).mustApply(t)
		uris := []string{linked(t, e, dir, "older text").URI(), mustURI(t, dir+"/made")}
		left := times
		e.disk.call = func(op, _ string, do func() error) error {
			if op != "truncate" || left == 0 {
				return do()
			}
			left--
			return errBroken
		}
		err := e.SaveAll(uris...)
		if err == nil != (times == 0) {
			t.Errorf("%d times: %v", times, err)
		}
		if want != "" {
			wantFile(t, dir+"/g", want)
			continue
		}
		_, kept, _ := strings.Cut(err.Error(), "which is in "+dir+"/") // beside it the new text, for who tries again
		wantFile(t, dir+"/"+kept, "older text")
		if _, half := errors.AsType[*HalfSavedError](err); !half || !strings.Contains(err.Error(), kept) {
			t.Error(err)
		}
	}
}

// TestOverwrittenIsPutBack where another file cannot be saved.
func TestOverwrittenIsPutBack(t *testing.T) {
	dir := t.TempDir()
	e, s := start(t, Options{}, nil)
	s.apply("", createFile(mustURI(t, dir+"/made"), nil)).mustApply(t)
	uris := []string{linked(t, e, dir, "older text").URI(), mustURI(t, dir+"/made")}
	breaks(e, "put", dir+"/made")
	if err := e.SaveAll(uris...); err == nil {
		t.Error("saved")
	}
	wantFile(t, dir+"/f", "older text")
	wantFile(t, dir+"/g", "older text")
	if got := names(t, dir); !slices.Equal(got, []string{"f", "g"}) {
		t.Errorf("the folder has %v", got)
	}
}

// TestKindOf: nobody's file is taken from him.
func TestKindOf(t *testing.T) {
	dir := t.TempDir()
	a, b := writeFile(t, dir+"/a", ""), writeFile(t, dir+"/b", "")
	old := stampOf(nil)
	c := &change{path: b, old: &old}
	if k, err := (disk{}).kindOf(c, a); k != replaces || err != nil {
		t.Errorf("my own: %v, %v", k, err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	for _, owner := range [][2]int{{1, 0}, {0, 1}} {
		if err := os.Chown(b, owner[0], owner[1]); err != nil {
			t.Fatal(err)
		}
		if k, err := (disk{}).kindOf(c, a); k != fills || err != nil {
			t.Errorf("%v: %v, %v", owner, k, err)
		}
	}
}
