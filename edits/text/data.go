package text

import (
	"sync"
	"sync/atomic"
)

// data is what the copies of a Text share: the text in one piece, as a tree, or
// both. What is missing is made when it is asked for, and the two share their
// bytes, so that the text is in memory once.
type data struct {
	size int
	tree atomic.Pointer[tree]
	flag atomic.Bool // s is set
	s    string
	mu   sync.Mutex // for who makes what is missing

	lines segments

	hashOnce sync.Once
	hash     string
}

// flat returns the text if it is in one piece.
func (d *data) flat() (string, bool) {
	if d.flag.Load() {
		return d.s, true
	}
	return "", false
}

// whole returns the text in one piece.
func (d *data) whole() string {
	if d.flag.Load() {
		return d.s
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.flag.Load() {
		s, t := d.tree.Load().flatten()
		d.s = s
		d.tree.Store(t)
		d.flag.Store(true)
	}
	return d.s
}

// grown returns the text as a tree.
func (d *data) grown() *tree {
	if t := d.tree.Load(); t != nil {
		return t
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tree.Load()
	if t == nil {
		t = plant(d.s)
		d.tree.Store(t)
	}
	return t
}
