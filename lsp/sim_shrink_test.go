package lsp_test

import (
	"slices"
	"time"
)

// shrink leaves out steps as long as the same invariant fails without them, and
// until the time is up.
func shrink(run simRun, fails func(simRun) bool, bound time.Duration) simRun {
	end := time.Now().Add(bound)
	for chunk := (len(run.steps) + 1) / 2; chunk > 0; {
		smaller := false
		for at := 0; at < len(run.steps) && time.Now().Before(end); {
			less := run
			less.steps = slices.Delete(slices.Clone(run.steps), at, min(len(run.steps), at+chunk))
			if fails(less) {
				run, smaller = less, true
				continue
			}
			at += chunk
		}
		if chunk == 1 && !smaller || time.Now().After(end) {
			break
		}
		chunk = max(1, chunk/2)
	}
	return run
}
