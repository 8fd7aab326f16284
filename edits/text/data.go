package text

import (
	"math"
	"strings"
	"sync"
	"sync/atomic"
)

// data is shared by the copies of a Text: the text in one piece, as a tree, or both. A missing form is made when it is first
// needed. The two forms share their bytes, so that the text is in memory once.
type data struct {
	size int
	mu   sync.Mutex             // held while a missing form is made
	flat atomic.Pointer[string] // the text in one piece
	tree atomic.Pointer[tree]   // never nil if flat is nil

	startsOnce sync.Once
	starts     []uint32                   // see lineStarts
	lines      atomic.Pointer[LineHashes] // nil until they are first needed

	hashOnce sync.Once
	hash     string
}

// nothing is the data of the empty text.
var nothing = flatData("")

func flatData(s string) *data {
	d := &data{size: len(s)}
	d.flat.Store(&s)
	return d
}

// whole returns the text in one piece, and keeps that form.
func (d *data) whole() string {
	if s := d.flat.Load(); s != nil {
		return *s
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.flat.Load(); s != nil {
		return *s
	}
	s, t := d.tree.Load().flatten()
	d.tree.Store(t)
	d.flat.Store(&s)
	return s
}

// asTree returns the text as a tree.
func (d *data) asTree() *tree {
	if t := d.tree.Load(); t != nil {
		return t
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tree.Load()
	if t == nil {
		t = newTree(*d.flat.Load())
		d.tree.Store(t)
	}
	return t
}

// lineStarts returns where the "\n"-separated segments of the text start; nil if the text is not in one piece, or too long.
// The last segment may be empty: it is LSP's line after a final newline.
func (d *data) lineStarts() []uint32 {
	s := d.flat.Load()
	if s == nil || uint64(len(*s)) > math.MaxUint32 {
		return nil
	}
	d.startsOnce.Do(func() {
		d.starts = make([]uint32, 1, 1+strings.Count(*s, "\n"))
		off := 0
		for line := range strings.Lines(*s) {
			if off += len(line); line[len(line)-1] == '\n' {
				d.starts = append(d.starts, uint32(off))
			}
		}
	})
	return d.starts
}
