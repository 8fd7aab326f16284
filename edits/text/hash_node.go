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
func (n node) hash() hash {
	cache := n.cache()
	h, ok := cache.get()
	if ok {
		return h
	}
	if l := n.leaf; l != nil {
		for i := range l.n {
			h = h.write(l.chunks[i].data())
		}
	} else {
		for i := range n.branch.n {
			child := &n.branch.children[i]
			h = h.then(child.hash(), child.sum.bytes)
		}
	}
	cache.put(h)
	return h
}

func (n node) cache() *hashCache {
	if n.leaf != nil {
		return &n.leaf.hash
	}
	return &n.branch.hash
}
