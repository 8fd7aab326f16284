package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// traceCut is how many edits of a session go over the wire.
const traceCut = 60_000

// didChangeRow sends typing to whole servers.
func didChangeRow(e *env) (row, error) {
	r := row{
		Why:   "What is left is one pass over the JSON of each message and the copying of its bytes out of the pipe; the edit itself is a tenth. Where the text is small and the typing goes on in one place, the peer's own cost is mostly its JSON parser, which is native code.",
		Title: "didChange, whole server",
		About: fmt.Sprintf("Each server is a process; a session of typing goes to it over a pipe, one didChange an edit, of at most %d, as one big write (pipelined) or one write each. "+
			"Time per edit until a request sent behind them all is answered. The server's text at the end was compared. On 1 MB of source the edits are at random places, "+
			"and those of node are fewer.", traceCut),
	}
	all, stop, err := e.servers()
	if err != nil {
		return r, err
	}
	defer stop()
	t := table{Columns: []string{"session", "sent"}}
	for _, s := range all {
		t.Columns = append(t.Columns, s.name)
	}
	sessions := e.typing
	if e.quick {
		sessions = sessions[len(sessions)-1:]
	}
	const random = "1 MB, random"
	sessions = append(slices.Clip(sessions), scattered(random, e.source.first(megabyte), randomEdits))
	for _, s := range sessions {
		s = s.part(traceCut)
		for _, pipelined := range []bool{true, false} {
			var who []contestant
			for _, to := range all {
				part := s
				if s.name == random && to.name != us {
					part = s.part(300)
				}
				c, err := sending(to, part, pipelined)
				if err != nil {
					return r, fmt.Errorf("%s: %w", s.name, err)
				}
				who = append(who, c)
			}
			got, err := contest(e.rounds(5, 3), who...)
			if err != nil {
				return r, fmt.Errorf("%s: %w", s.name, err)
			}
			how, want := "one write each", 10.0
			if pipelined {
				how, want = "pipelined", 25
			}
			if s.name == random {
				want = 500
			}
			cells := []string{s.name, how}
			for _, to := range all {
				cells = append(cells, got[to.name].times())
			}
			t.add(cells...)
			if len(got[languageServer]) > 0 {
				r.Goals = append(r.Goals, atLeast(s.name+", "+how+", against "+languageServer, want, got[languageServer].over(got[us])))
			}
		}
	}
	r.Tables = append(r.Tables, t)
	typed := typedOn()
	frames, ends := changeFrames(typed) // made beforehand: the profile is to be of the server
	allocs, bytes, err := typedAllocations(typed, frames, ends)
	if err != nil {
		return r, err
	}
	r.work = func() error { _, _, err := typedAllocations(typed, frames, ends); return err }
	r.Goals = append(r.Goals, atMost("allocations of the whole server for one typed character, where none is wanted; one in ten is left for the growth of the tree",
		0.1, only(allocs), "allocations"))
	r.Notes = append(r.Notes, fmt.Sprintf("For one typed character, in 100 KB of source, the whole server allocates %s times, %s bytes.", number(allocs), number(bytes)))
	return r, nil
}

// sending is a server that takes a session in, which was checked once.
func sending(to server, s session, pipelined bool) (contestant, error) {
	open, shut := openFrame(s.start), closeFrame()
	frames, ends := changeFrames(s)
	if pipelined {
		ends = nil
	}
	run := func() (float64, error) {
		if _, err := to.send(open); err != nil {
			return 0, err
		}
		took, err := to.send(frames, ends...)
		return took / float64(len(s.changes)), err
	}
	_, err := run()
	if err == nil {
		err = to.holds(s.result())
	}
	if err == nil {
		_, err = to.send(shut)
	}
	return contestant{name: to.name, run: func() (float64, error) {
		took, err := run()
		if err == nil {
			_, err = to.send(shut)
		}
		return took, err
	}}, err
}

// typedOn is a character typed behind the one before it, again and again.
func typedOn() session {
	s := session{start: oneLine(100 * kilobyte)}
	for i := range 20_000 {
		at := change{put: "x"}
		at.from.Character = 50_000 + i
		at.to = at.from
		s.changes = append(s.changes, at)
	}
	return s
}

// typedAllocations returns how often, and how many bytes, the server allocates for
// a character of such a session.
func typedAllocations(s session, frames []byte, ends []int) (count, bytes float64, err error) {
	c, err := inside()
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	if _, err := c.send(openFrame(s.start)); err != nil {
		return 0, 0, err
	}
	const warm = 1000
	if _, err := c.send(frames[:ends[warm-1]]); err != nil {
		return 0, 0, err
	}
	var before, after runtime.MemStats
	runtime.GC()
	time.Sleep(10 * time.Millisecond) // the collector's own work is not to be counted
	runtime.ReadMemStats(&before)
	if _, err := c.send(frames[ends[warm-1]:]); err != nil {
		return 0, 0, err
	}
	runtime.ReadMemStats(&after)
	n := float64(len(s.changes) - warm)
	return float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n, nil
}
