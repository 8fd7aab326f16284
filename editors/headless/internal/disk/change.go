package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Change is one file that is to be written or removed. It is for one Commit, which owns it
// and what it points at until it returns.
type Change struct {
	Path    string // of a file that is written Commit follows the symlinks, and says here to where
	Content []byte
	Remove  bool
	Old     *Stamp      // what must be there still, and not write-protected; nil: whatever is
	Like    fs.FileInfo // of a new file: whose mode and owner it gets; of a removal: what goes; may be nil

	step fileStep  // once it is staged
	held []*handle // locked, the one that is there first
}

// placeholder is what a file holds whose name another one is to get.
const placeholder = "patchls moves a file here\n"

// Write is one change alone: it makes content the whole content of the file at path.
// done and the error are as of Commit.
func (d Disk) Write(path string, content []byte, old *Stamp) (done bool, err error) {
	_, done, err = d.Commit(&Change{Path: path, Content: content, Old: old})
	return done, err
}

// Commit makes all of the changes, or none of them and returns the one at fault. A
// reader of a file sees the old content or the new, also after a crash, unless the file
// has several names or an owner who would lose it. Mode, owner and names stay, but for
// what is written without a look at what is there. Missing folders are made. What is
// half made when the process dies is taken back by the next one.
//
// done says that the changes are made. An error with it wraps [ErrNotDurable]. Without it
// the files are as they were, unless the error is a *[HalfSavedError]; it is a
// *[ChangedError] where a file is not as Old says, wraps fs.ErrPermission where one is
// write-protected, [ErrLocked] where another program has one locked, or is the system's.
func (d Disk) Commit(changes ...*Change) (failed *Change, done bool, err error) {
	if len(changes) == 0 {
		return nil, true, nil
	}
	d.Recover()
	j, err := d.begin()
	if err != nil {
		return changes[0], false, err
	}
	defer func() {
		for _, c := range changes {
			c.release()
		}
		if j.f != nil {
			_ = j.f.d.folder.Close()
		}
	}()
	if failed, err = d.prepare(j, changes); err != nil {
		j.drop()
		return failed, false, err
	}
	for i, c := range changes {
		if err := d.put(j, c); err != nil {
			return c, false, d.putBack(j, changes[i+1:], err)
		}
	}
	return d.finish(j, changes)
}

// prepare does all that can be found out before, since putting back may fail as well.
func (d Disk) prepare(j *journal, changes []*Change) (failed *Change, err error) {
	for _, do := range []func(*journal, *Change) error{d.stage, d.hold} {
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
func (d Disk) stage(j *journal, c *Change) (err error) {
	if !c.Remove {
		if c.Path, err = d.Follow(c.Path); err != nil {
			return err
		}
	}
	if c.Old != nil {
		if err := d.unchanged(c.Path, *c.Old); err != nil {
			return err
		}
	}
	if c.Remove {
		spare, err := d.writeTemp(j, c.Path, []byte(placeholder), nil)
		c.step = fileStep{Kind: removes, Path: name(c.Path), Spare: name(spare), Sum: sumOf([]byte(placeholder))}
		return err
	}
	if c.Old != nil {
		if err := d.writable(c.Path); err != nil {
			return err
		}
	}
	if err := d.mkdirAll(j, filepath.Dir(c.Path)); err != nil {
		return err
	}
	spare, err := d.writeTemp(j, c.Path, c.Content, c.Like)
	if err != nil {
		return err
	}
	c.step = fileStep{Path: name(c.Path), Spare: name(spare), Sum: sumOf(c.Content)}
	if c.step.Kind, err = d.kindOf(c, spare); err != nil || c.step.Kind == makes {
		return err
	}
	kept, err := j.temp(c.Path)
	c.step.Kept = name(kept)
	return err
}

// put makes a staged change.
func (d Disk) put(j *journal, c *Change) error {
	switch c.step.Kind {
	case removes:
		if err := d.rename(c.Path, string(c.step.Spare)); err != nil {
			return err
		}
		return d.wasHeld(c, string(c.step.Spare))
	case makes:
		return d.place(func() error {
			return j.note(note{Hold: c.step.Path})
		}, string(c.step.Spare), c.Path)
	case fills:
		return d.overwrite(j, c)
	}
	return d.replace(c)
}

// replace gives the new file the name of the old one. What that was is looked at when
// nobody can change it any more by its name.
func (d Disk) replace(c *Change) error {
	spare, kept := string(c.step.Spare), string(c.step.Kept)
	err := d.exchange(spare, c.Path)
	switch {
	case err == nil:
		return d.wasHeld(c, spare)
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	switch err := d.link(c.Path, kept); {
	case err == nil:
		return d.replaceLinked(c)
	case errors.Is(err, fs.ErrNotExist):
		if c.Old != nil {
			return err
		}
	default: // a file can have but one name here
		if err := d.copyTo(kept, c.Path, c.Old); err != nil {
			return err
		}
		if err := d.wasHeld(c, c.Path); err != nil {
			return err
		}
	}
	return d.rename(spare, c.Path)
}

// replaceLinked is replace for what has a second name, so that what was written into it
// is seen afterwards.
func (d Disk) replaceLinked(c *Change) error {
	kept := string(c.step.Kept)
	if c.Old != nil && !d.same(kept, c.Path) { // which is looked at last
		return &ChangedError{c.Path, "changed"}
	}
	if err := d.rename(string(c.step.Spare), c.Path); err != nil {
		return err
	}
	return d.wasHeld(c, kept)
}

// copyTo makes the file at name one like that at path, which must be as old says.
func (d Disk) copyTo(name, path string, old *Stamp) error {
	content, info, err := d.readRegular(path)
	if err != nil {
		return err
	}
	if old != nil {
		if err := compare(path, *old, StampOf(content)); err != nil {
			return err
		}
	}
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.become(content, info)
}

// finish makes the changes durable, and removes what was there before.
func (d Disk) finish(j *journal, changes []*Change) (failed *Change, done bool, err error) {
	var dirs []string
	for _, c := range changes {
		dir := filepath.Dir(c.Path)
		if slices.Contains(dirs, dir) {
			continue
		}
		dirs = append(dirs, dir)
		if e := d.syncDir(dir); e != nil && err == nil {
			failed, err = c, fmt.Errorf("%w: %w", ErrNotDurable, e)
		}
	}
	if e := j.note(note{Done: true}); e != nil {
		return changes[0], false, d.putBack(j, nil, e)
	}
	if e := j.sync(); e != nil && err == nil { // else it may be taken back after a loss of power
		failed, err = changes[0], fmt.Errorf("%w: %w", ErrNotDurable, e)
	}
	j.drop()
	return failed, true, err
}

// putBack undoes the changes but for those that were not begun, since one failed with err.
// It returns that, with what could not be undone: that is tried again by the next save.
func (d Disk) putBack(j *journal, notBegun []*Change, err error) error {
	_ = j.note(note{Undo: true}) // it may have been told as done
	for _, c := range notBegun {
		_ = j.note(note{Over: c.step.Path})
	}
	var left []error
	j.takeBack(func(s fileStep, err error) {
		if _, stays := errors.AsType[*leftBehind](err); err != nil && !stays {
			err = s.leftError(d, err)
		}
		if err != nil {
			left = append(left, err)
		}
	})
	if len(left) == 0 {
		return err
	}
	return &HalfSavedError{Cause: err, Left: left}
}
