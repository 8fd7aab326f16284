package edits

import (
	"cmp"
	"slices"

	"github.com/patchls/patchls/edits/text"
)

// lineVotes are the lines of an old text by their hashes, and what each counts for.
// They find the stretches of a text that have most of those lines, whatever blanks
// are around them, in one pass over the hashes that the text keeps.
type lineVotes struct {
	some  [1 << 6]uint64 // bit set of the hashes: most looks end here
	index map[text.LineHash]int32
	count []lineVote
	total int
}

// lineVote is how often a line is needed, how often what a scan has in view has it,
// and what it counts for.
type lineVote struct{ need, have, weight int }

// minVoteBytes is how long a line must be, without the blanks around it, to have a
// vote: shorter ones are everywhere.
const minVoteBytes = 4

func newLineVotes(old string) *lineVotes {
	v := &lineVotes{index: map[text.LineHash]int32{}}
	for _, l := range lineSpans(old, 0, len(old)) {
		_, core, _ := cutBlanks(l.content(old))
		if len(core) < minVoteBytes {
			continue
		}
		h := text.HashLine(core).Core()
		i, ok := v.index[h]
		if !ok {
			i = int32(len(v.count))
			v.index[h] = i
			v.count = append(v.count, lineVote{weight: min(len(core)+1, maxWeight)})
			word, bit := v.bit(h)
			v.some[word] |= bit
		}
		v.count[i].need++
		v.total += v.count[i].weight
	}
	return v
}

func (v *lineVotes) bit(h text.LineHash) (word int, bit uint64) {
	return int(h >> 14 & 63), 1 << (h >> 8 & 63)
}

// places returns the stretches of at most width lines that have at least half of
// what there is to have, the best first; their ends are lines.
func (v *lineVotes) places(hashes *text.LineHashes, width int) []place {
	type hit struct{ line, number int32 }
	var (
		window []hit // the hits in view are window[head:]
		head   int
		score  int
		best   = bestPlaces{least: v.total/2 + 1, apart: width}
	)
	hashes.Parts(func(first int, part []text.LineHash) bool {
		for k, h := range part {
			if word, bit := v.bit(h); v.some[word]&bit == 0 {
				continue
			}
			number, ok := v.index[h.Core()]
			if !ok {
				continue
			}
			line := first + k
			for head < len(window) && int(window[head].line) <= line-width {
				c := &v.count[window[head].number]
				if c.have <= c.need {
					score -= c.weight
				}
				c.have--
				head++
			}
			if head >= 1<<10 && 2*head >= len(window) {
				window = append(window[:0], window[head:]...)
				head = 0
			}
			window = append(window, hit{int32(line), number})
			c := &v.count[number]
			if c.have++; c.have > c.need {
				continue
			}
			if score += c.weight; score >= best.least {
				best.offer(place{int(window[head].line), line + 1, score})
			}
		}
		return true
	})
	return best.all()
}

// longText is the size of a text above which the lines that are equal are looked
// for first.
const longText = scanBytes

// candidatesByLines returns candidates by the lines that src has of old, at least
// half of them; none if it has less.
func (src Source) candidatesByLines(old string, most int) []Candidate {
	v, g := newLineVotes(old), newGrams(old)
	if v.total == 0 {
		return nil
	}
	lines := lineCount(old)
	slack := minBand + lines/2
	var out []Candidate
	for _, p := range v.places(src.Text.LineHashes(), lines+slack) {
		first := max(0, p.to-lines-2*slack)
		part, _ := src.lines(first, min(src.Text.Lines(), p.from+lines+2*slack))
		for _, c := range (Source{Path: src.Path, Text: text.New(part)}).candidatesByGrams(g, old, 1) {
			c.StartLine += first
			c.EndLine += first
			if c.FirstDifference != nil {
				c.FirstDifference.Line += first
			}
			apart := func(o Candidate) bool { return o.EndLine < c.StartLine || c.EndLine < o.StartLine }
			if !slices.ContainsFunc(out, func(o Candidate) bool { return !apart(o) }) {
				out = append(out, c)
			}
		}
		if len(out) == most {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.StartLine, b.StartLine))
	})
	return out
}
