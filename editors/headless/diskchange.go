package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// change is one file that is to be written or removed.
type change struct {
	path    string // of a file that is written, symlinks are followed
	content []byte
	remove  bool
	old     *stamp      // what must be there still, and not write-protected; nil: whatever is
	like    fs.FileInfo // of a new file: whose mode and owner it gets; of a removal: what goes; may be nil

	inPlace bool // it is written into the file that is there

	made  []string   // folders
	spare string     // the new file until it is in place; of a removal the name that the file is to get
	kept  string     // what was there, until all changes are made
	held  []*os.File // locked
}

// write is one change alone: it makes content the whole content of the file at path.
// done is as of commit.
func (d disk) write(path string, content []byte, old *stamp) (done bool, err error) {
	_, done, err = d.commit(&change{path: path, content: content, old: old})
	return done, err
}

// commit makes all of the changes, or none of them and returns the one at fault. A
// reader of a file sees the old content or the new, also after a crash, unless the file
// has several names or an owner who would lose it. Mode, owner and names stay, but for
// what is written without a look at what is there. Missing folders are made.
//
// done says that the changes are made. An error with it wraps [ErrNotDurable].
func (d disk) commit(changes ...*change) (failed *change, done bool, err error) {
	several := len(changes) > 1
	defer func() {
		for _, c := range changes {
			for _, f := range c.held {
				_ = f.Close()
			}
		}
	}()
	// All that can be found out before is, since putting back may fail as well.
	steps := []func(*change) error{func(c *change) error { return d.stage(c, several) }, d.hold}
	if several {
		steps = append(steps, d.holdNew)
	}
	for _, step := range steps {
		for _, c := range changes {
			if err := step(c); err != nil {
				d.discard(changes)
				unmake(changes)
				return c, false, err
			}
		}
	}
	for i, c := range changes {
		if err := d.put(c, several); err != nil {
			err = d.putBack(changes[:i], err)
			d.discard(changes[i:])
			unmake(changes)
			return c, false, err
		}
	}
	return d.finish(changes)
}

// stage checks a change, and does what nobody sees of it. Of several changes each is
// made so that it can be put back.
func (d disk) stage(c *change, several bool) (err error) {
	if !c.remove {
		if c.path, err = follow(c.path); err != nil {
			return err
		}
	}
	if c.old != nil {
		if err := d.unchanged(c.path, *c.old); err != nil {
			return err
		}
	}
	switch {
	case c.remove && several:
		f, err := d.createTemp(c.path, 0o600)
		if err != nil {
			return err
		}
		c.spare = f.Name()
		return f.Close()
	case c.remove:
		return nil
	case c.old != nil:
		if err := writable(c.path); err != nil {
			return err
		}
	}
	if c.made, err = d.mkdirAll(filepath.Dir(c.path)); err != nil {
		return err
	}
	if c.spare, err = d.writeTemp(c.path, c.content, c.like); err != nil || c.old == nil || !c.old.exists {
		return err
	}
	replace, err := replaceable(c.spare, c.path)
	c.inPlace = !replace
	return err
}

// put makes a staged change.
func (d disk) put(c *change, several bool) error {
	step := "rename"
	if c.remove {
		step = "remove"
	}
	if err := d.may(step, c.path); err != nil {
		return err
	}
	switch {
	case c.remove && !several:
		return os.Remove(c.path)
	case c.remove:
		if err := os.Rename(c.path, c.spare); err != nil {
			return err
		}
		c.kept, c.spare = c.spare, ""
		return nil
	case c.old != nil && !c.old.exists:
		return place(c.spare, c.path)
	case c.inPlace:
		return d.overwrite(c)
	}
	if several {
		if err := d.keep(c); err != nil {
			return err
		}
	}
	return os.Rename(c.spare, c.path)
}

// keep gives what is at a change's path a second name, or makes a copy where a file can
// have but one.
func (d disk) keep(c *change) error {
	kept, err := unusedName(c.path, func(name string) error { return os.Link(c.path, name) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		content, err := readRegular(c.path)
		if err != nil {
			return err
		}
		if kept, err = d.writeTemp(c.path, content, nil); err != nil {
			return err
		}
	}
	c.kept = kept
	return nil
}

// place gives the file at name the name path, which nothing must have.
func place(name, path string) error {
	err := os.Link(name, path)
	if err == nil {
		_ = os.Remove(name)
		return nil
	}
	if !errors.Is(err, fs.ErrExist) { // a file can have but one name here
		var f *os.File
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = f.Close()
			if err = os.Rename(name, path); err != nil {
				_ = os.Remove(path)
			}
			return err
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return &DiskChangedError{path, "created"}
	}
	return err
}

// finish removes what was kept of changes that are made, and makes them durable.
func (d disk) finish(changes []*change) (failed *change, done bool, err error) {
	var dirs []string
	for _, c := range changes {
		if c.kept != "" {
			_ = os.Remove(c.kept)
		}
		dir := filepath.Dir(c.path)
		if slices.Contains(dirs, dir) {
			continue
		}
		dirs = append(dirs, dir)
		if e := d.syncDir(dir); e != nil && err == nil {
			failed, err = c, fmt.Errorf("%w: %w", ErrNotDurable, e)
		}
	}
	return failed, true, err
}

// putBack undoes changes that were made, since another one failed with err. It returns
// that, with what could not be undone.
func (d disk) putBack(changes []*change, err error) error {
	var left []error
	for _, c := range slices.Backward(changes) {
		back := d.may("restore", c.path)
		switch {
		case back != nil:
		case c.remove:
			back = place(c.kept, c.path)
		case c.inPlace:
			back = d.refill(c)
		case c.kept != "":
			back = os.Rename(c.kept, c.path)
		default:
			back = os.Remove(c.path)
		}
		if back != nil {
			left = append(left, c.leftError(back))
		}
	}
	if len(left) == 0 {
		return err
	}
	return &HalfSavedError{Cause: err, Left: left}
}

// discard removes the files that staging has made.
func (d disk) discard(changes []*change) {
	for _, c := range slices.Backward(changes) {
		for _, name := range []string{c.spare, c.kept} {
			if name != "" {
				_ = os.Remove(name)
			}
		}
	}
}

// unmake removes the folders that staging has made, once no change has a file there.
func unmake(changes []*change) {
	for _, c := range slices.Backward(changes) {
		for _, dir := range slices.Backward(c.made) {
			_ = os.Remove(dir) // where it is empty
		}
	}
}
