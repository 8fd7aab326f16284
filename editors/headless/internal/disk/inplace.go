package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A file is replaced by another one, unless that would take it from its owner or its
// group, or from the other names that it has: then it is overwritten.

// kindOf tells how the file of a change gets the content of the one at spare.
func (d Disk) kindOf(c *Change, spare string) (kind, error) {
	if c.Old != nil && !c.Old.exists {
		return makes, nil
	}
	old, err := d.stat(c.Path)
	switch {
	case c.Old == nil && errors.Is(err, fs.ErrNotExist):
		return makes, nil
	case err != nil:
		return "", err
	case c.Old == nil:
		return replaces, nil
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
func (d Disk) overwrite(j *journal, c *Change) error {
	f, err := d.open(c.Path, os.O_WRONLY|openFlags, 0)
	if err != nil {
		return err
	}
	if err := d.readyToFill(j, c, f); err != nil {
		_ = f.Close()
		return err
	}
	if err := d.fill(f, c.Content); err != nil {
		return err
	}
	now, err := d.Look(c.Path) // another one may have taken the name meanwhile
	if err != nil {
		return err
	}
	return compare(c.Path, StampOf(c.Content), now)
}

func (d Disk) readyToFill(j *journal, c *Change, f *handle) error {
	if err := d.copyTo(string(c.step.Kept), c.Path, c.Old); err != nil {
		return err
	}
	open, err := f.Stat()
	if err != nil {
		return err
	}
	if holds {
		if err := c.isHeld(open); err != nil {
			return err
		}
	}
	if err := j.note(note{Fill: c.step.Path}); err != nil {
		return err
	}
	// The copy is found again, also if the power goes while the file is written.
	if err := j.sync(); err != nil {
		return err
	}
	if err := d.syncDir(filepath.Dir(c.Path)); err != nil {
		return err
	}
	return d.wasHeld(c, c.Path) // for the last time
}

// fill makes content all that is in f, and closes it.
func (d Disk) fill(f *handle, content []byte) error {
	_, err := f.Write(content)
	for _, step := range []func() error{
		func() error { return f.truncate(int64(len(content))) },
		f.sync,
	} {
		if err == nil {
			err = step()
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
