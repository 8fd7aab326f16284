package command

import (
	"slices"

	"github.com/patchls/patchls/edits/diff"
)

const (
	// lineCells is how many pairs of lines are compared to align old with one
	// place, if that leaves a band of minBand lines.
	lineCells = 1 << 17
	// minBand is how many lines may be inserted or missing in any case.
	minBand = 4
	// cellWork is the work to compare one pair.
	cellWork = 8
	// maxWeight bounds the weight of a line in the alignment.
	maxWeight = 1 << 10
)

// lineAligner aligns the lines of old with the lines of a text. The first line
// of old may be the end of a line of the text, and the last one, if it is not
// terminated, the beginning of one.
type lineAligner struct {
	src    source
	old    string
	lines  []diff.LineSpan
	open   bool             // the last line is not terminated
	cores  map[string]int32 // by core: its number
	ids    []int32          // by line: the number of its core
	only   []int32          // by number of a core: its line, none if there are several
	traits []trait          // by line

	// Those of the lines of the text from base on, reused.
	base       int
	textIDs    []int32 // none for a core that old has not
	textTraits []trait

	steps []step // reused
}

// unnumbered is what a core has that old has not.
const unnumbered int32 = -1

// trait is what is compared of a line if its core is no other's.
type trait struct {
	sketch sketch
	len    int32 // of the sketch
	weight int32 // the bytes that are not blank, and 1
}

// newTrait returns the trait of a line.
func newTrait(line string) trait {
	t := trait{sketch: newSketch(line)}
	t.len = int32(t.sketch.len())
	_, core, _ := diff.CutBlanks(line)
	t.weight = int32(min(len(core)+1, maxWeight))
	return t
}

// newLineAligner returns an aligner for old, which is not empty.
func newLineAligner(src source, old string) *lineAligner {
	la := &lineAligner{src: src, old: old, lines: diff.SplitLines(old, 0, len(old))}
	la.open = !diff.EndsLine(old)
	la.cores = make(map[string]int32, len(la.lines))
	for i, l := range la.lines {
		line := l.Content(old)
		_, core, _ := diff.CutBlanks(line)
		id, again := la.cores[core]
		if again {
			la.only[id] = unnumbered
		} else {
			id = int32(len(la.only))
			la.cores[core], la.only = id, append(la.only, int32(i))
		}
		la.ids = append(la.ids, id)
		la.traits = append(la.traits, newTrait(line))
	}
	return la
}

// look reads the lines of the text from first up to next.
func (la *lineAligner) look(first, next int) {
	la.base, la.textIDs, la.textTraits = first, la.textIDs[:0], la.textTraits[:0]
	for i := first; i < next; i++ {
		line := la.line(i)
		_, core, _ := diff.CutBlanks(line)
		id, known := la.cores[core]
		if !known {
			id = unnumbered
		}
		la.textIDs = append(la.textIDs, id)
		if id != unnumbered && la.only[id] != unnumbered {
			la.textTraits = append(la.textTraits, la.traits[la.only[id]])
		} else {
			la.textTraits = append(la.textTraits, newTrait(line))
		}
	}
}

// line returns the content of line i of the text.
func (la *lineAligner) line(i int) string {
	l := la.src.Text.Line(i)
	return la.src.Text.Slice(l.Start, l.End)
}

// fragment reports whether line i of old may be a part of a line of the text.
func (la *lineAligner) fragment(i int) bool {
	return i == 0 || la.open && i == len(la.lines)-1
}

const (
	// minLineGain is what unrelated lines have in common, in 256ths, and
	// minPartGain what a part of a line has in common with another line.
	minLineGain, minPartGain = 90, 140
	// maxLineGain is the most that lines which are not equal can gain.
	maxLineGain = 240
)

