package text

// tree is a text as a tree of leaves. All leaves are equally deep, and there is
// at least one, which is empty only in the empty text. Nodes may be shared by
// trees; who may write which is said by their epochs (see [Buffer]).
type tree struct {
	root kid
	// origins are the long strings that leaves are parts of, pinned bytes in all;
	// aliased is how many of those are in leaves.
	origins         []string
	pinned, aliased int
}

// newTree returns the tree of s, whose leaves are parts of s.
func newTree(s string) *tree {
	if s == "" {
		t := &twig{}
		t.fill([]leaf{{}})
		return &tree{root: twigKid(t)}
	}
	return &tree{root: grow(sliced(s), 0), origins: []string{s}, pinned: len(s), aliased: len(s)}
}

// sliced returns leaves that are parts of s.
func sliced(s string) []leaf {
	n := pieces(len(s))
	ls := make([]leaf, 0, n)
	for ; n > 0; n-- {
		end := cut(s, len(s)/n)
		ls = append(ls, makeLeaf(bytesOf(s[:end]), 0, false, true))
		s = s[end:]
	}
	return ls
}

// pieces returns how many leaves n bytes make.
func pieces(n int) int {
	if n <= maxLeaf {
		return 1
	}
	return (n + newLeaf - 1) / newLeaf
}

// cut returns at most n, and less by up to three bytes where a code point would be cut.
func cut(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	return floorRune(s, n)
}

// grow returns the root of a tree of the leaves, whose nodes have the epoch.
func grow(ls []leaf, epoch uint64) kid {
	return tip(twigs(ls, epoch), epoch)
}

// twigs returns as few twigs of the leaves as can be, evenly filled.
func twigs(ls []leaf, epoch uint64) []kid {
	var dst []kid
	for n := (len(ls) + maxTwig - 1) / maxTwig; n > 0; n-- {
		size := len(ls) / n
		t := &twig{epoch: epoch}
		t.fill(ls[:size])
		ls = ls[size:]
		dst = append(dst, twigKid(t))
	}
	return dst
}

// branches returns as few branches of the kids as can be, evenly filled.
func branches(ks []kid, epoch uint64) []kid {
	var dst []kid
	for n := (len(ks) + maxBranch - 1) / maxBranch; n > 0; n-- {
		size := len(ks) / n
		b := &branch{epoch: epoch}
		b.fill(ks[:size])
		ks = ks[size:]
		dst = append(dst, branchKid(b))
	}
	return dst
}

// tip puts branches over the nodes, which are of one height, until there is one.
func tip(ks []kid, epoch uint64) kid {
	for len(ks) > 1 {
		ks = branches(ks, epoch)
	}
	return ks[0]
}
