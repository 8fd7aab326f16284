package nearest

import (
	"slices"
	"sort"
	"strings"
)

const (
	// maxGramBytes is how many bytes of a text that was sent are looked for by their grams.
	maxGramBytes = 1 << 14
	// minShare says that a window must share at least one in so many of the grams.
	minShare = 6
	// scanBytes is about how many grams of a long text are looked at, and minLooks how many, at
	// least, in a stretch as long as what was sent.
	scanBytes = 1 << 20
	minLooks  = 12
	// maxWindows bounds the windows that a scan returns.
	maxWindows = 1 << 6
)

// grams are the short byte sequences of a text, with how often it has each. How many of them a window of another text has
// measures likeness without an alignment, so one scan measures all windows of a long text. A gram is known by its hash;
// collisions make no window much better.
type grams struct {
	size  int            // bytes of a gram: 2 to 4, fewer for a short text, so that a change leaves some intact
	need  []uint16       // by hash: how often the text has it
	total int            // the sum of need
	last  map[uint16]int // by hash: where the text has it last
}

// newGrams returns the grams of old. Grams with a line end, a tab or two blanks are left out,
// since they differ between copies that are indented or wrapped in another way.
func newGrams(old string) *grams {
	old = old[:min(len(old), maxGramBytes)]
	head := strings.Join(strings.Fields(old[:min(len(old), 100)]), "")
	g := &grams{size: min(2+len(head)/6, 4), need: make([]uint16, 1<<16), last: map[uint16]int{}}
	from := 0 // grams that begin before it are left out
	for i := range len(old) {
		switch b := old[i]; {
		case b == '\n' || b == '\r' || b == '\t':
			from = i + 1
		case b == ' ' && i > 0 && old[i-1] == ' ':
			from = i
		}
		if at := i + 1 - g.size; at >= from {
			h := g.hash(old, at)
			g.need[h]++
			g.total++
			g.last[h] = at
		}
	}
	return g
}

// hash returns the hash of the gram at offset i of s, without regard to case.
func (g *grams) hash(s string, i int) uint16 {
	gram := uint64(0)
	for k := range g.size {
		gram = gram<<8 | uint64(s[i+k]|0x20)
	}
	return uint16(gram * 0x9E3779B97F4A7C15 >> 48)
}

// window is a stretch [from,to) of a text, and how many grams it shares.
type window struct{ from, to, score int }

// windows returns the stretches of s, each of width bytes at most, that share the most grams: highest score first, and early
// ones first among equals. A gram counts at most as often as the text of g has it. In a long text not every gram is looked
// at, and of windows whose ends are near each other only the best is kept.
func (g *grams) windows(s string, width int) (best []window) {
	var hits []int // offsets of the grams in the window, from hits[gone] on
	gone := 0
	have := make([]uint16, len(g.need))
	step := max(1, min(len(s)/scanBytes, width/minLooks))
	least, score := g.total/step/minShare+1, 0
	var last window // not yet among the best
	keep := func() {
		if last.score < least {
			return
		}
		at := sort.Search(len(best), func(i int) bool { return best[i].score < last.score })
		if best = slices.Insert(best, at, last); len(best) > maxWindows {
			best = best[:maxWindows]
			least = best[maxWindows-1].score + 1
		}
	}
	for i := 0; i+g.size <= len(s); i += step {
		h := g.hash(s, i)
		if g.need[h] == 0 {
			continue
		}
		for gone < len(hits) && hits[gone] < i+g.size-width {
			out := g.hash(s, hits[gone])
			if have[out]--; have[out] < g.need[out] {
				score--
			}
			gone++
		}
		if gone > len(hits)/2 {
			hits, gone = hits[:copy(hits, hits[gone:])], 0
		}
		hits = append(hits, i)
		if have[h]++; have[h] > g.need[h] {
			continue
		}
		score++
		switch w := (window{hits[gone], i + g.size, score}); {
		case score < least:
		case w.to-last.to >= (width+1)/2:
			keep()
			last = w
		case score > last.score:
			last = w
		}
	}
	keep()
	return best
}
