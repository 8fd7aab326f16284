package nearest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

const (
	// minSimilarity is the least similarity of a candidate.
	minSimilarity = 0.7
	// MaxWork bounds how many bytes one search compares to align old with the places that
	// its scan has found. The first place is always looked at.
	MaxWork = 3 << 20
)

// Find returns the places of src that come nearest to old, best first: at most `most` of them, which do not overlap. Their
// similarity is at least 0.7, and 1 only where old differs in nothing but line ends. The cost is linear in the text and in
// old. sought is false if the work for searches is used up ([edits.Work.Search]).
func Find(src edits.Source, old string, most int) (found []edits.Candidate, sought bool) {
	g := newGrams(old)
	if g.total == 0 || src.Text.Lines() == 0 || most <= 0 {
		return nil, true
	}
	if !src.Work.Search(src.Text.Len()) {
		return nil, false
	}
	s := search{src: src, s: src.Text.String(), old: old, grams: g, work: MaxWork}
	fit := s.fragment
	if strings.Contains(old, "\n") {
		s.oldLines, s.open = strings.Split(strings.TrimSuffix(diff.UnixLines(old), "\n"), "\n"), !diff.EndsLine(old)
		fit = s.lines
	}
	var regions []region
	for _, w := range g.windows(s.s, len(strings.Trim(old[:min(len(old), maxGramBytes)], " \t"))) {
		middle := w.from + (w.to-w.from)/2
		s.from, s.to = 0, len(s.s)
		for _, r := range regions {
			if r.start > middle {
				s.to = min(s.to, r.start)
			} else {
				s.from = max(s.from, r.end)
			}
		}
		if s.from > middle || s.work <= 0 { // a region covers the middle
			continue
		}
		if r := fit(w); r.similarity >= minSimilarity {
			regions = append(regions, r)
		}
	}
	src.Work.Compared(MaxWork - s.work)
	slices.SortStableFunc(regions, func(a, b region) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.start, b.start))
	})
	return lists.Map(regions[:min(most, len(regions))], s.candidate), true
}

// search is one search for the places nearest to old in s, the text of src.
type search struct {
	src    edits.Source
	s, old string
	grams  *grams // of old
	work   int    // what is left of MaxWork
	alike  likeness

	from, to int // where the next place is sought, between those that are found

	oldLines []string // without line ends, if old has one
	open     bool     // the last line of old has no line end
}

// region is the stretch [start,end) of a text that is like old.
type region struct {
	start, end int
	similarity float64
}

// candidate returns a region as an error shows it, with the line at which it first differs.
func (s *search) candidate(r region) edits.Candidate {
	first := s.src.Text.LineAt(r.start)
	last := max(first, s.src.Text.LineAt(max(r.start, r.end-1)))
	c := edits.Candidate{
		StartLine:       first + 1,
		Similarity:      math.Floor(1000*r.similarity) / 1000,
		Difference:      string(edits.LineEnds),
		FirstDifference: s.firstDifference(r),
	}
	at := first
	if c.FirstDifference != nil {
		c.Difference = difference(s.old, s.s[r.start:r.end])
		at = c.FirstDifference.Line - 1
		last = max(last, at)
	}
	c.EndLine = last + 1
	from := first
	for from < at && (at >= from+maxExcerptLines || s.src.Text.Line(at).End-s.src.Text.Line(from).Start > maxExcerptBytes) {
		from++
	}
	if c.Text = s.excerpt(r, from, last); from > first {
		c.TextLine = from + 1
	}
	return c
}

const (
	maxExcerptLines = 40
	maxExcerptBytes = 4000
	// excerptBefore is how much of a long line is shown before what was found.
	excerptBefore = 200
)

