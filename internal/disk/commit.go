package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// Change is one file to write or remove. It is for a single Commit, which owns the Change
// and what it points to until Commit returns.
type Change struct {
	Path    string // Commit follows the symlinks of a file that is written, and stores the result here
	Content []byte
	Remove  bool
	Old     Stamp       // what the file must still have; a file that is written must not be write-protected
	Like    fs.FileInfo // of a new file: whose mode and owner it gets; of a removal: what goes; may be nil

	recased bool     // another change removes the file at Path, under a name that differs in case
	step    fileStep // set once the change is staged
}

// compare returns nil if now, which was looked up with the error err, is Old. Otherwise it returns err or a *[ChangedError].
func (c *Change) compare(now Stamp, err error) error {
	switch {
	case err != nil || now == c.Old:
		return err
	case now == "":
		return &ChangedError{c.Path, "deleted"}
	case c.Old == "":
		return &ChangedError{c.Path, "created"}
	}
	return &ChangedError{c.Path, "changed"}
}

// manyFiles is how many files a save may have before it makes them durable together: one call for each takes longer then
// than one for their file system, which also waits for what other programs have written.
const manyFiles = 16

// save is a Commit in progress.
type save struct {
	d       Disk
	j       *journal
	changes []*Change
	handles []*handle // open files, locked where that is possible
}

// Commit makes all changes, or makes none and returns the change at fault. A reader of a file sees either the old or the new
// content, even after a crash, unless the file has several names or would lose its owner. Mode, owner and names are
// preserved. Missing folders are created. If the process dies half way, the next one undoes the changes.
//
// The changes are made if the error is nil or wraps [ErrNotDurable]. Otherwise the files are as they were, unless the error
// is a *[HalfSavedError]. The error is a *[ChangedError] if a file does not match Old; it wraps fs.ErrPermission if a file
// is write-protected, and [ErrLocked] if another program has locked one. Other errors are the system's.
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
	f, err := d.inJournalFolder(createJournal)
	if err != nil {
		return changes[0], fmt.Errorf("what is about to be done cannot be noted, so it is not: %w", err)
	}
	wide := runtime.GOOS == "linux" && len(changes) > manyFiles
	s := &save{d: d, j: &journal{d: d, f: f, wide: wide}, changes: removalsFirst(changes)}
	defer s.release()
	if failed, err = s.prepare(); err != nil {
		s.j.drop()
		return failed, err
	}
	for i, c := range s.changes {
		if err := s.put(c); err != nil {
			return c, s.putBack(s.changes[i+1:], err)
		}
	}
	return s.finish()
}

// removalsFirst puts removals before what is written: a file may be made again under a name that differs only in case, if
// both names are of the same file.
func removalsFirst(changes []*Change) []*Change {
	folded := func(c *Change) string { return strings.ToLower(strings.ToUpper(c.Path)) }
	removed, first, then := map[string]string{}, []*Change(nil), []*Change(nil)
	for _, c := range changes {
		if c.Remove {
			removed[folded(c)] = c.Path
			first = append(first, c)
		}
	}
	for _, c := range changes {
		if !c.Remove {
			c.recased = c.Old == "" && removed[folded(c)] != "" && SameButForCase(c.Path, removed[folded(c)])
			then = append(then, c)
		}
	}
	return append(first, then...)
}

