package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	Old     Stamp       // of the file, which must still have it, and not be write-protected
	Like    fs.FileInfo // of a new file: whose mode and owner it gets; of a removal: what goes; may be nil

	recased bool      // it is another change that removes what is at Path under another spelling
	step    fileStep  // once it is staged
	held    []*handle // open, the one that is there first, and locked where one can be
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
// folders are made. If the process dies half way, the next one takes the changes back.
//
// The changes are made if there is no error, or one that wraps [ErrNotDurable]. Otherwise
// the files are as they were, unless the error is a *[HalfSavedError]; it is a
// *[ChangedError] where a file is not as Old says, wraps fs.ErrPermission where one is
// write-protected, [ErrLocked] where another program has one locked, or is the system's.
func (d Disk) Commit(changes ...*Change) (failed *Change, err error) {
	if len(changes) == 0 {
		return nil, nil
	}
	d.Recover()
	if !holds { // no lock on the files themselves keeps two processes apart while they are replaced
		f, err := d.waitFor(context.Background(), "commit")
		if f != nil {
			defer func() { _ = f.Close() }()
		}
		if errors.Is(err, ErrLocked) {
			return changes[0], err
		}
	}
	j, err := newJournal(d)
	if err != nil {
		return changes[0], err
	}
	s := &save{d, j, oldNamesFirst(changes)}
	defer s.release()
	if failed, err = s.prepare(); err != nil {
		j.drop()
		return failed, err
	}
	for i, c := range s.changes {
		if err := s.put(c); err != nil {
			return c, s.putBack(s.changes[i+1:], err)
		}
	}
	return s.finish()
}

// oldNamesFirst puts the removal of a file before the change that makes it anew under a name which differs in case
// alone, where that is the same file.
func oldNamesFirst(changes []*Change) []*Change {
	changes = slices.Clone(changes)
	for i, c := range changes {
		j := slices.IndexFunc(changes, c.isRecased)
		c.recased = j >= 0
		if j > i {
			changes[i], changes[j] = changes[j], changes[i]
		}
	}
	return changes
}

// isRecased reports whether c makes the file that o removes.
func (c *Change) isRecased(o *Change) bool {
	return !c.Remove && c.Old == "" && o.Remove && SameButForCase(c.Path, o.Path)
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
	if !holds {
		s.release()
	}
	return s.changes[0], s.j.put(steps)
}

