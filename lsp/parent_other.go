//go:build !unix

package lsp

import (
	"os"
)

// processAlive reports whether a process of that id runs. Where a signal cannot
// ask, finding the process does: Windows fails for one that has ended.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return p.Release() == nil
}
