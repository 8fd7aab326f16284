package command

import (
	"strings"

	"github.com/patchls/patchls/edits/diff"
)

// fitLines returns the lines of the text, about p and within [from,to), that are
// nearest to those of old.
func (n *nearest) fitLines(p place, from, to int) likeRegion {
	la, t := n.lines, n.src.Text
	count := len(la.lines)
	slack := minBand + count/4
	head, tail := t.LineAt(p.from), t.LineAt(p.to-1)
	first := max(t.LineAt(from), min(head, tail-count)-slack)
	next := min(t.Lines(), t.LineAt(to-1)+1, max(tail, head+count)+slack+1)
	if first >= next {
		return likeRegion{}
	}
	la.look(first, next)
	n.work -= cellWork*(next-first) + t.LineStart(next) - t.LineStart(first)
	shift, band := (head+tail+1-count)/2-first, lineCells/count/2
	if all := count + next - first; band >= all {
		band = all // no line that was looked at is out of it
	} else {
		band = max(band, minBand)
		shift = la.shift(min(max(shift, 1-count), next-first-1))
	}
	match, first, next := la.align(shift, band)
	n.work -= cellWork*count*(2*band+1) + len(n.old)
	if first >= next {
		return likeRegion{}
	}
	return n.weigh(match, first, next)
}

// weigh returns the region of the lines [first,next) of the text, of which match
// holds the counterparts of the lines of old. Its similarity is the likeness of
// the pairs, each weighted by its length; a line without a counterpart has none.
func (n *nearest) weigh(match []int32, first, next int) likeRegion {
	la, t := n.lines, n.src.Text
	r := likeRegion{start: t.Line(first).Start, end: t.Line(next - 1).Next}
	var same, all float64
	j := first // up to which the lines of the text are weighed
	for i, to := range match {
		line := la.lines[i].Content(la.old)
		weight := lineWeight(line)
		all += weight
		if to == unnumbered {
			continue
		}
		for ; j < int(to); j++ {
			all += lineWeight(la.line(j))
		}
		j++
		l := t.Line(int(to))
		found := n.s[l.Start:l.End]
		if i == 0 {
			found = n.endLike(found, line)
			r.start = l.End - len(found)
		}
		if la.open && i == len(match)-1 {
			found = n.beginningLike(found, line)
			r.end = l.Start + len(found)
		}
		w := lineWeight(found)
		all += w
		same += n.pairs.of(line, found) * (weight + w)
	}
	r.similarity = same / all
	return r
}

// lineWeight is what a line counts for: its bytes without the blanks around
// them, and one for the line.
func lineWeight(line string) float64 {
	_, core, _ := diff.CutBlanks(line)
	return float64(len(core) + 1)
}

// endLike returns the end of line that is most like part, the first line of old:
// it may have been taken from the middle of a line.
func (n *nearest) endLike(line, part string) string {
	if part == "" {
		return ""
	}
	if !diff.IsBlank(part[0]) {
		line = strings.TrimLeft(line, " \t")
	}
	if len(line) <= len(part) {
		return line
	}
	n.work -= fitBytes * (fitBytes + len(part)/2)
	end := line[runeStart(line, n.fit.startOf(line, part, len(line)-len(part))):]
	n.work -= len(line) + len(end)
	if n.pairs.of(end, part) > n.pairs.of(line, part) {
		return end
	}
	return line
}

// beginningLike is endLike for the last line of old, which is not terminated.
func (n *nearest) beginningLike(line, part string) string {
	if !diff.IsBlank(part[len(part)-1]) {
		line = strings.TrimRight(line, " \t")
	}
	if len(line) <= len(part) {
		return line
	}
	n.work -= fitBytes * (fitBytes + len(part)/2)
	beginning := line[:runeEnd(line, n.fit.endOf(line, part, len(part)))]
	n.work -= len(line) + len(beginning)
	if n.pairs.of(beginning, part) > n.pairs.of(line, part) {
		return beginning
	}
	return line
}