// stage checks a change, and makes the new file beside the place that it is for.
func (s *save) stage(c *Change) (err error) {
	if !c.Remove {
		if c.Path, err = s.d.Follow(c.Path); err != nil {
			return err
		}
	}
	if !utf8.ValidString(c.Path) { // it could not be noted
		return &fs.PathError{Op: "save", Path: c.Path, Err: ErrNotUTF8}
	}
	if c.recased {
		// that it is unchanged is seen under its old name
	} else if err := s.d.unchanged(c.Path, c.Old); err != nil {
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

// kindOf tells how the file of a change gets the content of the one at spare. It is replaced
// by that one, unless this would take it from its owner or its group, from the other
// names that it has, or from what else the system keeps for it: then it is overwritten.
func (d Disk) kindOf(c *Change, spare string) (kind, error) {
	if c.Old == "" {
		return makes, nil
	}
	old, err := d.stat(c.Path)
	if err != nil {
		return "", err
	}
	by, err := d.stat(spare)
	if err != nil {
		return "", err
	}
	if hasOtherNames(c.Path, old) || !sameAccess(d, spare, by, c.Path, old) {
		return fills, nil
	}
	return replaces, nil
}

// hold looks at a staged change's file for the last time, since writing took its time,
// and locks it: two programs that both looked before either of them wrote would both
// believe that they had not overwritten the other one. What is about to be put in place
// is locked as well, so that no program builds on it before it is certain to stay.
func (s *save) hold(c *Change) error {
	if c.recased {
		// it is locked by its old name
	} else if err := s.holdOld(c); err != nil || c.Remove {
		return err
	}
	f, err := s.d.open(c.step.Spare, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	c.held = append(c.held, f)
	return f.lock()
}

func (s *save) holdOld(c *Change) error {
	f, _, err := s.d.openRegular(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return compare(c.Path, c.Old, "", nil)
	}
	if err != nil {
		return err
	}
	c.held = append(c.held, f)
	if err := f.lock(); err != nil {
		return err
	}
	if err := f.isInPlace(); err != nil { // it may have been replaced before it was locked
		return err
	}
	now, err := f.stamp()
	return compare(c.Path, c.Old, now, err)
}

func (s *save) release() {
	for _, c := range s.changes {
		for _, f := range c.held {
			_ = f.Close()
		}
		c.held = nil
	}
}

// wasHeld is nil if the file that was at a change's path, and that is called moved now, is still
// as Old says.
func (s *save) wasHeld(c *Change, moved string) error {
	look := s.d.lookAt
	if c.Remove { // a link goes itself
		look = s.d.Look
	}
	now, err := look(moved)
	return compare(c.Path, c.Old, now, err)
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

// replace gives the new file the name of the old one. What that was is looked at when
// it cannot be changed any more by its name.
func (s *save) replace(c *Change) error {
	spare, kept := c.step.Spare, c.step.Kept
	switch err := s.d.exchange(spare, c.Path); {
	case err == nil:
		return s.wasHeld(c, spare)
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	switch err := s.d.link(c.Path, kept); {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil: // a file can have only one name here
		if err := s.keepCopy(c); err != nil {
			return err
		}
		if err := s.wasHeld(c, c.Path); err != nil {
			return err
		}
		return s.d.rename(spare, c.Path)
	case !s.d.same(kept, c.Path): // which is looked at last
		return &ChangedError{c.Path, "changed"}
	}
	if err := s.d.rename(spare, c.Path); err != nil {
		return err
	}
	return s.wasHeld(c, kept) // which sees what another program has written into it meanwhile
}

// keepCopy makes Kept a copy of the file of a change, which must be as Old says.
func (s *save) keepCopy(c *Change) error {
	content, info, err := s.d.readRegular(c.Path)
	if err := compare(c.Path, c.Old, StampOf(content), err); err != nil {
		return err
	}
	f, err := s.d.open(c.step.Kept, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.become(content, info)
}

// overwrite writes into the file itself. A copy of it is kept meanwhile, from which the
// next process restores it after a crash.
func (s *save) overwrite(c *Change) error {
	f, err := s.d.open(c.Path, os.O_WRONLY|openFlags, 0)
	if err != nil {
		return err
	}
	if err := s.readyToFill(c, f); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.fill(c.Content); err != nil {
		return err
	}
	return s.d.unchanged(c.Path, StampOf(c.Content)) // another one may have taken the name meanwhile
}

func (s *save) readyToFill(c *Change, f *handle) error {
	if err := s.keepCopy(c); err != nil {
		return err
	}
	if err := f.isInPlace(); err != nil {
		return err
	}
	if err := s.j.note(note{Fill: c.step.Path}); err != nil {
		return err
	}
	// The copy is found again, also if the power goes while the file is written.
	if err := s.j.sync(); err != nil {
		return err
	}
	if err := s.d.syncDir(filepath.Dir(c.Path)); err != nil {
		return err
	}
	return s.wasHeld(c, c.Path) // for the last time
}

// finish makes the changes durable, and removes the old files.
func (s *save) finish() (failed *Change, err error) {
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
		return s.changes[0], s.putBack(nil, e)
	}
	if e := s.j.sync(); e != nil && err == nil { // else it may be taken back after a loss of power
		failed, err = s.changes[0], e
	}
	s.j.drop()
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return failed, err
}

// putBack undoes the changes but for those that were not begun, since one failed with err.
// It returns that, with what could not be undone: that is tried again by the next save.
func (s *save) putBack(notBegun []*Change, err error) error {
	_ = s.j.note(note{Undo: true}) // it may have been told as done
	for _, c := range notBegun {
		_ = s.j.note(note{Over: c.step.Path})
	}
	if left := s.j.takeBack(); len(left) > 0 {
		return &HalfSavedError{Cause: err, Left: left}
	}
	return err
}
