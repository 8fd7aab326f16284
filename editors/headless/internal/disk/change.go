package disk

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// Change is one file that is to be written or removed. It is for one Commit, which owns it
// and what it points at until it returns.
type Change struct {
	Path    string // of a file that is written Commit follows the symlinks, and says here to where
	Content []byte
	Remove  bool
	Old     Stamp       // of what must be there still, and not write-protected
	Like    fs.FileInfo // of a new file: whose mode and owner it gets; of a removal: what goes; may be nil

	step fileStep  // once it is staged
	held []*handle // locked, the one that is there first
}

// save is a Commit that is under way.
type save struct {
	d       Disk
	j       *journal
	changes []*Change
}

// Commit makes all of the changes, or none of them and returns the one at fault. A
// reader of a file sees the old content or the new, also after a crash, unless the file
// has several names or an owner who would lose it. Mode, owner and names stay. Missing
// folders are made. What is
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
	j, err := newJournal(d)
	if err != nil {
		return changes[0], false, err
	}
	s := &save{d, j, changes}
	defer s.release()
	if failed, err = s.prepare(); err != nil {
		j.drop()
		return failed, false, err
	}
	for i, c := range changes {
		if err := s.put(c); err != nil {
			return c, false, s.putBack(changes[i+1:], err)
		}
	}
	return s.finish()
}

func (s *save) release() {
	for _, c := range s.changes {
		c.release()
	}
}

// prepare does all that can be found out before, since putting back may fail as well.
func (s *save) prepare() (failed *Change, err error) {
	steps := make([]fileStep, len(s.changes))
	for i, c := range s.changes {
		if err := s.stage(c); err != nil {
			return c, err
		}
		steps[i] = c.step
	}
	for _, c := range s.changes {
		if err := s.hold(c); err != nil {
			return c, err
		}
	}
	return s.changes[0], s.j.put(steps)
}

// stage checks a change, and does what nobody sees of it.
func (s *save) stage(c *Change) (err error) {
	if !c.Remove {
		if c.Path, err = s.d.Follow(c.Path); err != nil {
			return err
		}
	}
	if !utf8.ValidString(c.Path) { // it could not be noted
		return &fs.PathError{Op: "save", Path: c.Path, Err: ErrNotUTF8}
	}
	if err := s.d.unchanged(c.Path, c.Path, c.Old); err != nil {
		return err
	}
	if c.Remove {
		spare, err := s.j.temp(c.Path)
		c.step = fileStep{Kind: removes, Path: c.Path, Spare: spare}
		return err
	}
	if err := s.d.writable(c.Path); err != nil {
		return err
	}
	if err := s.j.mkdirAll(filepath.Dir(c.Path)); err != nil {
		return err
	}
	spare, err := s.j.writeTemp(c.Path, c.Content, c.Like)
	if err != nil {
		return err
	}
	c.step = fileStep{Path: c.Path, Spare: spare, New: StampOf(c.Content)}
	if c.step.Kind, err = s.d.kindOf(c, spare); err != nil || c.step.Kind == makes {
		return err
	}
	kept, err := s.j.temp(c.Path)
	c.step.Kept = kept
	return err
}

// put makes a staged change.
func (s *save) put(c *Change) error {
	spare := c.step.Spare
	switch c.step.Kind {
	case removes:
		if err := s.d.rename(c.Path, spare); err != nil {
			return err
		}
		return s.wasHeld(c, spare)
	case makes:
		return s.j.place(spare, c.Path)
	case fills:
		return s.overwrite(c)
	}
	return s.replace(c)
}

// finish makes the changes durable, and removes what was there before.
func (s *save) finish() (failed *Change, done bool, err error) {
	var dirs []string
	for _, c := range s.changes {
		dir := filepath.Dir(c.Path)
		if slices.Contains(dirs, dir) {
			continue
		}
		dirs = append(dirs, dir)
		if e := s.d.syncDir(dir); e != nil && err == nil {
			failed, err = c, e
		}
	}
	if e := s.j.note(note{Done: true}); e != nil {
		return s.changes[0], false, s.putBack(nil, e)
	}
	if e := s.j.sync(); e != nil && err == nil { // else it may be taken back after a loss of power
		failed, err = s.changes[0], e
	}
	s.j.drop()
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return failed, true, err
}

// putBack undoes the changes but for those that were not begun, since one failed with err.
// It returns that, with what could not be undone: that is tried again by the next save.
func (s *save) putBack(notBegun []*Change, err error) error {
	_ = s.j.note(note{Undo: true}) // it may have been told as done
	for _, c := range notBegun {
		_ = s.j.note(note{Over: c.step.Path})
	}
	var left []error
	s.j.takeBack(func(_ fileStep, err error) {
		if err != nil {
			left = append(left, err)
		}
	})
	if len(left) == 0 {
		return err
	}
	return &HalfSavedError{Cause: err, Left: left}
}
