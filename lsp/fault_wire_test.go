package lsp_test

import (
	"bufio"
	"encoding/json"
	"net"
	"sync"
	"sync/atomic"
)

// faultWire stands between two peers and passes on their messages whole, one by one. It
// commits the one fault that a run is about at its place, and then whatever follows
// from that fault.
type faultWire struct {
	left, right net.Conn // the far ends are those of the peers
	moved       *atomic.Int64
	running     sync.WaitGroup
	closed      chan struct{}

	mu    sync.Mutex
	fault *fault
	seen  map[faultClass]int // messages, so far
	fired bool
	over  bool          // the session is; no fault is to come any more
	held  [2]heldFrames // by direction
	cut   bool
	still [2]bool // nothing is passed on any more
}

// heldFrames are messages that are to go out later.
type heldFrames struct {
	frames [][]byte
	until  func(m message) bool // when m has passed
	merge  bool
}

// direction is that of a message: up is to the server.
type direction int

const (
	up direction = iota
	down
)

// newFaultWire returns a wire and its two ends, the server's and the peer's. Every
// message that passes is counted in moved.
func newFaultWire(f *fault, moved *atomic.Int64) (w *faultWire, server, peer net.Conn) {
	w = &faultWire{fault: f, seen: map[faultClass]int{}, moved: moved, closed: make(chan struct{})}
	w.left, server = net.Pipe()
	w.right, peer = net.Pipe()
	w.running.Go(func() { w.carry(up, w.right, w.left) })
	w.running.Go(func() { w.carry(down, w.left, w.right) })
	return w, server, peer
}

// carry passes on what comes from one side. It always reads, unless the fault is not to
// read; so a peer is never held up by a slow other side.
func (w *faultWire) carry(dir direction, from, to net.Conn) {
	queue, frames := make(chan []byte, 10_000), bufio.NewReader(from)
	w.running.Go(func() {
		for frame := range queue {
			if _, err := to.Write(frame); err != nil {
				break
			}
			w.moved.Add(1)
		}
		_ = to.Close()
		for range queue { // until the reading has ended
		}
	})
	defer close(queue)
	for {
		body, err := readFrame(frames)
		if err != nil {
			return
		}
		w.moved.Add(1)
		out, end := w.pass(dir, body)
		for _, frame := range out {
			queue <- frame
		}
		switch end {
		case cutOff:
			_ = from.Close()
			return
		case deaf:
			<-w.closed
			return
		}
	}
}

// ending is what becomes of a direction after a message.
type ending int

const (
	goesOn ending = iota
	cutOff
	deaf // nothing is read any more
)

// pass decides what is sent for a message.
func (w *faultWire) pass(dir direction, body []byte) (out [][]byte, end ending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return nil, cutOff
	}
	var m message
	_ = json.Unmarshal(body, &m) // the peers are ours
	if f := w.fault; f != nil && !w.fired && !w.over && f.kind.class.has(dir, m) {
		if w.seen[f.kind.class]++; w.seen[f.kind.class] == f.n+1 {
			w.fired = true
			return f.kind.act(w, dir, m, body)
		}
	} else if f == nil && !w.over {
		for _, class := range faultClasses {
			if class.has(dir, m) {
				w.seen[class]++
			}
		}
	}
	if w.still[dir] {
		return nil, goesOn
	}
	return w.withHeld(dir, m, body), goesOn
}

// withHeld returns what goes out with a message that passes.
func (w *faultWire) withHeld(dir direction, m message, body []byte) [][]byte {
	h := &w.held[dir]
	switch {
	case w.over && dir == up: // what was held goes before all that comes
		var out [][]byte
		for _, held := range h.frames {
			out = append(out, framed(held))
		}
		*h = heldFrames{}
		return append(out, framed(body))
	case h.until == nil:
		return [][]byte{framed(body)}
	case h.merge && isChange(m) && uriOf(m) == uriOf(parsed(h.frames[0])):
		out := [][]byte{framed(merged(h.frames[0], body))}
		*h = heldFrames{}
		return out
	case h.until(m):
		out := [][]byte{framed(body)}
		for _, held := range h.frames {
			out = append(out, framed(held))
		}
		*h = heldFrames{}
		return out
	case m.ID == nil && dir == up && !h.merge: // the order among notifications is kept
		h.frames = append(h.frames, body)
		return nil
	}
	return [][]byte{framed(body)}
}

// sendBack has the server get a message that no editor has sent.
func (w *faultWire) sendBack(body string) {
	w.running.Go(func() {
		_, _ = w.left.Write(framed([]byte(body)))
		w.moved.Add(1)
	})
}

// heal ends what the fault has begun, but for a cut. Messages of the editor that were held go before its next one.
func (w *faultWire) heal() (lives bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	return !w.cut && !w.still[up] && !w.still[down]
}

func (w *faultWire) hasFired() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fired
}

// isBroken reports whether the wire no longer carries everything.
func (w *faultWire) isBroken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fired
}

// close ends both connections and waits for the wire.
func (w *faultWire) close() {
	close(w.closed)
	_ = w.left.Close()
	_ = w.right.Close()
	w.running.Wait()
}

func parsed(body []byte) (m message) {
	_ = json.Unmarshal(body, &m)
	return m
}
