package nearest

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/diff"
)

const (
	// minSlack is how many lines may be inserted or missing in any case.
	minSlack = 4
	// maxRows is how many pairs of lines are compared to find in which row of lines of the
	// text, one for one, old comes nearest.
	maxRows = 1 << 9
)

// splitOld cuts old into lines.
func (s *search) splitOld() {
	for _, l := range diff.SplitLines(s.old, 0, len(s.old)) {
		s.oldLines = append(s.oldLines, s.old[l.Start:l.End])
	}
	s.open = !diff.EndsLine(s.old)
}

// lines returns the lines of the text, about w and within [from,to), that are nearest to
// those of old. The first of these may be the end of a line of the text, and the last one,
// if it has no line end, the beginning of one.
func (s *search) lines(w window, from, to int) region {
	t, n := s.src.Text, len(s.oldLines)
	head, tail := t.LineAt(w.from), max(t.LineAt(w.to-1), t.LineAt(w.from)+n-1)
	slack := minSlack + n/4
	first, next := max(t.LineAt(from), min(head, tail-n)-slack), min(t.Lines(), t.LineAt(to-1)+1, tail+slack+1)
	if first >= next {
		return region{}
	}
	best := s.weigh(s.aligned(first, next))
	low, high := min(head, t.LineAt(w.to-1)-n+1)-minSlack, max(head, t.LineAt(w.to-1)-n+1)+minSlack
	low = max(first, low)
	for row := low; row < next && row <= min(high, low+maxRows/n); row++ {
		match := make([]int, n)
		for i := range match {
			if match[i] = row + i; match[i] >= next {
				match[i] = -1
			}
		}
		if r := s.weigh(match); r.similarity > best.similarity {
			best = r
		}
	}
	return best
}

// aligned returns for each line of old the line of the text in [first,next) that is like it,
// so that most are in order. Lines between two of these, of which both have as many, go
// with each other, as do those before the first and after the last. -1 is none.
func (s *search) aligned(first, next int) []int {
	t := s.src.Text
	there := s.s[t.LineStart(first):t.Line(next-1).End]
	s.work -= len(there) + len(s.old)
	match := make([]int, len(s.oldLines))
	above := -1 // the last line of old that has its own
	for i, to := range diff.AlignLines(s.wholeLines(first, next), there) {
		if match[i] = int(to); to < 0 {
			continue
		}
		match[i] += first
		for k := above + 1; k < i && (above < 0 || match[i]-match[above] == i-above); k++ {
			if match[k] = match[i] - i + k; match[k] < first {
				match[k] = -1
			}
		}
		above = i
	}
	for k := above + 1; k < len(match) && above >= 0; k++ {
		if match[k] = match[above] + k - above; match[k] >= next {
			match[k] = -1
		}
	}
	// Of equal lines the one that is nearest to the line below is meant.
	core := func(line string) string { return strings.Trim(line, " \t") }
	below := next
	for i, to := range slices.Backward(match) {
		if to < 0 {
			continue
		}
		for k := below - 1; k > to && below < next; k-- {
			if core(s.line(k)) == core(s.oldLines[i]) {
				match[i] = k
				break
			}
		}
		below = match[i]
	}
	return match
}

// wholeLines returns old with the rest of the lines in [first,next) that its first line ends
// and its last line begins, if there are such lines.
func (s *search) wholeLines(first, next int) string {
	before, after, last := "", "", s.oldLines[len(s.oldLines)-1]
	for i := next - 1; i >= first; i-- {
		if rest, ends := strings.CutSuffix(s.line(i), s.oldLines[0]); ends && len(rest) < len(s.line(i)) {
			before = rest
		}
		if rest, begins := strings.CutPrefix(s.line(i), last); begins && s.open && len(rest) < len(s.line(i)) {
			after = rest
		}
	}
	return before + s.old + after
}

// line returns the content of line i of the text.
func (s *search) line(i int) string {
	l := s.src.Text.Line(i)
	return s.s[l.Start:l.End]
}

// weigh returns the region of the lines of the text that match has for those of old, with
// -1 for none. Its similarity is the likeness of the pairs, each weighted by its length; a
// line without a counterpart has none.
func (s *search) weigh(match []int) region {
	t := s.src.Text
	var r region
	var same, all float64
	next := -1 // the line of the text below those that are weighed
	for i, to := range match {
		old := s.oldLines[i]
		weight := lineWeight(old)
		all += weight
		if to < 0 {
			continue
		}
		for ; next >= 0 && next < to; next++ {
			all += lineWeight(s.line(next))
		}
		l := t.Line(to)
		start, end := l.Start, l.Next
		if i == 0 {
			start = s.endLike(l.Start, l.End, old)
		}
		if s.open && i == len(match)-1 {
			end = s.beginningLike(start, l.End, old)
		}
		if next < 0 {
			r.start = start
		}
		found := s.s[start:min(end, l.End)]
		s.work -= len(found) + len(old)
		same += s.alike.of(old, found) * (weight + lineWeight(found))
		all += lineWeight(found)
		r.end, next = end, to+1
	}
	r.similarity = same / all
	return r
}

// lineWeight is what a line counts for: its bytes without the blanks around them, and one
// for the line.
func lineWeight(line string) float64 {
	_, core, _ := diff.CutBlanks(line)
	return float64(len(core) + 1)
}

// endLike returns where in the line [start,end) of the text the first line of old begins,
// which may be a part of it.
func (s *search) endLike(start, end int, old string) int {
	line := s.s[start:end]
	if old == "" {
		return end
	}
	bare, core := strings.TrimRight(line, " \t"), strings.TrimRight(old, " \t")
	if rest, ends := strings.CutSuffix(bare, core); ends {
		return start + len(rest)
	}
	if !diff.IsBlank(old[0]) {
		start = end - len(strings.TrimLeft(line, " \t"))
	}
	if part := runeStart(s.s, end-len(old)); part > start && s.alike.of(s.s[part:end], old) > s.alike.of(s.s[start:end], old) {
		return part
	}
	return start
}

// beginningLike returns where in the line [start,end) the last line of old ends.
func (s *search) beginningLike(start, end int, old string) int {
	line := s.s[start:end]
	if strings.HasPrefix(line, old) {
		return start + len(old)
	}
	if !diff.IsBlank(old[len(old)-1]) {
		end = start + len(strings.TrimRight(line, " \t"))
	}
	if part := runeEnd(s.s, start+len(old)); part < end && s.alike.of(s.s[start:part], old) > s.alike.of(s.s[start:end], old) {
		return part
	}
	return end
}
