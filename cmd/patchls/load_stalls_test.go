package main

import (
	"slices"
	"sync"
	"time"
)

// stalls are the stretches of time in which a processor of this machine ran nothing, not
// even what is before all else, or only now and then: the host of a virtual machine ran
// another one. What a command waits for that tells nothing of the server.
type stalls struct {
	mu   sync.Mutex
	past []stretch
}

// stretch is a stretch of time.
type stretch struct{ from, to time.Time }

func (s stretch) lasts() time.Duration { return s.to.Sub(s.from) }

// minStall is the shortest stall that is counted.
const minStall = 3 * time.Millisecond

func (s *stalls) add(from, to time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = append(s.past, stretch{from, to})
}

// since forgets all stalls that were over before a time, and returns the others.
func (s *stalls) since(began time.Time) []stretch {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = slices.DeleteFunc(s.past, func(p stretch) bool { return p.to.Before(began) })
	return slices.Clone(s.past)
}

// undisturbed returns those of the commands that met no stall and waited behind none that
// did: from a stall on, all are left out until there is a moment without an unanswered one.
func undisturbed(commands, all []stretch) []stretch {
	slices.SortFunc(commands, func(a, b stretch) int { return a.from.Compare(b.from) })
	var kept []stretch
	for len(commands) > 0 {
		busy, n := commands[0], 1
		for ; n < len(commands) && !commands[n].from.After(busy.to); n++ {
			if commands[n].to.After(busy.to) {
				busy.to = commands[n].to
			}
		}
		if !slices.ContainsFunc(all, func(s stretch) bool { return s.from.Before(busy.to) && busy.from.Before(s.to) }) {
			kept = append(kept, commands[:n]...)
		}
		commands = commands[n:]
	}
	return kept
}
