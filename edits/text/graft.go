package text

import "slices"

// graft puts leaves in the place of those from first to last, which are the
// offsets of leaves' ends.
func (b *Buffer) graft(first, last int, ls []leaf) {
	ks := b.graftNode(b.tree.root, first, last, ls)
	if len(ks) == 0 {
		ks = twigs([]leaf{{}}, b.epoch)
	}
	root := tip(ks, b.epoch)
	for root.branch != nil && root.branch.n == 1 {
		root = root.branch.kids[0]
	}
	b.tree.root = root
}

// graftNode is graft for one node, from whose start the offsets count. It
// returns what stands for the node: nothing if nothing is left of it, and else
// nodes of its height, of which one that is alone may have too few children.
func (b *Buffer) graftNode(k kid, first, last int, ls []leaf) []kid {
	if k.twig != nil {
		return b.graftTwig(k.twig, first, last, ls)
	}
	n := k.branch
	// The children in [i,j) change; the new leaves go into the first of them.
	i, at := 0, 0
	for ; first >= at+n.kids[i].sum.bytes; i++ {
		at += n.kids[i].sum.bytes
	}
	ks := append(make([]kid, 0, 2*maxBranch), n.kids[:i]...)
	j := i
	for ; j < n.n && at < last; j++ {
		size := n.kids[j].sum.bytes
		if j > i && at+size <= last { // all of it goes
			at += size
			continue
		}
		ks = append(ks, b.graftNode(n.kids[j], max(0, first-at), min(size, last-at), ls)...)
		at, ls = at+size, nil
	}
	changed := len(ks)
	ks = append(ks, n.kids[j:n.n]...)
	ks = b.mend(ks, i, changed)
	if len(ks) <= maxBranch && len(ks) > 0 {
		if n.epoch != b.epoch {
			n = &branch{epoch: b.epoch}
		}
		n.fill(ks)
		return []kid{branchKid(n)}
	}
	return branches(ks, b.epoch)
}

func (b *Buffer) graftTwig(w *twig, first, last int, ls []leaf) []kid {
	i, at := 0, 0
	for ; i < w.n && at < first; i++ {
		at += int(w.bytes[i])
	}
	j := i
	for ; j < w.n && (at < last || w.bytes[j] == 0); j++ {
		at += int(w.bytes[j])
	}
	if w.epoch != b.epoch {
		w = w.clone(b.epoch)
	}
	all := make([]leaf, 0, maxTwig+len(ls))
	all = w.leaves(append(w.leaves(all, 0, i), ls...), j, w.n)
	if len(all) <= maxTwig && len(all) > 0 {
		w.fill(all)
		return []kid{twigKid(w)}
	}
	return twigs(all, b.epoch)
}

// mend joins those of ks[from:to] that have too few children with a neighbour.
func (b *Buffer) mend(ks []kid, from, to int) []kid {
	for i := min(from, len(ks)-1); len(ks) > 1 && i < min(to, len(ks)); {
		if n, least, _ := ks[i].size(); n >= least {
			i++
			continue
		}
		if i == len(ks)-1 {
			i--
		}
		joined := b.join(ks[i], ks[i+1])
		ks = slices.Replace(ks, i, i+2, joined...)
		to += len(joined) - 2
	}
	return ks
}

// join returns the children of two nodes in one, or in two that have enough.
func (b *Buffer) join(k, l kid) []kid {
	if k.twig != nil {
		all := b.leaves(make([]leaf, 0, 2*maxTwig), k.twig)
		return twigs(b.leaves(all, l.twig), b.epoch)
	}
	all := append(make([]kid, 0, 2*maxBranch), k.branch.kids[:k.branch.n]...)
	all = append(all, l.branch.kids[:l.branch.n]...)
	// A branch that was left with one child could not mend that.
	return branches(b.mend(all, 0, len(all)), b.epoch)
}

// leaves appends the leaves of w to dst, as the buffer has them: what belongs to
// a twig that is not the buffer's may not be written.
func (b *Buffer) leaves(dst []leaf, w *twig) []leaf {
	from := len(dst)
	dst = w.leaves(dst, 0, w.n)
	for i := range dst[from:] {
		dst[from+i].own = dst[from+i].own && w.epoch == b.epoch
	}
	return dst
}
