//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// processAlive reports whether a process of that id runs, even one of another user.
func processAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