// prepare stages and holds all changes. Errors should show up here, since undoing a change may fail too.
func (s *save) prepare() (failed *Change, err error) {
	steps := make([]fileStep, len(s.changes))
	for i, c := range s.changes {
		if err := s.stage(c); err != nil {
			return c, err
		}
		steps[i] = c.step
	}
	if s.j.wide {
		if failed, err := s.syncDirs(); err != nil {
			return failed, err
		}
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

// stage checks a change and writes the new file next to its destination.
func (s *save) stage(c *Change) (err error) {
	if !c.Remove {
		if c.Path, err = s.d.Follow(c.Path); err != nil {
			return err
		}
	}
	if !utf8.ValidString(c.Path) { // the journal could not record it
		return &fs.PathError{Op: "save", Path: c.Path, Err: ErrNotUTF8}
	}
	if !c.recased { // otherwise the removal of the old name checks it
		if err := c.compare(s.d.Look(c.Path)); err != nil {
			return err
		}
	}
	if c.Remove {
		spare, err := s.j.temp(c.Path)
		c.step = fileStep{Kind: removes, Path: c.Path, Spare: spare}
		return err
	}
	old, err := s.d.stat(c.Path)
	switch {
	case err == nil:
		err = s.d.writable(c.Path, old)
	case errors.Is(err, fs.ErrNotExist) && c.Old == "":
		old, err = c.Like, nil
	}
	if err != nil {
		return err
	}
	if err := s.j.mkdirAll(filepath.Dir(c.Path)); err != nil {
		return err
	}
	spare, err := s.j.writeTemp(c.Path, c.Content, old)
	if err != nil {
		return err
	}
	c.step = fileStep{Kind: makes, Path: c.Path, Spare: spare, New: StampOf(c.Content)}
	if c.Old == "" {
		return nil
	}
	if c.step.Kind, err = s.d.kindOf(c.Path, old, spare); err != nil {
		return err
	}
	kept, err := s.j.temp(c.Path)
	c.step.Backup = kept
	return err
}

// kindOf returns how an existing file gets the content of the file at spare. The file is replaced, unless that would lose
// its owner, its group, its other names, or other data that the system keeps for it: then it is overwritten in place.
func (d Disk) kindOf(path string, old fs.FileInfo, spare string) (kind, error) {
	by, err := d.stat(spare)
	if err != nil {
		return "", err
	}
	if !isLike(d, spare, by, path, old) {
		return fills, nil
	}
	return replaces, nil
}

// hold checks a staged change's file once more, since writing took time, and locks it: if two programs both checked before
// either of them wrote, each would believe that it had not overwritten the other's text. The new file is locked as well, so
// that no program builds on it before it is certain to stay.
func (s *save) hold(c *Change) error {
	if !c.recased { // otherwise the file is locked under its old name
		if err := s.holdOld(c); err != nil || c.Remove {
			return err
		}
	}
	f, err := s.d.open(c.step.Spare, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	s.handles = append(s.handles, f)
	return f.lock()
}

func (s *save) holdOld(c *Change) error {
	f, _, err := s.d.openRegular(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return c.compare("", nil)
	}
	if err != nil {
		return err
	}
	s.handles = append(s.handles, f)
	if err := f.lock(); err != nil {
		return err
	}
	if err := f.isInPlace(); err != nil { // it may have been replaced before it was locked
		return err
	}
	return c.compare(f.stamp())
}

func (s *save) release() {
	for _, f := range s.handles {
		_ = f.Close()
	}
	s.handles = nil
}

// put makes a staged change.
func (s *save) put(c *Change) error {
	spare := c.step.Spare
	switch c.step.Kind {
	case removes:
		if err := s.d.rename(c.Path, spare); err != nil {
			return err
		}
		return c.compare(s.d.Look(spare)) // a link is removed itself, and Old is of the file that it leads to
	case makes:
		return s.j.place(spare, c.Path)
	case fills:
		return s.overwrite(c)
	}
	return s.replace(c)
}

// replace gives the new file the name of the old one. Where possible, the old file is
// checked once it can no longer be changed by its name.
func (s *save) replace(c *Change) error {
	spare, kept := c.step.Spare, c.step.Backup
	switch err := s.d.exchange(spare, c.Path); {
	case err == nil:
		return c.compare(s.d.lookAt(spare))
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
		if err := c.compare(s.d.lookAt(c.Path)); err != nil {
			return err
		}
		return s.d.rename(spare, c.Path)
	case !s.d.same(kept, c.Path): // which is looked at last
		return &ChangedError{c.Path, "changed"}
	}
	if err := s.d.rename(spare, c.Path); err != nil {
		return err
	}
	return c.compare(s.d.lookAt(kept)) // this finds what another program wrote to the old file meanwhile
}

// keepCopy copies a change's file, which must match Old, to Backup.
func (s *save) keepCopy(c *Change) error {
	content, info, err := s.d.readRegular(c.Path)
	if err := c.compare(StampOf(content), err); err != nil {
		return err
	}
	f, err := s.d.open(c.step.Backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.become(content, info)
}

// overwrite writes into the file itself. Meanwhile it keeps a copy, from which the next
// process restores the file after a crash.
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
	want := Change{Path: c.Path, Old: StampOf(c.Content)}
	return want.compare(s.d.Look(c.Path)) // another file may have taken the name meanwhile
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
	// The copy must be found again even if the power fails while the file is written.
	if err := s.j.f.sync(); err != nil {
		return err
	}
	if err := s.d.syncDir(filepath.Dir(c.Path), nil); err != nil {
		return err
	}
	return c.compare(s.d.lookAt(c.Path)) // the last check before writing
}

// syncDirs makes the names in the folders of all changes durable; in a wide save also what else is on their file systems.
func (s *save) syncDirs() (failed *Change, err error) {
	dirs := map[string]bool{}
	var systems map[uint64]bool
	if s.j.wide {
		systems = map[uint64]bool{}
	}
	for _, c := range s.changes {
		dir := filepath.Dir(c.Path)
		if dirs[dir] {
			continue
		}
		dirs[dir] = true
		if e := s.d.syncDir(dir, systems); e != nil && err == nil {
			failed, err = c, e
		}
	}
	return failed, err
}

// finish makes the changes durable, and removes the old files.
func (s *save) finish() (failed *Change, err error) {
	failed, err = s.syncDirs()
	if e := s.j.note(note{Done: true}); e != nil {
		return s.changes[0], s.putBack(nil, e)
	}
	if s.j.lasts() { // otherwise the save may be undone after a power loss
		if e := s.j.f.sync(); e != nil && err == nil {
			failed, err = s.changes[0], e
		}
	}
	s.j.drop()
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return failed, err
}

// putBack undoes all changes but notBegun after one failed with err. It returns err, with
// the changes that could not be undone; the next save tries to undo those again.
func (s *save) putBack(notBegun []*Change, err error) error {
	_ = s.j.note(note{Undo: true}) // the journal may already say that the save is done
	for _, c := range notBegun {
		_ = s.j.note(note{Over: c.step.Path})
	}
	if left := s.j.takeBack(); len(left) > 0 {
		return &HalfSavedError{Cause: err, Leftovers: left}
	}
	return err
}
