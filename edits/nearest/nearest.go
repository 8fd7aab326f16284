package nearest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

const (
	// minSimilarity is the least similarity of a candidate.
	minSimilarity = 0.5
	// MaxWork bounds how many bytes one search compares to align old with the places that
	// its scan has found. The first place is always looked at.
	MaxWork = 3 << 20
)

// Find returns the places of src that come nearest to old, best first: at most `most` of them, which do not overlap. Their
// similarity is at least 0.5, and 1 only where old differs in nothing but line ends. The cost is linear in the text and in
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
	for _, r := range regions[:min(most, len(regions))] {
		found = append(found, s.candidate(r))
	}
	return found, true
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

// candidate returns a region as an error shows it.
func (s *search) candidate(r region) edits.Candidate {
	first := s.src.Text.LineAt(r.start)
	last := max(first, s.src.Text.LineAt(max(r.start, r.end-1)))
	c := edits.Candidate{
		StartLine:       first + 1,
		EndLine:         last + 1,
		Similarity:      math.Floor(1000*r.similarity) / 1000,
		Difference:      string(edits.LineEnds),
		Text:            s.excerpt(r, first, last),
		FirstDifference: s.firstDifference(r),
	}
	if c.FirstDifference != nil {
		c.Difference = difference(s.old, s.s[r.start:r.end])
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
	return &edits.FirstDifference{
		Line: line + 1, Column: column + 1,
		Sent: visible(sent[:len(sent)-q]), Found: visible(found[:len(found)-q]),
	}
}

// maxVisible bounds the characters of an excerpt of a difference.
const maxVisible = 24

// blanks are how an excerpt shows blanks, tabs and line ends.
var blanks = map[rune]rune{' ': '␠', '\t': '⇥', '\r': '␍', '\n': '␊'}

// visible returns s with its blanks, and what else cannot be seen, made visible;
// what is left out at the end is marked by "…".
func visible(s string) string {
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
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
