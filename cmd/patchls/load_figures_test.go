package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchls/patchls/edits"
)

// loadFigures are the figures of a load test.
type loadFigures struct {
	looks atomic.Int64 // texts that were compared
	told  atomic.Int64 // answers whose text was compared

	stalls stalls

	mu       sync.Mutex
	now      loadWindow
	stolen   time.Duration // by the end of the last window
	windows  []loadWindow
	mistakes int // wrong answers
	diverged int // texts that differed between server and editor
}

// loadWindow is the figures of one period of a load test.
type loadWindow struct {
	lasted          time.Duration
	due             int
	done            []stretch // each from when a command was due until it was answered
	refused         map[edits.Kind]int
	p50, p99, worst time.Duration
	worstIs         string // the command that took longest
	answered        int
	stalled         int           // answered commands that a stall delayed, directly or behind others
	ownP99          time.Duration // of all other answered commands
	bursts          []burst       // of commands that took more than twice the first window's p99, if its own is more
	footprint
	resident int
	stolen   time.Duration // processor time that the host took while this machine had work to do
}

func (f *loadFigures) done(name string, due time.Time, kind edits.Kind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	took := stretch{due, time.Now(), name}
	f.now.done = append(f.now.done, took)
	if took.lasts() > f.now.worst {
		f.now.worst, f.now.worstIs = took.lasts(), name
	}
	if kind != "" {
		if f.now.refused == nil {
			f.now.refused = map[edits.Kind]int{}
		}
		f.now.refused[kind]++
	}
}

// turn ends a window, returns what happened in it, and begins the next one.
func (f *loadFigures) turn(lasted time.Duration, due int) loadWindow {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.now
	f.now = loadWindow{}
	w.lasted, w.due, w.answered = lasted, due, len(w.done)
	return w
}

// add records a window that is over, and returns it with all figures.
func (f *loadFigures) add(w loadWindow, resident int, stolen time.Duration, holds footprint) loadWindow {
	w.resident, w.stolen, w.footprint = resident, stolen-f.stolen, holds
	f.stolen = stolen
	all := f.stalls.since(time.Now().Add(-2 * w.lasted))
	done := w.done
	w = w.measured(all)
	if len(f.windows) > 0 && w.p99 > 2*f.windows[0].p99 {
		w.bursts = bursts(done, 2*f.windows[0].p99, all)
	}
	f.windows = append(f.windows, w)
	return w
}

// measured returns the window with the durations of all its commands, and of those that
// no stall delayed.
func (w loadWindow) measured(all []stretch) loadWindow {
	own := undisturbed(w.done, all)
	w.p50, w.p99, w.ownP99 = part(w.done, 50), part(w.done, 99), part(own, 99)
	w.stalled, w.done = len(w.done)-len(own), nil
	return w
}

// part returns the duration below which percent of all lie.
func part(all []stretch, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.lasts(), b.lasts()) })
	return all[len(all)*percent/100].lasts()
}

const loadHead = "minute  due     answered  per s   p50 ms  p99 ms   max ms    of             stolen ms  stalled  own p99 ms  heap MB  resident MB  goroutines  refused\n"

func (w loadWindow) write(out io.Writer, number int) {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	var refused []string
	for _, kind := range slices.Sorted(maps.Keys(w.refused)) {
		refused = append(refused, fmt.Sprintf("%s %d", kind, w.refused[kind]))
	}
	fmt.Fprintf(out, "%-7d %-7d %-9d %-7.1f %-7.1f %-8.1f %-9.1f %-14s %-10d %-8d %-11.1f %-8.1f %-12.1f %-11d %s\n", number, w.due, w.answered,
		float64(w.answered)/w.lasted.Seconds(), ms(w.p50), ms(w.p99), ms(w.worst), w.worstIs, w.stolen.Milliseconds(), w.stalled, ms(w.ownP99), float64(w.Heap)/1e6, float64(w.resident)/1e6,
		w.Goroutines, strings.Join(refused, ", "))
	for _, b := range w.bursts {
		fmt.Fprintf(out, "        a burst at %s of %.0f ms: %d slow commands, the first one %s, the slowest %.0f ms; a processor was stalled for %.0f ms\n",
			b.from.Format("15:04:05.000"), ms(b.lasts()), b.slow, b.of, ms(b.worst), ms(b.away))
	}
}

// middle returns the median of a figure over the windows [from, to), counted from 0.
func (f *loadFigures) middle(from, to int, of func(loadWindow) int) float64 {
	var all []int
	for _, w := range f.windows[from:to] {
		all = append(all, of(w))
	}
	slices.Sort(all)
	return float64(all[len(all)/2])
}
