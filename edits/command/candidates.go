package command

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
)

const (
	// minSimilarity is the least similarity of a candidate.
	minSimilarity = 0.5
	// nearWork bounds what is done for the places that the scan has found, in
	// units of a few nanoseconds; the first place is looked at in any
	// case. It is counted and not timed, so that answers are the same each time.
	nearWork = 3 << 20
)

// candidates returns the places of src that come nearest to the lines of old,
// best first, at most `most` of them, none of them over another. Their
// similarity is at least minSimilarity, and 1 only where nothing but line ends
// keeps old from being there.
//
// One scan of the text finds the stretches that share most with old (see
// grams); these are then aligned with it. All in all the cost is linear in the
// text and in old. In a long text those that have half of the lines of old are
// enough, where there are any. Nothing is sought where the work for it is used up.
func (src source) candidates(old string, most int) (found []edits.Candidate, sought bool) {
	g := newGrams(old)
	if g.total == 0 || src.Text.Len() == 0 || most <= 0 {
		return nil, true
	}
	if !src.Work.Search(src.Text.Len()) {
		return nil, false
	}
	if src.Text.Len() > longText && strings.Contains(old, "\n") {
		if found := src.candidatesByLines(old, most); len(found) > 0 {
			return found, true
		}
	}
	return src.candidatesByGrams(g, old, most), true
}

// candidatesByGrams is candidates by what the text shares with the grams of old.
func (src source) candidatesByGrams(g *grams, old string, most int) []edits.Candidate {
	s := src.Text.Slice(0, src.Text.Len())
	n := nearest{src: src, s: s, old: old, work: nearWork}
	fit := n.fitFragment
	if strings.Contains(old, "\n") {
		n.lines = newLineAligner(src, old)
		fit = n.fitLines
	}
	var found []likeRegion
	for _, p := range g.places(s, len(strings.Trim(old, " \t"))) {
		from, to := roomAround(p, found, len(s))
		if from >= to {
			continue
		}
		if r := fit(p, from, to); r.similarity >= minSimilarity {
			found = append(found, r)
		}
		if n.work <= 0 {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b likeRegion) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.start, b.start))
	})
	src.Work.Compared(nearWork - n.work)
	var out []edits.Candidate
	for _, r := range found[:min(most, len(found))] {
		out = append(out, n.candidate(r))
	}
	return out
}

// roomAround returns the stretch of a text of size bytes about the middle of p
// that no region of found is in; it is empty if one of them has the middle.
func roomAround(p place, found []likeRegion, size int) (from, to int) {
	middle, to := p.middle(), size
	for _, r := range found {
		switch {
		case r.end <= middle:
			from = max(from, r.end)
		case r.start > middle:
			to = min(to, r.start)
		default:
			return 0, 0
		}
	}
	return from, to
}

// nearest is one search for candidates.
type nearest struct {
	src    source
	s, old string
	work   int          // that is left
	lines  *lineAligner // nil if old is within a line
	fit    fitter
	pairs  likenesses
}

// likeRegion is the stretch [start,end) of a text that is like old.
type likeRegion struct {
	start, end int
	similarity float64
}

// candidate words a region.
func (n *nearest) candidate(r likeRegion) edits.Candidate {
	first := n.src.Text.LineAt(r.start)
	last := max(first, n.src.Text.LineAt(max(r.start, r.end-1)))
	c := edits.Candidate{
		StartLine:       first + 1,
		EndLine:         last + 1,
		Similarity:      math.Floor(1000*r.similarity) / 1000,
		Difference:      differences[0],
		Text:            n.excerpt(r, first, last),
		FirstDifference: n.firstDifference(r),
	}
	if c.FirstDifference != nil {
		c.Difference = difference(n.old, n.s[r.start:r.end])
	}
	return c
}

const (
	maxExcerptLines = 40
	maxExcerptBytes = 4000
	// excerptBefore is how much of a long line is shown before what was found.
	excerptBefore = 200
)

// excerpt returns the lines first to last, from 0, that r is in, joined by "\n".
// What is left out of them is marked by "…".
func (n *nearest) excerpt(r likeRegion, first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		if i > first {
			b.WriteByte('\n')
		}
		if i-first == maxExcerptLines {
			b.WriteString("…")
			break
		}
		l := n.src.Text.Line(i)
		from, to := l.Start, l.End
		if i == first && r.start-from > excerptBefore && to-from > maxExcerptBytes {
			from = runeStart(n.s, r.start-excerptBefore)
			b.WriteString("…")
		}
		if left := maxExcerptBytes - b.Len(); to-from > left {
			b.WriteString(n.s[from:max(from, runeStart(n.s, from+max(left, 0)))])
			b.WriteString("…")
			break
		}
		b.WriteString(n.s[from:to])
	}
	return b.String()
}

// runeStart returns the last place up to i at which a character of s begins.
func runeStart(s string, i int) int {
	for range utf8.UTFMax - 1 {
		if i <= 0 || i >= len(s) || utf8.RuneStart(s[i]) {
			break
		}
		i--
	}
	return i
}

// runeEnd returns the first place from i on at which a character of s begins.
func runeEnd(s string, i int) int {
	for range utf8.UTFMax - 1 {
		if i <= 0 || i >= len(s) || utf8.RuneStart(s[i]) {
			break
		}
		i++
	}
	return i
}
