//go:build !windows

package contention

// Sharing returns false: on this system, a file that is open can be changed.
func Sharing(error) bool { return false }

// Denied returns false: on this system, a call that was denied stays denied.
func Denied(error) bool { return false }
