package command

import (
	"strings"

	"github.com/patchls/patchls/edits/diff"
)

const (
	// fitBytes is the length up to which the whole of a text is fitted; of a
	// longer one its two ends are.
	fitBytes = 1 << 7
	// maxFitSlack is how far from where it should be an end is looked for at most.
	maxFitSlack = 1 << 10
)

// fitter finds the stretch of a text that takes the fewest changes to become
// another text.
type fitter struct {
	cells []uint32 // reused
}

// within returns the stretch of s that takes the fewest changes (bytes replaced,
// inserted or deleted) to become want. It is the first such stretch, and reaches
// as far back as there is a choice. The cost is the product of the lengths,
// neither of which may be 1<<16 or more.
func (f *fitter) within(s, want string) (start, end int) {
	// A cell holds the changes from a stretch that ends here to the first bytes
	// of want, and, in the lower half, where the stretch begins.
	const change = 1 << 16
	if cap(f.cells) <= len(want) {
		f.cells = make([]uint32, 2*len(want)+1)
	}
	cells := f.cells[:len(want)+1]
	for i := range cells {
		cells[i] = uint32(i) * change
	}
	best := cells[len(want)]
	for j := range len(s) {
		before := cells[0] // that of the stretch without s[j], and one byte less of want
		cells[0] = uint32(j + 1)
		left := cells[0]
		for i := range len(want) {
			cell := before
			if want[i] != s[j] {
				cell += change
			}
			before = cells[i+1]
			left = min(cell, before+change, left+change)
			cells[i+1] = left
		}
		if left>>16 < best>>16 {
			best, end = left, j+1
		}
	}
	return int(best & (change - 1)), end
}

// fitSlack returns how far from where it should be an end of a text of n bytes is
// looked for.
func fitSlack(n int) int { return min(n/2+16, maxFitSlack) }

// startOf returns where in s, about at, want begins.
func (f *fitter) startOf(s, want string, at int) int {
	slack := fitSlack(len(want))
	head := want[:min(len(want), fitBytes)]
	from := min(max(0, at-slack), len(s))
	to := max(from, min(len(s), at+slack+len(head)))
	start, _ := f.within(s[from:to], head)
	return from + start
}

// endOf returns where in s, about at, want ends.
func (f *fitter) endOf(s, want string, at int) int {
	slack := fitSlack(len(want))
	tail := want[max(0, len(want)-fitBytes):]
	to := max(0, min(len(s), at+slack))
	from := max(0, min(to, at-slack-len(tail)))
	_, end := f.within(s[from:to], tail)
	return from + end
}

// fitFragment returns the stretch of the text, about p and within [from,to), that
// is nearest to old, which is no more than a line.
func (n *nearest) fitFragment(p place, from, to int) likeRegion {
	_, core, _ := diff.CutBlanks(n.old)
	size, s := len(core), n.s[from:to]
	n.work -= 2 * min(size, fitBytes) * (2*fitSlack(size) + min(size, fitBytes))
	var r likeRegion
	r.start = from + n.fit.startOf(s, core, p.middle()-from-size/2)
	r.end = max(r.start, from+n.fit.endOf(s, core, r.start-from+size))
	r.start, r.end = n.snap(runeStart(n.s, r.start), runeEnd(n.s, r.end))
	if r.start < r.end {
		n.work -= r.end - r.start + size
		r.similarity = n.pairs.of(n.old, n.s[r.start:r.end])
	}
	return r
}

// snap returns [start,end) with the blanks around it that belong to it: those
// of the line where old has blanks there too, none otherwise.
func (n *nearest) snap(start, end int) (int, int) {
	inner := strings.Trim(n.s[start:end], " \t\r\n")
	if inner == "" {
		return start, start
	}
	start += strings.Index(n.s[start:end], inner)
	end = start + len(inner)
	if diff.IsBlank(n.old[0]) {
		for start > 0 && diff.IsBlank(n.s[start-1]) {
			start--
		}
	}
	if diff.IsBlank(n.old[len(n.old)-1]) {
		for end < len(n.s) && diff.IsBlank(n.s[end]) {
			end++
		}
	}
	return start, end
}
