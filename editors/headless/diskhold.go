package headless

import (
	"io/fs"
	"os"
)

// hold looks at a staged change's file for the last time, since writing took its time,
// and locks it: two programs that both looked before either of them wrote would both
// believe that they had not overwritten the other one. What is about to be put in place
// is locked as well, so that nobody builds on it before it is certain to stay.
func (d disk) hold(_ *journal, c *change) error {
	if c.old != nil {
		if err := d.holdOld(c); err != nil {
			return err
		}
	}
	if c.remove || !holds {
		return nil
	}
	f, err := d.open(string(c.step.Spare), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	c.held = append(c.held, f)
	return f.lock()
}

func (d disk) holdOld(c *change) error {
	f, err := d.openRegular(c.path)
	if err != nil {
		return err
	}
	now := stamp{}
	if f != nil {
		c.held = append(c.held, f)
		if now, err = d.lockAndLook(f, c.path); err != nil {
			return err
		}
		if !holds {
			c.release()
		}
	}
	return compare(c.path, *c.old, now)
}

func (c *change) release() {
	for _, f := range c.held {
		_ = f.Close()
	}
	c.held = nil
}

func (d disk) lockAndLook(f *diskFile, path string) (stamp, error) {
	if err := f.lock(); err != nil {
		return stamp{}, err
	}
	locked, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	// What is locked may have been replaced before it was.
	if there, err := d.stat(path); err != nil || !os.SameFile(locked, there) {
		return stamp{}, &DiskChangedError{path, "changed"}
	}
	return stampOfFile(f)
}

// wasHeld is nil if what was at a change's path, and has another name now, is what was
// held, unchanged.
func (d disk) wasHeld(c *change, moved string) error {
	if c.old == nil {
		return nil
	}
	info, err := d.lstat(moved)
	if err != nil {
		return err
	}
	link := c.remove && info.Mode()&fs.ModeSymlink != 0 // one that is to go itself
	if !info.Mode().IsRegular() && !link {
		return &DiskChangedError{c.path, "changed"}
	}
	if holds && !link {
		if err := c.isHeld(info); err != nil {
			return err
		}
	}
	now, err := d.look(moved)
	if err != nil {
		return err
	}
	return compare(c.path, *c.old, now)
}

// isHeld is nil if info is of the file that is held.
func (c *change) isHeld(info fs.FileInfo) error {
	locked, err := c.held[0].Stat()
	if err == nil && !os.SameFile(locked, info) {
		err = &DiskChangedError{c.path, "changed"}
	}
	return err
}
