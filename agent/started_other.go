//go:build unix && !linux && !darwin

package agent

import "time"

func processOf(pid int) (start time.Time, birth string, ok bool) { return time.Time{}, "", alive(pid) }
