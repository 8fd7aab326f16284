package nearest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// minSlack is how many lines may always be inserted or missing.
const minSlack = 4

// lines returns the lines of the text, around w, that are nearest to those of old: aligned as
// in a diff, or paired one for one. The first line of old may be the end of a line of the text,
// and the last one, if it has no line end, the beginning of one.
func (s *search) lines(w window) region {
	t, n := s.src.Text, len(s.oldLines)
	head, slack := t.LineAt(w.from), minSlack+n/4
	tail := max(t.LineAt(w.to-1), head+n-1)
	first, next := max(t.LineAt(s.from), head-slack), min(t.Lines(), t.LineAt(s.to-1)+1, tail+slack+1)
	there := s.s[t.LineStart(first):t.Line(next-1).End]
	s.work -= len(there) + len(s.old)
	best := s.weigh(diff.AlignLines(s.old, there), first, next)
	inRow := make([]int32, n)
	for i := range inRow {
		inRow[i] = int32(i)
	}
	for row := max(first, head-minSlack); row < min(next, head+minSlack+1) && s.work > 0; row++ {
		if r := s.weigh(inRow, row, next); r.similarity > best.similarity {
			best = r
		}
	}
	return best
}

// line returns the content of line i of the text.
func (s *search) line(i int) string {
	l := s.src.Text.Line(i)
	return s.s[l.Start:l.End]
}

// weigh returns the region of the lines in [first,below) that pairs gives to the lines of old: pairs
// counts from first and is -1 for a line without a counterpart. The similarity is the likeness of
// the pairs, each weighted by its length; a line without a counterpart counts as not alike.
func (s *search) weigh(pairs []int32, first, below int) region {
	var r region
	var same, all float64
	next := -1 // the line of the text below those weighed so far, -1 before the first
	for i, old := range s.oldLines {
		all += lineWeight(old)
		to := first + int(pairs[i])
		if pairs[i] < 0 || to >= below {
			continue
		}
		for ; next >= 0 && next < to; next++ {
			all += lineWeight(s.line(next))
		}
		l := s.src.Text.Line(to)
		start, end := l.Start, l.Next
		if i == 0 {
			start = s.startIn(l.Start, l.End, old)
		}
		if s.open && i == len(pairs)-1 {
			if end = l.End; strings.HasPrefix(s.s[start:end], old) {
				end = start + len(old)
			}
		}
		if next < 0 {
			r.start = start
		}
		found := s.s[start:min(end, l.End)]
		s.work -= len(found) + len(old)
		all += lineWeight(found)
		same += s.alike.of(old, found) * (lineWeight(old) + lineWeight(found))
		r.end, next = end, to+1
	}
	r.similarity = same / all
	return r
}

// lineWeight returns the weight of a line: its bytes without the blanks around them, plus one.
func lineWeight(line string) float64 { return float64(len(strings.Trim(line, " \t")) + 1) }

// startIn returns where in the line [start,end) the first line of old begins, which may be its end.
func (s *search) startIn(start, end int, old string) int {
	line := s.s[start:end]
	rest, ends := strings.CutSuffix(strings.TrimRight(line, " \t"), strings.TrimRight(old, " \t"))
	switch {
	case old == "":
		return end
	case ends:
		return start + len(rest)
	case !text.IsBlank(old[0]):
		return end - len(strings.TrimLeft(line, " \t"))
	}
	return start
}

const (
	// maxShifts bounds the places at which a fragment may begin, and end, in a window.
	maxShifts = 4
	// minFragmentSlack is how many bytes around a window are always looked at.
	minFragmentSlack = 12
)

// fragment returns the stretch of the text, around w, that is nearest to old, which is a part of
// a line. Each gram that old has once votes for where old begins and ends, as if old were
// unchanged up to there; the best of the places with the most votes is taken.
func (s *search) fragment(w window) (best region) {
	before, core, _ := text.CutBlanks(s.old)
	count := map[int]int{w.from: 0} // votes, by where old begins
	slack := len(core)/4 + minFragmentSlack
	for i := max(s.from, w.from-slack); i+s.grams.size <= min(s.to, w.to+slack); i++ {
		if h := s.grams.hash(s.s, i); s.grams.need[h] == 1 {
			count[i+len(before)-s.grams.last[h]]++
		}
	}
	begins := slices.SortedFunc(maps.Keys(count), func(a, b int) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	begins = begins[:min(len(begins), maxShifts)]
	for _, begin := range begins {
		for _, other := range begins {
			start, end := max(s.from, begin), min(s.to, other+len(core))
			if start >= min(end, w.to) || end <= w.from {
				continue
			}
			r := s.snap(runeEdge(s.s, start, -1), runeEdge(s.s, end, 1))
			s.work -= r.end - r.start + len(s.old)
			if r.similarity = s.alike.of(s.old, s.s[r.start:r.end]); r.similarity > best.similarity {
				best = r
			}
		}
	}
	return best
}

// snap returns [start,end) without white space at its ends, but with the text's blanks on each
// side on which old has blanks too.
func (s *search) snap(start, end int) region {
	inner := strings.Trim(s.s[start:end], " \t\r\n")
	start += strings.Index(s.s[start:end], inner)
	end = start + len(inner)
	for inner != "" && text.IsBlank(s.old[0]) && start > 0 && text.IsBlank(s.s[start-1]) {
		start--
	}
	for inner != "" && text.IsBlank(s.old[len(s.old)-1]) && end < len(s.s) && text.IsBlank(s.s[end]) {
		end++
	}
	return region{start: start, end: end}
}

// runeEdge returns the first offset from i on, in steps of 1 or -1, that splits no character.
func runeEdge(s string, i, step int) int {
	for diff.Splits(s, i) {
		i += step
	}
	return i
}

// blanksLikeness is the likeness of two lines that differ only in the blanks around them, in
// look-alikes or in case. It also scales the likeness of lines that differ more.
const blanksLikeness = 0.95

// likeness counts pairs of bytes to measure how alike two texts are; all counts are 0 between calls.
type likeness [1 << 16]int32

// of returns the likeness of two lines or texts, from 0 to 1: 1 if they are equal. Otherwise it is the share of their bytes
// that are in the common ends or in common pairs of neighbours between those, scaled by blanksLikeness. Its cost is linear.
func (l *likeness) of(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case strings.EqualFold(match.LookAlikeFold.Line(a), match.LookAlikeFold.Line(b)):
		return blanksLikeness
	}
	a, b = strings.Trim(a, " \t"), strings.Trim(b, " \t")
	all := float64(len(a) + len(b))
	p := diff.CommonPrefix(a, b)
	a, b = a[p:], b[p:]
	q := diff.CommonSuffix(a, b)
	a, b = a[:len(a)-q], b[:len(b)-q]
	same, common := float64(2*(p+q)), 0
	for i := range len(a) - 1 {
		l[pairAt(a, i)]++
	}
	for i := range len(b) - 1 {
		if c := &l[pairAt(b, i)]; *c > 0 {
			*c--
			common++
		}
	}
	for i := range len(a) - 1 {
		l[pairAt(a, i)] = 0
	}
	if common > 0 {
		share := float64(2*common) / float64(len(a)+len(b)-2)
		same += share * float64(len(a)+len(b))
	}
	return blanksLikeness * (same / all)
}

// pairAt returns the two bytes at offset i, without regard to case.
func pairAt(s string, i int) uint16 { return uint16(s[i])<<8 | uint16(s[i+1]) | 0x2020 }