// gain returns what it is worth to have line i of old as line j, from base on,
// of the text: 256 for each byte that is not blank if they are equal but for the
// blanks around them.
func (la *lineAligner) gain(i, j int) int64 {
	a, b := &la.traits[i], &la.textTraits[j]
	weight := int64(min(a.weight, b.weight))
	if la.ids[i] == la.textIDs[j] {
		return weight << 8
	}
	all := a.len + b.len
	if la.fragment(i) {
		all = 2 * a.len
	}
	if all == 0 {
		return 0
	}
	share := int64(a.sketch.common(&b.sketch)) << 9 / int64(all)
	if share < minLineGain {
		return 0
	}
	return weight * min(share, maxLineGain)
}

// step is how an alignment came to a pair of counts of lines.
type step uint8

const (
	stepBegin step = iota // no line of old yet
	stepPair              // one more line on both sides
	stepOld               // a line of old that is missing in the text
	stepText              // a line of the text that is not in old
	stepNowhere
)

// missed is what a line costs that has no counterpart, for each of its bytes
// that is not blank.
const missed = 64

// nowhere is the worth of what is out of the band.
const nowhere = -1 << 60

// align pairs the lines of old, in order, with lines looked at: line i with those
// from shift-band to shift+band lines further down, or as near to that as there
// are lines, so that the sum of the gains less that of the lines missed is
// highest. It returns for each line of old its line of the text, from 0, or
// none, and the stretch of the text [first,next).
func (la *lineAligner) align(shift, band int) (match []int32, first, next int) {
	n, m := len(la.lines), len(la.textIDs)
	width := min(2*band+1, m+1)
	// Cell c of row i is for the first i lines of old and the first low(i)+c
	// lines of the text.
	low := func(i int) int { return max(0, min(i+shift-band, m+1-width)) }
	la.steps = slices.Grow(la.steps[:0], (n+1)*width)[:(n+1)*width]
	// Rows have a cell more on either side, which is out of the band.
	row, above := make([]int64, width+2), make([]int64, width+2)
	row[0], row[width+1] = nowhere, nowhere
	for c := range above {
		above[c] = nowhere
	}
	for c := range width {
		row[c+1], la.steps[c] = 0, stepBegin
	}
	for i := 1; i <= n; i++ {
		row, above = above, row
		steps := la.steps[i*width:][:width]
		from := low(i)
		up := from - low(i-1) + 1 // above[c+up] is for as many lines of the text
		missOld := missed * int64(la.traits[i-1].weight)
		for c := range width {
			j := from + c
			best, by := above[c+up]-missOld, stepOld
			if j > 0 && above[c+up-1] != nowhere {
				if v := above[c+up-1] + la.gain(i-1, j-1); v >= best {
					best, by = v, stepPair
				}
			}
			if c > 0 && i < n {
				if v := row[c] - missed*int64(la.textTraits[j-1].weight); v > best {
					best, by = v, stepText
				}
			}
			row[c+1], steps[c] = best, by
		}
	}
	best := 0
	for c := range width {
		if row[c+1] > row[best+1] {
			best = c
		}
	}
	match = diff.Unmatched(nil, n)
	next = low(n) + best
	for i, j := n, next; ; {
		switch la.steps[i*width+j-low(i)] {
		case stepPair:
			i, j = i-1, j-1
			match[i] = int32(la.base + j)
		case stepOld:
			i--
		case stepText:
			j--
		case stepBegin:
			return match, la.base + j, la.base + next
		}
	}
}

// shift returns how many lines further down most of the lines of old are that
// occur once there, guess if there are none.
func (la *lineAligner) shift(guess int) int {
	n := len(la.lines)
	votes := make([]int32, n+len(la.textIDs))
	best := guess + n
	for j, id := range la.textIDs {
		if id != unnumbered && la.only[id] != unnumbered && la.traits[la.only[id]].len > 0 {
			votes[j-int(la.only[id])+n]++
		}
	}
	for at, v := range votes {
		if v > votes[best] {
			best = at
		}
	}
	return best - n
}
