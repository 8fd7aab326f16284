package lsp

import (
	"errors"
	"syscall"
)

// processAlive reports whether a process of that id runs, even one of another user. A process that has
// ended can still be opened while another program holds it, so it is also checked for its end.
func processAlive(pid int) bool {
	p, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, syscall.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = syscall.CloseHandle(p) }()
	event, err := syscall.WaitForSingleObject(p, 0)
	return err == nil && event == syscall.WAIT_TIMEOUT
}
