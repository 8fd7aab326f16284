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

	step  fileStep    // once it is staged
	begun bool        // something of it may be made
	held  []*diskFile // locked, the one that is there first
}

// placeholder is what a file holds whose name another one is to get.
const placeholder = "patchls moves a file here\n"

// write is one change alone: it makes content the whole content of the file at path.
// done is as of commit.
func (d disk) write(path string, content []byte, old *stamp) (done bool, err error) {
	_, done, err = d.commit(&change{path: path, content: content, old: old})
	return done, err
}

// commit makes all of the changes, or none of them and returns the one at fault. A
// reader of a file sees the old content or the new, also after a crash, unless the file
// has several names or an owner who would lose it. Mode, owner and names stay, but for
// what is written without a look at what is there. Missing folders are made. What is
// half made when the process dies is taken back by the next one.
//
// done says that the changes are made. An error with it wraps [ErrNotDurable].
func (d disk) commit(changes ...*change) (failed *change, done bool, err error) {
	if len(changes) == 0 {
		return nil, true, nil
	}
	d.recover()
	j, err := d.begin()
	if err != nil {
		return changes[0], false, err
	}
	defer func() {
		for _, c := range changes {
			c.release()
		}
	}()
	if failed, err = d.prepare(j, changes); err != nil {
		for _, c := range changes {
			c.release()
		}
		j.drop(true)
		return failed, false, err
	}
	for _, c := range changes {
		if err := d.put(j, c); err != nil {
			return c, false, d.putBack(j, changes, err)
		}
	}
	return d.finish(j, changes)
}

// prepare does all that can be found out before, since putting back may fail as well.
func (d disk) prepare(j *journal, changes []*change) (failed *change, err error) {
	for _, do := range []func(*journal, *change) error{d.stage, d.hold} {
		for _, c := range changes {
			if err := do(j, c); err != nil {
				return c, err
			}
		}
	}
	steps := make([]fileStep, len(changes))
	for i, c := range changes {
		steps[i] = c.step
	}
	return changes[0], j.put(steps)
}

// stage checks a change, and does what nobody sees of it.
func (d disk) stage(j *journal, c *change) (err error) {
	if !c.remove {
		if c.path, err = d.follow(c.path); err != nil {
			return err
		}
	}
	if c.old != nil {
		if err := d.unchanged(c.path, *c.old); err != nil {
			return err
		}
	}
	if c.remove {
		spare, err := d.writeTemp(j, c.path, []byte(placeholder), nil)
		c.step = fileStep{Kind: removes, Path: name(c.path), Spare: name(spare), Sum: sumOf([]byte(placeholder))}
		return err
	}
	if c.old != nil {
		if err := d.writable(c.path); err != nil {
			return err
		}
	}
	if err := d.mkdirAll(j, filepath.Dir(c.path)); err != nil {
		return err
	}
	spare, err := d.writeTemp(j, c.path, c.content, c.like)
	if err != nil {
		return err
	}
	c.step = fileStep{Path: name(c.path), Spare: name(spare), Sum: sumOf(c.content)}
	if c.step.Kind, err = d.kindOf(c, spare); err != nil || c.step.Kind == makes {
		return err
	}
	kept, err := j.temp(c.path)
	c.step.Kept = name(kept)
	return err
}

// put makes a staged change.
func (d disk) put(j *journal, c *change) error {
	c.begun = true
	switch c.step.Kind {
	case removes:
		if err := d.rename(c.path, string(c.step.Spare)); err != nil {
			return err
		}
		return d.wasHeld(c, string(c.step.Spare))
	case makes:
		return d.place(func() error {
			c.step.held = true
			return j.note(note{Hold: c.step.Path})
		}, string(c.step.Spare), c.path)
	case fills:
		return d.overwrite(j, c)
	}
	return d.replace(c)
}

