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
	Kind  kind  `json:"kind"`
	Path  name  `json:"path"`
	Spare name  `json:"spare"`         // the new text until it is in place, then what was there
	Kept  name  `json:"kept,omitzero"` // what was there, where Spare does not get it
	Sum   Stamp `json:"sum,omitempty"` // of what was written to Spare

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

// takeBack undoes the steps, the last one first, and tells of each what became of it; the
// error is as of undo. What is over is noted: what has been saved there since must not be
// taken back as well. Then the journal goes, unless a step is left to the next save.
func (j *journal) takeBack(tell func(s fileStep, err error)) {
	for _, s := range slices.Backward(j.steps) {
		if s.over {
			continue
		}
		err := j.undo(s)
		n := note{Over: s.Path}
		other, stays := errors.AsType[*leftBehind](err)
		if stays {
			n.Keep = []name{name(other.old)}
		}
		if err == nil || stays {
			_ = j.note(n) // else it is looked at again
		} else {
			j.left = true
			j.keep = append(j.keep, string(s.Spare), string(s.Kept))
		}
		tell(s, err)
	}
	if !j.left {
		n := note{Back: true} // else what is half removed is looked at again
		for _, k := range j.keep {
			n.Keep = append(n.Keep, name(k))
		}
		_ = j.note(n)
	}
	j.drop()
}

// undo takes a step back, as far as it was made. What another program has written since
// is not touched: the error is a *leftBehind then.
func (j *journal) undo(s fileStep) error {
	switch s.Kind {
	case removes:
		return j.undoRemove(s)
	case fills:
		return j.undoFill(s)
	}
	return j.undoWrite(s)
}

func (j *journal) undoWrite(s fileStep) error {
	d := j.d
	path, spare, kept := string(s.Path), string(s.Spare), string(s.Kept)
	now, err := d.lookAt(path)
	if err != nil {
		return err
	}
	was, err := d.lookAt(spare)
	if err != nil {
		return err
	}
	ours, isKept := now == s.Sum, kept != "" && d.exists(kept)
	switch {
	case s.held && was == s.Sum && now == StampOf(nil): // the new text, be it empty, is in spare
		return d.remove(path)
	case was == s.Sum: // it was not put in place, or has both names
		if ours && s.Kind == makes && d.same(path, spare) {
			return d.remove(path)
		}
	case was != "" && !ours:
		return &leftBehind{path, spare}
	case was != "":
		if err := d.exchange(spare, path); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		return d.rename(spare, path)
	case isKept && !ours:
		return &leftBehind{path, kept}
	case isKept:
		return d.rename(kept, path)
	case ours && s.Kind == makes && s.held: // else it is somebody else's who wrote the same
		return d.remove(path)
	}
	return nil
}

func (j *journal) undoRemove(s fileStep) error {
	d := j.d
	path, spare := string(s.Path), string(s.Spare)
	was, err := d.lookAt(spare)
	if err != nil || was == "" || was == s.Sum {
		return err // what was staged: nothing was moved
	}
	now, err := d.lookAt(path)
	switch {
	case err != nil:
		return err
	case s.held && now == StampOf(nil): // as far as the one before came
		if err := d.remove(path); err != nil {
			return err
		}
	case now != "" && d.same(path, spare):
		return nil
	case now != "":
		return &leftBehind{path, spare}
	}
	return j.place(spare, path)
}

func (j *journal) undoFill(s fileStep) error {
	d := j.d
	if !s.filled {
		return nil
	}
	path, kept := string(s.Path), string(s.Kept)
	var next []byte
	old, _, err := d.readRegular(kept)
	if err == nil {
		next, _, err = d.readRegular(string(s.Spare))
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
