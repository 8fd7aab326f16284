//go:build aix || (solaris && !illumos)

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
