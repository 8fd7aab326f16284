package text

// wasteful reports whether much of the originals is kept for nothing. At a
// quarter, a text and what is kept beside it are below 1.4 times its bytes, and
// the copying is paid for by the edits that led to it.
func (b *Buffer) wasteful() bool {
	return b.tree.pinned-b.tree.aliased > b.tree.pinned/4
}

// letGo copies what is still part of an original, so that none is needed.
func (b *Buffer) letGo() {
	b.tree.root = b.letGoNode(b.tree.root)
	b.tree.origins, b.tree.pinned, b.tree.aliased = nil, 0, 0
	b.leave()
}

func (b *Buffer) letGoNode(k kid) kid {
	if k.twig != nil {
		if k.twig.epoch != b.epoch {
			k.twig = k.twig.clone(b.epoch)
		}
		for i := range k.twig.n {
			if k.twig.alias.has(i) {
				b.replaceLeaf(k.twig, i, 0, 0, "")
			}
		}
		return k
	}
	if k.branch.epoch != b.epoch {
		k.branch = k.branch.clone(b.epoch)
	}
	for i := range k.branch.n {
		k.branch.kids[i] = b.letGoNode(k.branch.kids[i])
	}
	return k
}
