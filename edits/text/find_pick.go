package text

// pick is what a search looks for: the byte a, which the pattern has at at, and
// the byte b, which it has gap bytes further on. Between them is no line end, so
// that the gap is the same in the text. A gap of 0 says that b is a itself.
type pick struct {
	a, b   byte
	at     int
	gap    int
	paired bool // both are looked for at once; else a is, which is the rarer one

	lineFrom, lineTo int // the line of the pattern that they are in
}

// pair makes a pick one of both bytes, with the first one first. It returns by how
// many bytes a has moved.
func (p *pick) pair() int {
	p.paired = true
	if p.gap > 0 {
		return 0
	}
	moved := p.gap
	p.a, p.b, p.at, p.gap = p.b, p.a, p.at+p.gap, -p.gap
	return moved
}

const (
	// maxGap bounds how far apart the two bytes are: across the seam of two runs
	// they are not seen together.
	maxGap = 64
	// commonByte is how rare a byte must be, one in so many, to be looked for alone
	// any further.
	commonByte = 80
	// aloneCost is what looking at a byte for one costs, stopCost what it costs to
	// stop at one, in nanoseconds.
	aloneCost, stopCost = 0.015, 10
)

// choose returns the two bytes of a needle that are the rarest of those that are
// near each other; of two that are equally rare the farther one says more.
func (n *needle) choose(h *histogram) pick {
	var best pick
	least := -1.0
	for from := 0; from <= len(n.pattern); {
		to := n.lineEnd(from)
		if p, cost := h.best(n.pattern, from, to); cost >= 0 && (least < 0 || cost < least) {
			best, least = p, cost
		}
		from = to + 1
	}
	if least < 0 { // nothing but line ends
		return pick{a: '\n', b: '\n'}
	}
	return best
}

// histogram says how often a sample of a text has each byte.
type histogram struct {
	count [256]uint32
	all   uint32
}

const (
	sampleSize  = 128
	minSamples  = 8
	maxSamples  = 64
	sampleEvery = 32 << 10
)

// sample counts bytes at places all over a text.
func (h *histogram) sample(t Text) {
	n := min(max(t.Len()/sampleEvery, minSamples), maxSamples)
	s, flat := t.d.flat()
	var c cursor
	for i := range n {
		off := t.Len() / n * i
		var stretch string
		if flat {
			stretch = s[off:]
		} else {
			c.seek(t.d.grown(), off)
			stretch = c.text()[off-c.at.bytes:]
		}
		for _, b := range bytesOf(stretch[:min(len(stretch), sampleSize)]) {
			h.count[b]++
			h.all++
		}
	}
}

// best returns what to look for of the stretch [from,to) of a pattern, which has no
// line end, and what that is thought to cost; less than 0 if it is empty.
func (h *histogram) best(pattern string, from, to int) (pick, float64) {
	if from == to {
		return pick{}, -1
	}
	a := from
	for i := from; i < to; i++ {
		if h.count[pattern[i]] < h.count[pattern[a]] {
			a = i
		}
	}
	b := a
	for i := max(from, a-maxGap); i < min(to, a+maxGap+1); i++ {
		x, y := h.count[pattern[i]], h.count[pattern[b]]
		if i != a && (b == a || x < y || x == y && abs(i-a) > abs(b-a)) {
			b = i
		}
	}
	p := pick{a: pattern[a], b: pattern[b], at: a, gap: b - a, lineFrom: from, lineTo: to}
	share := func(i int) float64 { return (float64(h.count[pattern[i]]) + 0.5) / float64(h.all) }
	alone, both := aloneCost+stopCost*share(a), pairCost+stopCost*share(a)*share(b)
	if b == a || alone < both {
		return p, alone
	}
	p.pair()
	return p, both
}

func abs(n int) int { return max(n, -n) }
