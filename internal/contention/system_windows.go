package contention

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Sharing reports whether a call failed since another program has the file open and does not share it.
func Sharing(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// Denied reports whether a call failed as it does where the user may not make it. The system says no more
// of a file that is about to be renamed, or that is on its way out, while another program has it open.
func Denied(err error) bool { return errors.Is(err, windows.ERROR_ACCESS_DENIED) }
