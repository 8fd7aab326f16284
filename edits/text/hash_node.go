package text

import "sync/atomic"

// hashCache keeps the hash of a node that is not written any more. Any number
// of readers may find it and put it there.
type hashCache struct{ a, b atomic.Uint64 } // each plus 1; b is put last

func (c *hashCache) get() (hash, bool) {
	b := c.b.Load()
	if b == 0 {
		return hash{}, false
	}
	return hash{c.a.Load() - 1, b - 1}, true
}

func (c *hashCache) put(h hash) {
	c.a.Store(h.a + 1)
	c.b.Store(h.b + 1)
}

func (c *hashCache) copy(o *hashCache) {
	if h, ok := o.get(); ok {
		c.put(h)
	}
}

// hash returns the hash of the node's text. Nobody may write the node any more.
func (k kid) hash() hash {
	var h hash
	if w := k.twig; w != nil {
		if h, ok := w.hash.get(); ok {
			return h
		}
		for i := range w.n {
			h = h.write(w.data(i))
		}
		w.hash.put(h)
		return h
	}
	if h, ok := k.branch.hash.get(); ok {
		return h
	}
	for i := range k.branch.n {
		o := &k.branch.kids[i]
		h = h.then(o.hash(), o.sum.bytes)
	}
	k.branch.hash.put(h)
	return h
}
