package agent

import (
	"time"

	"golang.org/x/sys/unix"
)

// processOf returns no birth, since the start is enough: the kernel has recorded when the
// process started, which does not change when the clock is set.
func processOf(pid int) (start time.Time, birth string, ok bool) {
	if !alive(pid) {
		return time.Time{}, "", false
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return time.Time{}, "", true
	}
	return time.Unix(info.Proc.P_starttime.Unix()).UTC(), "", true
}
