package main

import (
	"fmt"
	"runtime"
)

// contestant is one way to do a piece of work.
type contestant struct {
	name string
	// run does the work once and returns the figure, mostly nanoseconds.
	run func() (float64, error)
	// rounds is the number of rounds in which it takes part, spread over all; 0 means all.
	rounds int
}

// contest runs the contestants in turns, so that other load of the machine affects
// all of them, and returns the figures of each.
func contest(rounds int, who ...contestant) (map[string]series, error) {
	all := map[string]series{}
	for round := range rounds {
		for i := range who {
			c := who[(i+round)%len(who)] // none is always the first
			if c.rounds > 0 && round*c.rounds/rounds == (round-1)*c.rounds/rounds && round > 0 {
				continue
			}
			runtime.GC() // none pays for another's garbage
			x, err := c.run()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			all[c.name] = append(all[c.name], x)
		}
	}
	return all, nil
}
