package headless

import "os"

// A file is replaced by another one, unless that would take it from its owner or its
// group, or from the other names that it has: then it is overwritten.

// replaceable reports whether the file at path can be replaced by the one at spare.
func replaceable(spare, path string) (bool, error) {
	by, err := os.Stat(spare)
	if err != nil {
		return false, err
	}
	old, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	return sameOwner(by, old) && !hasOtherNames(old), nil
}

// overwrite writes into the file itself. A copy of it is kept meanwhile, which a crash
// leaves behind.
func (d disk) overwrite(c *change) error {
	old, err := readRegular(c.path)
	if err != nil {
		return err
	}
	if c.kept, err = d.writeTemp(c.path, old, nil); err != nil {
		return err
	}
	if err = d.fill(c.path, c.content); err == nil {
		_ = os.Remove(c.spare)
		return nil
	}
	if back := d.fill(c.path, old); back != nil {
		err = &HalfSavedError{Cause: err, Left: []error{c.leftError(back)}}
		c.kept = "" // and so stays
	}
	return err
}

// refill makes an overwritten file what it was.
func (d disk) refill(c *change) error {
	old, err := readRegular(c.kept)
	if err == nil {
		err = d.fill(c.path, old)
	}
	if err == nil {
		_ = os.Remove(c.kept)
	}
	return err
}

func (d disk) fill(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	for _, step := range []func() error{
		func() error { return d.may("overwrite", path) },
		func() error { return f.Truncate(int64(len(content))) },
		f.Sync,
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