// excerpt returns the lines first to last, from 0, that r is in, joined by "\n". What is left out of them is marked by "…".
func (s *search) excerpt(r region, first, last int) string {
	t, before, after := s.src.Text, "", ""
	from, to := t.Line(first).Start, t.Line(last).End
	if r.start-from > excerptBefore && t.Line(first).End-from > maxExcerptBytes {
		from, before = runeEdge(s.s, r.start-excerptBefore, -1), "…"
	}
	if last >= first+maxExcerptLines {
		to, after = t.Line(first+maxExcerptLines).Start, "…"
	}
	if to-from > maxExcerptBytes {
		to, after = runeEdge(s.s, from+maxExcerptBytes, -1), "…"
	}
	return before + diff.UnixLines(s.s[from:to]) + after
}

// difference names what keeps old from being found: the first tier that finds it, "case" or "text".
func difference(old, found string) string {
	old, found = strings.TrimSuffix(old, text.Terminator(old)), strings.TrimSuffix(found, text.Terminator(found))
	for _, step := range match.Tiers {
		if step.Fold.Text(old) == step.Fold.Text(found) {
			return string(step.Tier)
		}
	}
	if strings.EqualFold(old, found) {
		return "case"
	}
	return "text"
}

// firstDifference returns where old and the text from the start of r on first differ,
// nil if they differ only in the kinds of line ends.
func (s *search) firstDifference(r region) *edits.FirstDifference {
	t, first := s.src.Text, s.src.Text.LineAt(r.start)
	sent := diff.UnixLines(s.old)
	end := max(r.end, t.LineStart(first+strings.Count(sent, "\n")+1)) // as many lines as were sent
	found := diff.UnixLines(s.s[r.start:end])
	if end == len(s.s) {
		found += "␃"
	}
	if strings.HasPrefix(found, sent) {
		return nil
	}
	p, _ := diff.CommonEnds(sent, found)
	above := s.s[min(t.LineStart(first), r.start):r.start] + sent[:p]
	line, begin := first+strings.Count(above, "\n"), strings.LastIndexByte(above, '\n')+1
	column := utf8.RuneCountInString(above[begin:])
	if line == t.Lines() { // the end of a terminated text is in no line
		line--
		column = utf8.RuneCountInString(s.line(line))
	}
	sent, found = diff.FirstLine(sent[p:]), diff.FirstLine(found[p:])
	if bare := strings.TrimSuffix(found, "\n"); !diff.EndsLine(sent) && bare != "" {
		found = bare // old says nothing about the line end
	}
	if ends := len(diff.UnixLines(s.s[r.start:r.end])) - p; !diff.EndsLine(sent) && 0 < ends && ends < len(found) {
		found = found[:ends] // old ends within a line, and so does its counterpart
	}
	_, q := diff.CommonEnds(sent, found)
	if q == min(len(sent), len(found)) { // neither is empty
		_, n := utf8.DecodeRuneInString(sent[len(sent)-q:])
		q -= n
	}
	sent, found = sent[:len(sent)-q], found[:len(found)-q]
	alike := match.Fold{Unicode: true}.Text(sent) == match.Fold{Unicode: true}.Text(found)
	return &edits.FirstDifference{Line: line + 1, Column: column + 1, Sent: visible(sent, alike), Found: visible(found, alike)}
}

// maxVisible bounds the characters of an excerpt of a difference.
const maxVisible = 24

// blanks are how an excerpt shows blanks, tabs and line ends.
var blanks = map[rune]rune{' ': '␠', '\t': '⇥', '\r': '␍', '\n': '␊'}

// visible returns s with its blanks, and what else cannot be seen, made visible; so are the parts of characters if another
// text looks alike. What is left out at the end is marked by "…".
func visible(s string, alike bool) string {
	var b strings.Builder
	count := 0
	for i, r := range s {
		if count++; count > maxVisible {
			b.WriteString("…")
			break
		}
		switch {
		case blanks[r] != 0:
			b.WriteRune(blanks[r])
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, "<0x%02X>", s[i])
		case !unicode.IsPrint(r), !edits.IsFit(string(r)), (alike || i == 0) && (unicode.Is(unicode.M, r) || 0x1100 <= r && r < 0x1200):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

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
