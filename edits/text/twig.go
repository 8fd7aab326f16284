package text

import "sync/atomic"

// The sizes that the tree keeps to. A leaf of 512 bytes costs some 25 more for
// its place in the tree, is copied in 20 ns, and is searched for a line in 50.
const (
	maxLeaf = 1024 // bytes; fits the counters of a twig
	newLeaf = 512  // what a long text is cut into
	minLeaf = 128  // only the one leaf of a small text is smaller

	maxTwig = 32 // leaves; fits the sets of a twig
	minTwig = 8
)

// twig is a node that holds leaves: stretches of text of at most maxLeaf bytes
// that never cut a code point. It is an array of each thing, since a search
// looks at one of them for many leaves.
//
// A twig may be written only by the buffer whose epoch it has.
type twig struct {
	epoch uint64
	hash  hashCache
	known atomic.Pointer[twigLines] // once somebody has asked for them
	n     int

	own   leafSet // its bytes are this twig's own, to be written in place
	alias leafSet // its bytes are part of an original (see origins)
	bad   leafSet // it is not valid UTF-8

	p      [maxTwig]*byte
	bytes  [maxTwig]uint16
	lines  [maxTwig]uint16
	runes  [maxTwig]uint16
	astral [maxTwig]uint16
	room   [maxTwig]uint16 // bytes allocated at p, where own
}

// leafSet is a set of a twig's leaves.
type leafSet uint32

func (s leafSet) has(i int) bool { return s>>uint(i)&1 != 0 }

func (s leafSet) with(i int, in bool) leafSet {
	s &^= 1 << uint(i)
	if in {
		s |= 1 << uint(i)
	}
	return s
}

// leaf is one leaf on its way from a twig to another.
type leaf struct {
	p                           *byte
	bytes, lines, runes, astral uint16
	room                        uint16
	own, alias, bad             bool
}

// makeLeaf returns the leaf of p, which stays where it is.
func makeLeaf(p []byte, room int, own, alias bool) leaf {
	l := leaf{room: uint16(room), own: own, alias: alias}
	if room > 0 || len(p) > 0 {
		l.p = &p[:1][0]
	}
	m, valid := measure(stringOf(p))
	l.bytes, l.lines, l.runes, l.astral = uint16(m.bytes), uint16(m.lines), uint16(m.runes), uint16(m.astral)
	l.bad = !valid
	return l
}

// data returns the bytes of leaf i.
func (t *twig) data(i int) []byte { return view(t.p[i], int(t.bytes[i])) }

// text returns leaf i as a string that holds until the leaf is written.
func (t *twig) text(i int) string { return stringOf(t.data(i)) }

// narrow reports whether each code point of leaf i takes one byte.
func (t *twig) narrow(i int) bool { return t.bytes[i] == t.runes[i] }

// sum returns the sum of leaf i.
func (t *twig) sum(i int) sum {
	return sum{int(t.bytes[i]), int(t.lines[i]), int(t.runes[i]), int(t.astral[i])}
}

func (t *twig) total() sum {
	var s sum
	for i := range t.n {
		s = s.plus(t.sum(i))
	}
	return s
}

// leaves appends the leaves [from,to) to dst.
func (t *twig) leaves(dst []leaf, from, to int) []leaf {
	for i := from; i < to; i++ {
		dst = append(dst, leaf{
			t.p[i], t.bytes[i], t.lines[i], t.runes[i], t.astral[i], t.room[i],
			t.own.has(i), t.alias.has(i), t.bad.has(i),
		})
	}
	return dst
}

// set makes leaf i of t.
func (t *twig) set(i int, l leaf) {
	t.p[i], t.room[i] = l.p, l.room
	t.bytes[i], t.lines[i], t.runes[i], t.astral[i] = l.bytes, l.lines, l.runes, l.astral
	t.own = t.own.with(i, l.own)
	t.alias = t.alias.with(i, l.alias)
	t.bad = t.bad.with(i, l.bad)
}

// fill makes ls the leaves of t.
func (t *twig) fill(ls []leaf) {
	for i, l := range ls {
		t.set(i, l)
	}
	for i := len(ls); i < t.n; i++ {
		t.set(i, leaf{}) // lets the bytes go
	}
	t.n = len(ls)
}

// clone returns a copy for a buffer to write. None of its leaves is its own.
func (t *twig) clone(epoch uint64) *twig {
	return &twig{
		epoch: epoch, n: t.n, alias: t.alias, bad: t.bad,
		p: t.p, bytes: t.bytes, lines: t.lines, runes: t.runes, astral: t.astral,
	}
}
