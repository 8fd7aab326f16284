package disk

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

var errBroken = errors.New("broken disk")

// linked returns the change of a file that has two names.
func linked(t *testing.T, dir, content string) *Change {
	t.Helper()
	if err := os.Link(writeFile(t, dir+"/f", content), dir+"/g"); err != nil {
		t.Skip("there are no hard links here: ", err)
	}
	return writes(t, dir+"/f", "new")
}

// TestWriteKeepsNames: all hard links of a file have the new content, saved alone or with others.
func TestWriteKeepsNames(t *testing.T) {
	for _, several := range []bool{false, true} {
		dir := folder(t)
		changes := []*Change{linked(t, dir, "older text")}
		want := []string{"f", "g"}
		if several {
			changes, want = append(changes, writes(t, dir+"/made", "")), append(want, "made")
		}
		if _, err := (Disk{}).Commit(changes...); err != nil {
			t.Fatal(err)
		}
		wantFile(t, dir+"/f", "new")
		wantFile(t, dir+"/g", "new")
		if got := names(t, dir); !slices.Equal(got, want) {
			t.Errorf("the folder has %v", got)
		}
	}
}

// TestOverwritingFails: either the file is unchanged, or the error names a copy of its old content.
func TestOverwritingFails(t *testing.T) {
	for times, want := range []string{"new", "older text", ""} {
		dir := folder(t)
		left := times
		d := Disk{Call: func(op, _ string, do func() error) error {
			if op != "truncate" || left == 0 {
				return do()
			}
			left--
			return errBroken
		}}
		_, err := d.Commit(linked(t, dir, "older text"), writes(t, dir+"/made", ""))
		if err == nil != (times == 0) {
			t.Errorf("%d times: %v", times, err)
		}
		if want != "" {
			wantFile(t, dir+"/g", want)
			continue
		}
		_, kept, _ := strings.Cut(err.Error(), "what it had is in "+dir+"/") // next to it is the new text, for another attempt
		wantFile(t, dir+"/"+kept, "older text")
		if _, half := errors.AsType[*HalfSavedError](err); !half || !strings.Contains(err.Error(), kept) {
			t.Error(err)
		}
	}
}

// TestOverwrittenIsPutBack where another file cannot be made.
func TestOverwrittenIsPutBack(t *testing.T) {
	dir := folder(t)
	made := writes(t, dir+"/made", "")
	d := Disk{Call: func(op, path string, do func() error) error {
		if path == made.Path && (op == "link" || op == "rename") {
			return errBroken
		}
		return do()
	}}
	if failed, err := d.Commit(linked(t, dir, "older text"), made); failed != made || !errors.Is(err, errBroken) {
		t.Error(err)
	}
	wantFile(t, dir+"/f", "older text")
	wantFile(t, dir+"/g", "older text")
	if got := names(t, dir); !slices.Equal(got, []string{"f", "g"}) {
		t.Errorf("the folder has %v", got)
	}
}

// TestKindOf: a save does not change the owner of a file.
func TestKindOf(t *testing.T) {
	dir := folder(t)
	a, b := writeFile(t, dir+"/a", ""), writeFile(t, dir+"/b", "")
	kindOf := func() (kind, error) {
		old, err := os.Stat(b)
		if err != nil {
			return "", err
		}
		return Disk{}.kindOf(b, old, a)
	}
	if k, err := kindOf(); k != replaces || err != nil {
		t.Errorf("my own: %v, %v", k, err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	for _, owner := range [][2]int{{1, 0}, {0, 1}} {
		if err := os.Chown(b, owner[0], owner[1]); err != nil {
			t.Fatal(err)
		}
		if k, err := kindOf(); k != fills || err != nil {
			t.Errorf("%v: %v, %v", owner, k, err)
		}
	}
}
