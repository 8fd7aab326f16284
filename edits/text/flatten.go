package text

// flatten returns the text of t in one piece, and a tree whose leaves are parts
// of that.
func (t *tree) flatten() (string, *tree) {
	if w := t.root.twig; w != nil && w.n == 1 {
		return w.text(0), t // it is in one piece, and nobody writes it any more
	}
	p := make([]byte, 0, t.root.sum.bytes)
	root := flattenNode(t.root, &p)
	s := stringOf(p)
	return s, &tree{root: root, origins: []string{s}, pinned: len(s), aliased: len(s)}
}

// flattenNode appends the bytes of k to p, which has room for them, and returns
// k with leaves there.
func flattenNode(k kid, p *[]byte) kid {
	if k.branch != nil {
		n := k.branch.clone(0)
		for i := range n.n {
			n.kids[i] = flattenNode(n.kids[i], p)
		}
		n.hash.copy(&k.branch.hash)
		k.branch = n
		return k
	}
	w := k.twig.clone(0)
	for i := range w.n {
		at := len(*p)
		*p = append(*p, w.data(i)...)
		w.p[i] = &(*p)[at]
		w.alias = w.alias.with(i, true)
	}
	w.hash.copy(&k.twig.hash)
	w.known.Store(k.twig.known.Load())
	k.twig = w
	return k
}
