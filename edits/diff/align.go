package diff

import (
	"iter"
	"slices"
	"sort"
)

// maxDepth bounds how often unique pieces are searched for between unique ones,
// so that no input is scanned more often than that.
const maxDepth = 8

// box is a range of both sides: [a0,a1) of the old and [b0,b1) of the new.
type box struct{ a0, a1, b0, b1 int }

// aligner finds the old pieces that stay, and the new piece that each becomes.
type aligner struct {
	*weigher
	a, b  []symbol
	match []int32 // for each old piece its new one, or none
	weigh weigh

	tallies []tally // by core; the counts are zero between uses
	myers   *myers
}

// tally counts a core in a box.
type tally struct{ inA, inB, lastB int32 }

// weigh puts into ws the gain if old piece i becomes each of the new pieces from j on, or 0 for an unrelated one.
type weigh func(i, j int, ws []int32)

// align returns for each piece of a the piece of b that it becomes, or none. All cores are below cores.
func align(w *weigher, a, b []symbol, cores int, weigh weigh) []int32 {
	al := aligner{weigher: w, a: a, b: b, weigh: weigh, match: slices.Repeat([]int32{none}, len(a)), tallies: make([]tally, cores)}
	al.align(box{0, len(a), 0, len(b)}, 0)
	return al.match
}

// align matches the pieces in x: equal ends first; then by weight if x is small, else around the cores that are unique on
// both sides (patience), else by Myers' algorithm. The anchors are cores rather than symbols because the few lines of an
// indented block that are still equal are so by chance.
func (al *aligner) align(x box, depth int) {
	for x.a0 < x.a1 && x.b0 < x.b1 && al.a[x.a0] == al.b[x.b0] {
		al.match[x.a0] = int32(x.b0)
		x.a0, x.b0 = x.a0+1, x.b0+1
	}
	for x.a0 < x.a1 && x.b0 < x.b1 && al.a[x.a1-1] == al.b[x.b1-1] {
		x.a1, x.b1 = x.a1-1, x.b1-1
		al.match[x.a1] = int32(x.b1)
	}
	if x.a0 == x.a1 || x.b0 == x.b1 || al.byWeight(x) {
		return
	}
	al.count(x, 1)
	if depth < maxDepth {
		if anchors := al.unique(x); len(anchors) > 0 {
			al.count(x, -1)
			for _, i := range anchors {
				j := int(al.match[i])
				al.align(box{x.a0, int(i), x.b0, j}, depth+1)
				x.a0, x.b0 = int(i)+1, j+1
			}
			al.align(x, depth+1)
			return
		}
	}
	al.byDifferences(x)
	al.count(x, -1)
	for gap := range gaps(al.match, x) {
		al.byWeight(gap)
	}
}

// byWeight matches the pieces in x so that the sum of weights is highest. It returns
// false, and does nothing, if that costs too much.
func (al *aligner) byWeight(x box) bool {
	return al.heaviest(x.a1-x.a0, x.b1-x.b0,
		func(i int, ws []int32) { al.weigh(x.a0+i, x.b0, ws) },
		func(i, j int) { al.match[x.a0+i] = int32(x.b0 + j) })
}

// count adds n to the tallies of the pieces in x.
func (al *aligner) count(x box, n int32) {
	for _, s := range al.a[x.a0:x.a1] {
		al.tallies[s.core].inA += n
	}
	for j := x.b0; j < x.b1; j++ {
		t := &al.tallies[al.b[j].core]
		t.inB += n
		t.lastB = int32(j)
	}
}

