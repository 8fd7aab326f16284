package agent

import (
	"time"

	"golang.org/x/sys/unix"
)

func startOf(pid int) (start time.Time, ok bool) {
	if !alive(pid) {
		return time.Time{}, false
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return time.Time{}, true
	}
	return time.Unix(info.Proc.P_starttime.Unix()).UTC(), true
}

// birthOf returns "", since startOf is enough: the kernel has recorded when the process
// started, which does not change when the clock is set.
func birthOf(int) string { return "" }
