package agent

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// peerOf returns the user at the other end of a socket.
func peerOf(fd int) (uid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// ticksPerSecond is the unit of times in /proc, the same on every Linux that Go runs on.
const ticksPerSecond = 100

// processOf adds the process's start, which the kernel counts from boot, to the time of boot. That is known only to a
// second, and moves when the clock is set: callers need a tolerance to compare. The birth is the boot's id and the process's
// start counted from boot: setting the clock changes neither.
func processOf(pid int) (start time.Time, birth string, ok bool) {
	if !alive(pid) {
		return time.Time{}, "", false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The second field, the program's name in parentheses, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const starttime = 22 - 3 // the first field after the name is the third
	if err != nil || len(fields) <= starttime {
		return time.Time{}, "", true
	}
	ticks, err := strconv.ParseInt(string(fields[starttime]), 10, 64) // counted from boot
	if err != nil {
		return time.Time{}, "", true
	}
	if id := bootID(); id != "" {
		birth = id + ":" + strconv.FormatInt(ticks, 10)
	}
	if boot, known := bootTime(); known {
		start = boot.Add(time.Duration(ticks) * (time.Second / ticksPerSecond))
	}
	return start, birth, true
}

// bootID returns the id of the system's boot, which cannot change while this process lives.
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // "" if it cannot be read
	return strings.TrimSpace(string(id))
})

// bootTime returns what /proc/stat calls btime, computed as the kernel does. It does not read that file: for the file's
// other lines the kernel adds up the counters of every processor, and bootTime is needed at every tool call.
func bootTime() (time.Time, bool) {
	var since unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &since); err != nil {
		return time.Time{}, false
	}
	return time.Now().Round(0).Add(-time.Duration(since.Nano())).UTC().Truncate(time.Second), true
}