// unique matches the longest chain of pieces whose cores are unique on both
// sides of x, and returns the old ones. x must have been counted.
func (al *aligner) unique(x box) []int32 {
	type candidate struct{ a, b, before int32 } // before: the one before it in its chain, or -1
	var cs []candidate
	var ends []int32 // for each length the chain's last candidate, the one earliest in b
	for i := x.a0; i < x.a1; i++ {
		t := al.tallies[al.a[i].core]
		if t.inA != 1 || t.inB != 1 {
			continue
		}
		n := sort.Search(len(ends), func(k int) bool { return cs[ends[k]].b > t.lastB })
		c := candidate{int32(i), t.lastB, -1}
		if n > 0 {
			c.before = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = int32(len(cs))
		cs = append(cs, c)
	}
	chain := make([]int32, len(ends))
	for k := len(ends) - 1; k >= 0; k-- {
		c := cs[ends[k]]
		chain[k], al.match[c.a] = c.a, c.b
		if k > 0 {
			ends[k-1] = c.before
		}
	}
	return chain
}

// byDifferences matches the pieces in x with few differences. x must have been counted.
func (al *aligner) byDifferences(x box) {
	var ia, ib []int32 // the pieces that are on both sides; the others cannot match
	var a, b []symbol
	for i := x.a0; i < x.a1; i++ {
		if s := al.a[i]; al.tallies[s.core].inB > 0 {
			ia, a = append(ia, int32(i)), append(a, s)
		}
	}
	for j := x.b0; j < x.b1; j++ {
		if s := al.b[j]; al.tallies[s.core].inA > 0 {
			ib, b = append(ib, int32(j)), append(b, s)
		}
	}
	if al.myers == nil {
		al.myers = new(myers)
	}
	if !al.myers.advance(a, b) {
		// The lines are very different. Ignore their margins, which may be why.
		for i := range a {
			a[i].margin = 0
		}
		for j := range b {
			b[j].margin = 0
		}
		al.myers.advance(a, b)
	}
	for atA, atB := 0, 0; len(a) > 0 && len(b) > 0; al.myers.advance(a, b) {
		x, y := al.myers.matches(func(i, j int) { al.match[ia[atA+i]] = ib[atB+j] })
		a, b = a[x:], b[y:]
		atA, atB = atA+x, atB+y
	}
}

// gaps yields the parts of x before, between and after the matches in it,
// including empty ones. The match after a gap is that of gap.a1 and gap.b1.
func gaps(match []int32, x box) iter.Seq[box] {
	return func(yield func(box) bool) {
		rest := x
		for i := x.a0; i < x.a1; i++ {
			if match[i] == none {
				continue
			}
			j := int(match[i])
			if !yield(box{rest.a0, i, rest.b0, j}) {
				return
			}
			rest.a0, rest.b0 = i+1, j+1
		}
		yield(rest)
	}
}

// none is the match of a piece without one.
const none = -1

const (
	// maxCells is the size, old times new pieces, up to which pieces are aligned
	// by weight: that gives the best result, in quadratic time.
	maxCells = 1 << 11
	// maxWork bounds the cells of one call of Rewrite. Pieces beyond that are aligned less finely.
	maxWork = 1 << 21
)

// weigher aligns short sequences by weight, until its work is used up.
type weigher struct {
	work  int     // cells that are left
	most  int     // maximum of cells in one call
	cells []int32 // reused
}

// heaviest pairs pieces 0..n-1 with pieces 0..m-1, in order on both sides, so that the sum of the pairs' weights is highest,
// and prefers early pairs. weigh puts the weights of piece i with each of the m pieces into ws; pieces of weight 0 are not
// paired. It returns false, and does nothing, if that costs too much.
func (w *weigher) heaviest(n, m int, weigh func(i int, ws []int32), pair func(i, j int)) bool {
	switch {
	case n*m == 0:
		return true
	case n*m > w.most:
		return false
	case n*m > w.work:
		w.work = 0
		return false
	}
	w.work -= n * m
	width := m + 1
	w.cells = slices.Grow(w.cells[:0], (n+2)*width)[:(n+2)*width]
	// best[i*width+j] is the highest sum of the first i with the first j.
	best, ws := w.cells[:(n+1)*width], w.cells[(n+1)*width:][:m]
	clear(best[:width])
	for i := range n {
		weigh(i, ws)
		above, row := best[i*width+1:][:len(ws)], best[(i+1)*width:][:width]
		row[0] = 0
		row = row[1:][:len(ws)]
		left, diagonal := int32(0), int32(0)
		for j, x := range ws {
			up := above[j]
			left = max(left, up, diagonal+x)
			row[j], diagonal = left, up
		}
	}
	for i, j := n, m; i > 0 && j > 0; {
		switch v := best[i*width+j]; v {
		case best[(i-1)*width+j]:
			i--
		case best[i*width+j-1]:
			j--
		default:
			i, j = i-1, j-1
			pair(i, j)
		}
	}
	return true
}

// maxDifferences bounds one run of Myers' algorithm, whose cost grows with the square of the differences.
const maxDifferences = 100

// unreached marks a diagonal in a row that no path reaches.
const unreached = -1

// myers runs Myers' greedy algorithm ("An O(ND) Difference Algorithm", 1986) in bounded pieces: if
// too many differences are needed, it stops at the furthest point reached, and the caller continues
// from there. So the cost is linear in the length of the input for any input.
type myers struct {
	a, b []symbol
	rows [(maxDifferences + 1) * (maxDifferences + 2) / 2]int32
	d, i int // the row, and the place in it, where the path ends
}

// advance runs from the start of a and b, and reports whether it came to the end of both.
func (m *myers) advance(a, b []symbol) bool {
	m.a, m.b = a, b
	furthest := unreached
	for m.d = 0; ; m.d++ {
		before, row := m.row(m.d-1), m.row(m.d)
		for i := range row {
			x, _ := m.enter(before, i)
			row[i] = int32(x)
			if x == unreached {
				continue
			}
			y := x - (2*i - m.d)
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			row[i] = int32(x)
			if x+y > furthest {
				furthest, m.i = x+y, i
			}
		}
		if furthest == len(a)+len(b) {
			return true
		}
		if m.d == maxDifferences {
			return false
		}
	}
}

// row returns how far into a the furthest paths with d differences get, by the
// number i of deletions among these: such a path ends on diagonal x-y = 2*i-d.
func (m *myers) row(d int) []int32 { return m.rows[d*(d+1)/2:][:d+1] }

// enter returns where the furthest path with i deletions meets its last diagonal, given the row of
// paths with one difference less, and whether the step onto that diagonal was a deletion.
func (m *myers) enter(before []int32, i int) (x int, deletion bool) {
	d := len(before)
	if d == 0 {
		return 0, false
	}
	x = unreached
	if i < d {
		if from := int(before[i]); from-(2*i-d+1) < len(m.b) {
			x = from
		}
	}
	if i > 0 {
		if from := int(before[i-1]); from > x-1 && from != unreached && from < len(m.a) {
			return from + 1, true
		}
	}
	return x, false
}

// matches calls match for each pair on the path that advance found, last first,
// and returns how far into a and b the path goes.
func (m *myers) matches(match func(i, j int)) (int, int) {
	endA := int(m.row(m.d)[m.i])
	endB := endA - (2*m.i - m.d)
	for d, i := m.d, m.i; d >= 0; d-- {
		x, deletion := m.enter(m.row(d-1), i)
		for to := int(m.row(d)[i]); to > x; to-- {
			match(to-1, to-1-(2*i-d))
		}
		if deletion {
			i--
		}
	}
	return endA, endB
}
