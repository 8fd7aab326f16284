package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
)

// Pool finds live editors as a [Finder] does and keeps its connections to them: so a
// call costs no new one, and an agent stays the one that was shown a text. It is safe
// for concurrent use. The connections are the pool's; a caller must not close
// it, and may find it gone.
type Pool struct {
	Finder *Finder

	mu    sync.Mutex
	conns map[int]*Conn // by process id
}

// Find is [Finder.Find]. An editor counts as active as it was when the pool connected
// to it.
func (p *Pool) Find(ctx context.Context, dir, path string) (*Conn, error) {
	entries := p.Finder.entries()
	name := os.Getenv(socketVariable)
	if name != "" {
		e, err := p.Finder.named(name)
		if err != nil {
			return nil, err
		}
		entries = []Entry{e}
	}
	conns := p.connect(ctx, entries)
	switch {
	case name != "" && len(conns) == 0:
		return nil, fmt.Errorf("%s is %s: %w", socketVariable, name, errors.New("the editor there does not answer"))
	case name != "":
		return conns[0], nil
	}
	dir = realPath(dir)
	open := make([]bool, len(conns))
	if path != "" && (len(conns) > 1 || len(conns) == 1 && depthOf(conns[0].Live().Roots, dir) == 0) {
		conns, open = p.Finder.askOpen(ctx, conns, fileAt(dir, path))
	}
	if best := choose(conns, open, dir); best >= 0 {
		return conns[best], nil
	}
	return nil, ErrNoEditor
}

// ByPID is [Finder.ByPID].
func (p *Pool) ByPID(ctx context.Context, pid int) (*Conn, error) {
	for _, e := range p.Finder.entries() {
		if e.PID != pid {
			continue
		}
		if conns := p.connect(ctx, []Entry{e}); len(conns) == 1 {
			return conns[0], nil
		}
		return nil, fmt.Errorf("the editor with the process id %d does not answer", pid)
	}
	return nil, fmt.Errorf("%w with the process id %d", ErrNoEditor, pid)
}

// Close ends all connections.
func (p *Pool) Close() {
	p.mu.Lock()
	conns := slices.Collect(maps.Values(p.conns))
	p.conns = nil
	p.mu.Unlock()
	closeAll(conns)
}

// connect returns the connections to those of the editors that answer, the latest
// active first, and drops those to editors that are gone.
func (p *Pool) connect(ctx context.Context, entries []Entry) []*Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.conns, func(_ int, c *Conn) bool { return c.isGone() })
	var have []*Conn
	fresh := slices.DeleteFunc(entries, func(e Entry) bool {
		c := p.conns[e.PID]
		if c == nil || !c.live.Started.Equal(e.Started) {
			return false
		}
		c.setRoots(e.Roots) // they may be others by now
		have = append(have, c)
		return true
	})
	for _, c := range p.Finder.dialEach(ctx, fresh) {
		if p.conns == nil {
			p.conns = map[int]*Conn{}
		}
		if old := p.conns[c.live.PID]; old != nil {
			go func() { _ = old.Close() }() // of a process that has ended; it never fails
		}
		p.conns[c.live.PID] = c
		have = append(have, c)
	}
	slices.SortFunc(have, byActivity)
	return have
}

func (c *Conn) setRoots(roots []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live.Roots = roots
}

// isGone reports whether the connection has ended.
func (c *Conn) isGone() bool {
	select {
	case <-c.link.gone:
		return true
	default:
		return false
	}
}
