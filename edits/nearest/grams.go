package nearest

import "slices"

const (
	// maxGramBytes is how much of a long text that was sent is looked for by its grams.
	maxGramBytes = 1 << 14
	// minShare is the least part, one in so many, of the grams that a window has.
	minShare = 6
	// scanBytes is how many grams of a long text are looked at, and minLooks how many, at
	// least, in as much of it as was sent.
	scanBytes = 1 << 20
	minLooks  = 12
	// maxWindows bounds the windows that a scan gives.
	maxWindows = 1 << 6
)

// grams are the short byte sequences of a text, and how often it has each. How many of
// them a window of another text has is a measure of likeness that needs no alignment, so
// that one scan gives it for all windows of a long text.
type grams struct {
	size   int               // bytes of a gram
	number map[uint32]uint32 // of each gram, from 0
	need   []int             // by number: how often the text has it
	some   [1 << 10]uint64   // bits of the hashes of grams: most looks end here
	total  int               // of need
}

// newGrams returns the grams of old. Those with a line end, a tab or two blanks are left
// out: they are what differs between copies that are indented or wrapped in another way.
func newGrams(old string) *grams {
	old = old[:min(len(old), maxGramBytes)]
	g := &grams{size: gramSize(old), number: map[uint32]uint32{}}
	from := 0 // where the grams begin that are not left out
	for i := range len(old) {
		switch b := old[i]; {
		case b == '\n' || b == '\r' || b == '\t':
			from = i + 1
		case b == ' ' && i > 0 && old[i-1] == ' ':
			from = i
		}
		if at := i + 1 - g.size; at >= from {
			gram := g.at(old, at)
			n, again := g.number[gram]
			if !again {
				n = uint32(len(g.need))
				g.number[gram], g.need = n, append(g.need, 0)
				h := hashGram(gram)
				g.some[h>>6] |= 1 << (h & 63)
			}
			g.need[n]++
			g.total++
		}
	}
	return g
}

// gramSize returns how many bytes the grams of old have: few if it is short, so that a
// change leaves some of them.
func gramSize(old string) int {
	n := 0 // bytes that are not blank
	for i := range len(old) {
		if old[i] > ' ' {
			if n++; n == 12 {
				return 4
			}
		}
	}
	return 2 + n/6
}

// at returns the gram at offset i of s.
func (g *grams) at(s string, i int) uint32 {
	gram := uint32(s[i]) | uint32(s[i+1])<<8 // none is shorter
	if g.size > 2 {
		gram |= uint32(s[i+2]) << 16
	}
	if g.size > 3 {
		gram |= uint32(s[i+3]) << 24
	}
	return gram
}

// hashGram returns 16 bits that depend on all of a gram.
func hashGram(gram uint32) uint32 { return uint32(uint64(gram) * 0x9E3779B97F4A7C15 >> 48) }

// window is a stretch [from,to) of a text, and how many grams it shares.
type window struct{ from, to, score int }

func (w window) middle() int { return w.from + (w.to-w.from)/2 }

// windows returns the stretches of s, each of width bytes at most, that share the most
// grams: highest score first, and early ones first among equals. A gram counts as often as
// it is needed. Of a long text not every gram is looked at.
func (g *grams) windows(s string, width int) []window {
	type hit struct{ at, number uint32 }
	var hits []hit // in view
	have := make([]int, len(g.need))
	step := max(1, min(len(s)/scanBytes, width/minLooks))
	best := bestWindows{least: g.total/step/minShare + 1, apart: (width + 1) / 2}
	score := 0
	for i := 0; i+g.size <= len(s); i += step {
		gram := g.at(s, i)
		if h := hashGram(gram); g.some[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		n, known := g.number[gram]
		if !known {
			continue
		}
		for len(hits) > 0 && int(hits[0].at) < i+g.size-width {
			out := hits[0].number
			if have[out]--; have[out] < g.need[out] {
				score--
			}
			hits = hits[1:]
		}
		hits = append(hits, hit{uint32(i), n})
		if have[n]++; have[n] > g.need[n] {
			continue
		}
		if score++; score >= best.least {
			best.offer(window{int(hits[0].at), i + g.size, score})
		}
	}
	best.keep()
	return best.windows
}

// bestWindows keeps those with the highest scores among windows that are apart.
type bestWindows struct {
	least   int // score that it takes, more than 0
	apart   int // of windows whose ends are nearer only the best is kept
	last    window
	windows []window // by score
}

// offer takes a window into account; they come by their ends.
func (b *bestWindows) offer(w window) {
	if w.to-b.last.to >= b.apart {
		b.keep()
		b.last = w
	} else if w.score > b.last.score {
		b.last = w
	}
}

// keep puts the last window among the others.
func (b *bestWindows) keep() {
	if b.last.score < b.least {
		return
	}
	at := len(b.windows)
	for at > 0 && b.windows[at-1].score < b.last.score {
		at--
	}
	b.windows = slices.Insert(b.windows, at, b.last)
	if len(b.windows) > maxWindows {
		b.windows = b.windows[:maxWindows]
		b.least = b.windows[maxWindows-1].score + 1
	}
}
