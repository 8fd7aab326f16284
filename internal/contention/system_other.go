//go:build !windows

package contention

// Sharing is false: a file that is open can be changed here.
func Sharing(error) bool { return false }

// Denied is false: what is denied here stays so.
func Denied(error) bool { return false }
