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
	born string                 // the text, if it came in one piece
	tree atomic.Pointer[tree]   // never nil where born is ""
	made atomic.Pointer[string] // the text in one piece, made of the tree
	mu   sync.Mutex             // for who makes what is missing

	lines  segments
	hashes atomic.Pointer[LineHashes] // once somebody has asked for them

	hashOnce sync.Once
	hash     string
}

// flat returns the text if it is in one piece.
func (d *data) flat() (string, bool) {
	if d.born != "" {
		return d.born, true
	}
	if s := d.made.Load(); s != nil {
		return *s, true
	}
	return "", false
}

// whole returns the text in one piece, and keeps it so. No data is the empty text.
func (d *data) whole() string {
	if d == nil {
		return ""
	}
	if s, ok := d.flat(); ok {
		return s
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.flat(); ok {
		return s
	}
	s, t := d.tree.Load().flatten()
	d.tree.Store(t)
	d.made.Store(&s)
	return s
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
		t = plant(d.born)
		d.tree.Store(t)
	}
	return t
}
