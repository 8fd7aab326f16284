package text

const (
	maxBranch = 16
	minBranch = 4
)

// branch is a node whose children are nodes: all of them twigs, or all of them
// branches of one height. It may be written only by the buffer whose epoch it has.
type branch struct {
	epoch uint64
	hash  hashCache
	n     int
	kids  [maxBranch]kid
}

// kid is a node, and what its leaves hold together. One of the pointers is set.
type kid struct {
	sum    sum
	twig   *twig
	branch *branch
}

func twigKid(t *twig) kid { return kid{sum: t.total(), twig: t} }

func branchKid(b *branch) kid {
	k := kid{branch: b}
	for i := range b.n {
		k.sum = k.sum.plus(b.kids[i].sum)
	}
	return k
}

// size returns how many children the node has, and how many it must and may have.
func (k kid) size() (n, least, most int) {
	if k.twig != nil {
		return k.twig.n, minTwig, maxTwig
	}
	return k.branch.n, minBranch, maxBranch
}

// fill makes ks the children of b.
func (b *branch) fill(ks []kid) {
	n := copy(b.kids[:], ks)
	for i := n; i < b.n; i++ {
		b.kids[i] = kid{} // lets the node go
	}
	b.n = n
}

// clone returns a copy for a buffer to write.
func (b *branch) clone(epoch uint64) *branch {
	return &branch{epoch: epoch, n: b.n, kids: b.kids}
}
