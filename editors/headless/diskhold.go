package headless

import (
	"os"
)

// hold looks at a staged change's file for the last time, since writing took its time,
// and locks it: two programs that both looked before either of them wrote would both
// believe that they had not overwritten the other one.
func (d disk) hold(c *change) error {
	if c.old == nil {
		return nil
	}
	f, err := openRegular(c.path)
	if err != nil {
		return err
	}
	now := stamp{}
	if f != nil {
		c.held = append(c.held, f)
		if now, err = lockAndLook(f, c.path); err != nil {
			return err
		}
	}
	return compare(c.path, *c.old, now)
}

// holdNew locks what is about to be put in place, so that nobody builds on it before it
// is certain to stay.
func (d disk) holdNew(c *change) error {
	if c.remove {
		return nil
	}
	f, err := os.Open(c.spare)
	if err != nil {
		return err
	}
	c.held = append(c.held, f)
	return lock(f)
}

func lockAndLook(f *os.File, path string) (stamp, error) {
	if err := lock(f); err != nil {
		return stamp{}, err
	}
	locked, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	// What is locked may have been replaced before it was.
	if there, err := os.Stat(path); err != nil || !os.SameFile(locked, there) {
		return stamp{}, &DiskChangedError{path, "changed"}
	}
	return stampOfFile(f)
}
