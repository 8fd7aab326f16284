package headless

import "time"

// Faults are what a hostile editor does, each with its probability.
type Faults struct {
	Silent, Slow, SaysNo, SaysYes, Twice                      float64
	SlowBy                                                    time.Duration
	VersionJumps, VersionRepeats, VersionFalls, Lost, Reopens float64
}
