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

// birthOf: the kernel wrote down when the process started, and no setting of the clock
// changes that, so startOf is enough.
func birthOf(int) string { return "" }
