//go:build unix && !linux && !darwin

package agent

import "time"

func startOf(pid int) (start time.Time, ok bool) { return time.Time{}, alive(pid) }

func birthOf(int) string { return "" }
