package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// kind is what becomes of a file.
type kind string

const (
	replaces kind = "replace" // Spare takes its name
	makes    kind = "make"    // the same, and there is nothing
	fills    kind = "fill"    // its bytes are overwritten
	removes  kind = "remove"  // it gets the name Spare
)

// fileStep is a change as a journal has it. What became of it is seen on disk, so it is
// taken back in the same way after an error and after a crash, and twice if need be.
type fileStep struct {
	Kind  kind   `json:"kind"`
	Path  string `json:"path"`
	Spare string `json:"spare"`          // the new text until it is in place, then what was there
	Kept  string `json:"kept,omitempty"` // what was there, where Spare does not get it
	New   Stamp  `json:"new,omitempty"`  // of the new text, "" if there is none

	filled bool // Kept is complete
	held   bool // an empty file was made at Path
	over   bool // it was taken back before, or is to stay
}

// leftBehind says that a file has got another text since, so that it stays, and where the
// one is that it had before.
type leftBehind struct{ path, old string } //nolint:errname // it says what is left, beside what was done

func (e *leftBehind) Error() string {
	return fmt.Sprintf("%s was changed by another program and stays; what it had before is in %s", e.path, e.old)
}

// takeBack undoes the steps, the last one first, and tells of each what became of it. What
// is over is noted: what has been saved there since must not be taken back as well. Then the
// journal goes, unless a step is left to the next save.
func (j *journal) takeBack(tell func(s fileStep, err error)) {
	for _, s := range slices.Backward(j.steps) {
		if s.over {
			continue
		}
		err := j.undo(s)
		n := note{Over: s.Path}
		other, stays := errors.AsType[*leftBehind](err)
		if stays {
			n.Keep = []string{other.old}
		}
		if err == nil || stays {
			_ = j.note(n) // else it is looked at again
		} else {
			j.left = true
			j.keep = append(j.keep, s.Spare, s.Kept)
			err = s.leftError(err)
		}
		tell(s, err)
	}
	j.drop()
}

// undo takes a step back, as far as it was made, which is seen by where the texts are. What
// another program has written since is not touched: the error is a *leftBehind then.
func (j *journal) undo(s fileStep) error {
	if s.Kind == fills {
		return j.undoFill(s)
	}
	d := j.d
	path, spare, kept := s.Path, s.Spare, s.Kept
	now, err := d.lookAt(path)
	if err != nil {
		return err
	}
	was, err := d.lookAt(spare)
	if err != nil {
		return err
	}
	hollow := s.held && now == StampOf(nil) // the text that is to come is in spare still
	if s.Kind == makes {
		if hollow && was == s.New || s.held && was == "" && now == s.New || d.same(path, spare) {
			return d.remove(path) // else it is somebody else's, be it the same
		}
		return nil
	}
	old := spare
	switch {
	case was == s.New:
		return nil // nothing was moved
	case was == "" && (kept == "" || !d.exists(kept)):
		return nil // it was put back
	case was == "":
		old = kept
	}
	switch {
	case now != s.New && !hollow:
		if d.same(path, old) {
			return nil
		}
		return &leftBehind{path, old}
	case s.Kind == removes && !hollow:
		return j.place(old, path)
	}
	if err := d.exchange(old, path); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return d.rename(old, path)
}

func (j *journal) undoFill(s fileStep) error {
	d := j.d
	if !s.filled {
		return nil
	}
	path, kept := s.Path, s.Kept
	var next []byte
	old, _, err := d.readRegular(kept)
	if err == nil {
		next, _, err = d.readRegular(s.Spare)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was put back, and what was made may be on its way out
	}
	if err != nil {
		return err
	}
	now, _, err := d.readRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &leftBehind{path, kept}
	case err != nil:
		return err
	case bytes.Equal(now, old):
		return nil
	case !mixed(now, old, next):
		return &leftBehind{path, kept}
	}
	f, err := d.open(path, os.O_WRONLY|openFlags, 0)
	if err != nil {
		return err
	}
	return f.fill(old)
}

// mixed reports whether now is what writing one of the texts over the other leaves, as
// far as it came.
func mixed(now, a, b []byte) bool {
	if len(now) < min(len(a), len(b)) || len(now) > max(len(a), len(b)) {
		return false
	}
	for i, c := range now {
		if (i >= len(a) || c != a[i]) && (i >= len(b) || c != b[i]) {
			return false
		}
	}
	return true
}
