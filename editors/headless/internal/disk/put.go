package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// replace gives the new file the name of the old one. What that was is looked at when
// nobody can change it any more by its name.
func (s *save) replace(c *Change) error {
	spare, kept := c.step.Spare, c.step.Kept
	err := s.d.exchange(spare, c.Path)
	if err == nil {
		return s.wasHeld(c, spare)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	err = s.d.link(c.Path, kept) // so that what is written into it is seen afterwards
	linked := err == nil
	switch {
	case linked && !s.d.same(kept, c.Path): // which is looked at last
		return &ChangedError{c.Path, "changed"}
	case linked:
	case !errors.Is(err, fs.ErrNotExist): // a file can have but one name here
		if err = s.keepCopy(c); err == nil {
			err = s.wasHeld(c, c.Path)
		}
		if err != nil {
			return err
		}
	default:
		return err
	}
	if err := s.d.rename(spare, c.Path); err != nil || !linked {
		return err
	}
	return s.wasHeld(c, kept)
}

// keepCopy makes Kept a copy of the file of a change, which must be as Old says.
func (s *save) keepCopy(c *Change) error {
	content, info, err := s.d.readRegular(c.Path)
	if err == nil {
		err = compare(c.Path, c.Old, StampOf(content))
	}
	if err != nil {
		return err
	}
	f, err := s.d.open(c.step.Kept, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.become(content, info)
}

// A file is replaced by another one, unless that would take it from its owner or its
// group, or from the other names that it has: then it is overwritten.

// kindOf tells how the file of a change gets the content of the one at spare.
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
	if sameOwner(by, old) && !hasOtherNames(old) {
		return replaces, nil
	}
	return fills, nil
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
	return s.d.unchanged(c.Path, c.Path, StampOf(c.Content)) // another one may have taken the name meanwhile
}

func (s *save) readyToFill(c *Change, f *handle) error {
	if err := s.keepCopy(c); err != nil {
		return err
	}
	open, err := f.Stat()
	if err == nil {
		err = c.isHeld(open)
	}
	if err != nil {
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
