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

// own cannot tell whether a process lives.
func own(*os.File) error { return errors.ErrUnsupported }
