package contention

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Sharing reports whether a call failed because another program has the file open and does not share it.
func Sharing(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// Denied reports whether a call failed as if the user had no permission. The system returns the same error
// while another program has a file open that is to be renamed or is being deleted.
func Denied(err error) bool { return errors.Is(err, windows.ERROR_ACCESS_DENIED) }