// replace gives the new file the name of the old one. What that was is looked at when
// nobody can change it any more by its name.
func (d disk) replace(c *change) error {
	spare, kept := string(c.step.Spare), string(c.step.Kept)
	err := d.exchange(spare, c.path)
	switch {
	case err == nil:
		return d.wasHeld(c, spare)
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	switch err := d.link(c.path, kept); {
	case err == nil:
		return d.replaceLinked(c)
	case errors.Is(err, fs.ErrNotExist):
		if c.old != nil {
			return err
		}
	default: // a file can have but one name here
		if err := d.copyTo(kept, c.path, c.old); err != nil {
			return err
		}
		if err := d.wasHeld(c, c.path); err != nil {
			return err
		}
	}
	return d.rename(spare, c.path)
}

// replaceLinked is replace for what has a second name, so that what was written into it
// is seen afterwards.
func (d disk) replaceLinked(c *change) error {
	kept := string(c.step.Kept)
	if c.old != nil && !d.same(kept, c.path) { // which is looked at last
		return &DiskChangedError{c.path, "changed"}
	}
	if err := d.rename(string(c.step.Spare), c.path); err != nil {
		return err
	}
	return d.wasHeld(c, kept)
}

// copyTo makes the file at name one like that at path, which must be as old says.
func (d disk) copyTo(name, path string, old *stamp) error {
	content, err := d.readRegular(path)
	if err != nil {
		return err
	}
	if old != nil {
		if err := compare(path, *old, stampOf(content)); err != nil {
			return err
		}
	}
	info, err := d.stat(path)
	if err != nil {
		return err
	}
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.become(content, info)
}

// place gives the file at name the name path, which nothing must have. Where a file can
// have but one name, hold is called before an empty one takes the place.
func (d disk) place(hold func() error, name, path string) error {
	err := d.link(name, path)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		if hold != nil {
			if err := hold(); err != nil {
				return err
			}
		}
		var f *diskFile
		if f, err = d.open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = f.Close()
			if err = d.rename(name, path); err != nil {
				_ = d.remove(path)
			}
			return err
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return &DiskChangedError{path, "created"}
	}
	return err
}

// finish makes the changes durable, and removes what was there before.
func (d disk) finish(j *journal, changes []*change) (failed *change, done bool, err error) {
	var dirs []string
	for _, c := range changes {
		dir := filepath.Dir(c.path)
		if slices.Contains(dirs, dir) {
			continue
		}
		dirs = append(dirs, dir)
		if e := d.syncDir(dir); e != nil && err == nil {
			failed, err = c, fmt.Errorf("%w: %w", ErrNotDurable, e)
		}
	}
	if e := j.note(note{Done: true}); e != nil {
		return changes[0], false, d.putBack(j, changes, e)
	}
	if len(changes) > 1 || changes[0].step.Kind == fills { // else it may be taken back after a loss of power
		if e := j.sync(); e != nil && err == nil {
			failed, err = changes[0], fmt.Errorf("%w: %w", ErrNotDurable, e)
		}
	}
	j.drop(false)
	return failed, true, err
}

// putBack undoes changes that were begun, since one failed with err. It returns that,
// with what could not be undone: that is tried again by the next save.
func (d disk) putBack(j *journal, changes []*change, err error) error {
	_ = j.note(note{Undo: true}) // it may have been told as done
	var left []error
	var keep []string
	again := false
	for _, c := range slices.Backward(changes) {
		if !c.begun {
			_ = j.note(note{Over: c.step.Path})
			continue
		}
		back := d.takeBackStep(j, c.step)
		var other *leftBehind
		switch {
		case errors.As(back, &other):
			keep = append(keep, other.old)
			left = append(left, back)
		case back != nil:
			again = true
			keep = append(keep, string(c.step.Spare), string(c.step.Kept))
			left = append(left, c.leftError(d, back))
		}
	}
	for _, c := range changes {
		c.release()
	}
	if again { // the journal stays, and knows how
		_ = d.dropAll(j.temps, keep)
		j.close()
	} else {
		_ = j.takenBack(keep) // else the next one finds nothing to undo
		j.drop(true, keep...)
	}
	if len(left) == 0 {
		return err
	}
	return &HalfSavedError{Cause: err, Left: left}
}
