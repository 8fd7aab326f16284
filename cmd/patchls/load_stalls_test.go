package main

import (
	"slices"
	"sync"
	"time"
)

// stalls are the periods in which a processor of this machine ran nothing, not even processes of
// the highest priority, or ran only now and then, because the host of the virtual machine ran another
// one. The time that a command waits for a stall says nothing about the server.
type stalls struct {
	mu   sync.Mutex
	past []stretch
}

// stretch is a stretch of time.
type stretch struct {
	from, to time.Time
	of       string // the command that took it, "" for a stall
}

func (s stretch) lasts() time.Duration { return s.to.Sub(s.from) }

// minStall is the shortest stall that is counted.
const minStall = 3 * time.Millisecond

func (s *stalls) add(from, to time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = append(s.past, stretch{from: from, to: to})
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

// burst is a stretch of time in which slow commands follow one another without a gap.
type burst struct {
	stretch               // of is the command that was due first
	slow    int           // how many
	worst   time.Duration // of the slowest
	away    time.Duration // how long a processor was stalled meanwhile
}

// bursts returns those of the commands that last longer than a time.
func bursts(commands []stretch, longer time.Duration, all []stretch) []burst {
	earlier := func(a, b stretch) int { return a.from.Compare(b.from) }
	slices.SortFunc(commands, earlier)
	slices.SortFunc(all, earlier)
	var found []burst
	for _, c := range commands {
		if c.lasts() <= longer {
			continue
		}
		if n := len(found); n == 0 || c.from.After(found[n-1].to) {
			found = append(found, burst{stretch: c})
		}
		b := &found[len(found)-1]
		b.slow++
		b.worst = max(b.worst, c.lasts())
		if c.to.After(b.to) {
			b.to = c.to
		}
	}
	for i := range found {
		b := &found[i]
		counted := b.from
		for _, s := range all {
			if s.from.After(counted) {
				counted = s.from
			}
			end := s.to
			if end.After(b.to) {
				end = b.to
			}
			if end.After(counted) {
				b.away += end.Sub(counted)
				counted = end
			}
		}
	}
	return found
}
