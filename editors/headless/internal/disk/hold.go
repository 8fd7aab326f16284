package disk

import (
	"errors"
	"io/fs"
	"os"
)

// hold looks at a staged change's file for the last time, since writing took its time,
// and locks it: two programs that both looked before either of them wrote would both
// believe that they had not overwritten the other one. What is about to be put in place
// is locked as well, so that nobody builds on it before it is certain to stay.
func (s *save) hold(c *Change) error {
	if err := s.holdOld(c); err != nil {
		return err
	}
	if c.Remove || !holds {
		return nil
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
		return compare(c.Path, c.Old, "")
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
	if err != nil {
		return err
	}
	if !holds {
		c.release()
	}
	return compare(c.Path, c.Old, now)
}

func (c *Change) release() {
	for _, f := range c.held {
		_ = f.Close()
	}
	c.held = nil
}

// lock locks f until it is closed, where it can be replaced meanwhile. It does not wait: who
// has the lock is about to change the file. Where there are no locks, what is read must do.
func lock(f *os.File) error {
	if !holds {
		return nil
	}
	if err := own(f); errors.Is(err, ErrLocked) {
		return err
	}
	return nil
}

// isInPlace is nil if f still is the file at its path.
func (f *handle) isInPlace() error {
	open, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := f.d.stat(f.path); err != nil || !os.SameFile(open, there) {
		return &ChangedError{f.path, "changed"}
	}
	return nil
}

// wasHeld is nil if what was at a change's path, and has another name now, is what was
// held, unchanged.
func (s *save) wasHeld(c *Change, moved string) error {
	info, err := s.d.Lstat(moved)
	if err != nil {
		return err
	}
	link := c.Remove && info.Mode()&fs.ModeSymlink != 0 // one that is to go itself
	if !info.Mode().IsRegular() && !link {
		return &ChangedError{c.Path, "changed"}
	}
	if !link {
		if err := c.isHeld(info); err != nil {
			return err
		}
	}
	return s.d.unchanged(c.Path, moved, c.Old)
}

// isHeld is nil if info is of the file that is held, as far as one can be held.
func (c *Change) isHeld(info fs.FileInfo) error {
	if !holds {
		return nil
	}
	locked, err := c.held[0].Stat()
	if err == nil && !os.SameFile(locked, info) {
		err = &ChangedError{c.Path, "changed"}
	}
	return err
}
