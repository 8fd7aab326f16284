package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
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

// stolen returns the processor time that the host of this virtual machine has taken from it
// while there was work to do.
func stolen() time.Duration { return stolenOf("cpu") }

// stolenFrom returns the time stolen from one processor, counted from 0.
func stolenFrom(cpu int) time.Duration { return stolenOf(fmt.Sprintf("cpu%d", cpu)) }

func stolenOf(name string) time.Duration {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		var user, nice, system, idle, wait, irq, softirq, steal int64
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			if _, err := fmt.Sscan(rest, &user, &nice, &system, &idle, &wait, &irq, &softirq, &steal); err != nil {
				return 0
			}
			return time.Duration(steal) * (time.Second / 100) // /proc counts in hundredths of a second
		}
	}
	return 0
}

// peak returns the most bytes of a process that were in memory since [clearPeak].
func peak(pid int) (int, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kib int
			_, err := fmt.Sscan(rest, &kib)
			return kib << 10, err
		}
	}
	return 0, errors.Join(err, errors.ErrUnsupported)
}

func clearPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}
