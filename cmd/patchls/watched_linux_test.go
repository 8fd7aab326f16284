package main

import (
	"fmt"
	"os"
)

// resident returns how many bytes of a process are in memory.
func resident(pid int) (int, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	var size, pages int
	_, err = fmt.Sscan(string(raw), &size, &pages)
	return pages * os.Getpagesize(), err
}
