//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package disk

import (
	"errors"
	"os"
)

const (
	holds     = false
	openFlags = 0
)

// lock does nothing: what is read must do.
func lock(*os.File) error { return nil }

// own cannot tell whether a process lives.
func own(*os.File) error { return errors.ErrUnsupported }
