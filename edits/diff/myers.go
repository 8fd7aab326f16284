package diff

const (
	// maxDifferences bounds one run of Myers' algorithm, whose cost grows with the
	// square of the differences.
	maxDifferences = 100
	// maxSteps bounds the runs with so many. After that, a quarter of the differences
	// has to do, and the input costs a quarter as well.
	maxSteps = 1 << 20
)

// unreached stands in a row for a diagonal that no path comes to.
const unreached = -1

// myers runs Myers' greedy algorithm ("An O(ND) Difference Algorithm", 1986) in
// bounded pieces: a path that needs too many differences is given up where it
// has come furthest, and the caller goes on from there. So the cost is linear
// in the length of the input for any input.
type myers struct {
	a, b []symbol
	rows [(maxDifferences + 1) * (maxDifferences + 2) / 2]int32
	d, i int // the row, and the place in it, where the path ends

	steps int // of all runs
}

// advance runs from the start of a and b, and reports whether it came to the
// end of both.
func (m *myers) advance(a, b []symbol) bool {
	m.a, m.b = a, b
	furthest := unreached
	most := maxDifferences
	if m.steps > maxSteps {
		most /= 4
	}
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
		m.steps += len(row)
		if m.d == most {
			return false
		}
	}
}

// row returns how far into a the furthest paths get that have d differences, by
// the number i of those that are deletions: they end on diagonal x-y = 2*i-d.
func (m *myers) row(d int) []int32 { return m.rows[d*(d+1)/2:][:d+1] }

// enter returns where the furthest path with i deletions meets its last
// diagonal, given the row of those with one difference less, and whether its
// last step there was a deletion.
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
