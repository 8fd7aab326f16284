package command

import (
	"cmp"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// lineVotes are the lines of an old text by their hashes, and what each counts for.
// They find the stretches of a text that have most of those lines, whatever blanks
// are around them, by the hashes that the text keeps.
type lineVotes struct {
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

// isTelling reports whether a line is long enough to tell something of where it is.
func isTelling(line string) bool {
	_, core, _ := diff.CutBlanks(line)
	return len(core) >= minVoteBytes
}

func newLineVotes(old string) *lineVotes {
	v := &lineVotes{index: map[text.LineHash]int32{}}
	for _, l := range diff.SplitLines(old, 0, len(old)) {
		_, core, _ := diff.CutBlanks(l.Content(old))
		if !isTelling(core) {
			continue
		}
		h := text.HashLine(core).Core()
		i, ok := v.index[h]
		if !ok {
			i = int32(len(v.count))
			v.index[h] = i
			v.count = append(v.count, lineVote{weight: min(len(core)+1, maxWeight)})
		}
		v.count[i].need++
		v.total += v.count[i].weight
	}
	return v
}

// voteHit is a line of a text that is one of the old text, by the number of its vote.
type voteHit struct{ line, number int32 }

// hits calls hit for the lines of the text of src that have a vote, in order: in one
// pass over its hashes, or for the few lines that src knows already.
func (v *lineVotes) hits(src source, hit func(voteHit)) {
	if hits, ok := v.known(src); ok {
		for _, h := range hits {
			hit(h)
		}
		return
	}
	filter := new(lineFilter)
	for h := range v.index {
		filter.add(h)
	}
	src.Text.LineHashes().Parts(func(first int, part []text.LineHash) bool {
		filter.part(first, part, func(line int, h text.LineHash) {
			if number, ok := v.index[h.Core()]; ok {
				hit(voteHit{int32(line), number})
			}
		})
		return true
	})
}

// maxKnownHits is up to how many hits are put in order.
const maxKnownHits = 1 << 12

// known returns the hits, if src knows where all the lines are, and they are few.
func (v *lineVotes) known(src source) ([]voteHit, bool) {
	if src.seen == nil || src.seen.t != src.Text {
		return nil, false
	}
	var hits []voteHit
	for h, number := range v.index {
		lines, ok := src.seen.plain.of(h)
		if !ok || len(hits)+len(lines) > maxKnownHits {
			return nil, false
		}
		for _, line := range lines {
			hits = append(hits, voteHit{line, number})
		}
	}
	slices.SortFunc(hits, func(a, b voteHit) int { return cmp.Compare(a.line, b.line) })
	return hits, true
}

// places returns the stretches of at most width lines that have at least half of
// what there is to have, the best first; their ends are lines.
func (v *lineVotes) places(src source, width int) []place {
	var (
		window []voteHit // the hits in view are window[head:]
		head   int
		score  int
		best   = bestPlaces{least: v.total/2 + 1, apart: width}
	)
	v.hits(src, func(hit voteHit) {
		line := int(hit.line)
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
		window = append(window, hit)
		c := &v.count[hit.number]
		if c.have++; c.have > c.need {
			return
		}
		if score += c.weight; score >= best.least {
			best.offer(place{int(window[head].line), line + 1, score})
		}
	})
	return best.all()
}

// longText is the size of a text above which the lines that are equal are looked
// for first.
const longText = scanBytes

// candidatesByLines returns candidates by the lines that src has of old, at least
// half of them; none if it has less.
func (src source) candidatesByLines(old string, most int) []edits.Candidate {
	v, g := newLineVotes(old), newGrams(old)
	if v.total == 0 {
		return nil
	}
	lines := diff.LineCount(old)
	slack := minBand + lines/2
	var out []edits.Candidate
	for _, p := range v.places(src, lines+slack) {
		first := max(0, p.to-lines-2*slack)
		part, _ := src.lines(first, min(src.Text.Lines(), p.from+lines+2*slack))
		for _, c := range (source{Source: edits.Source{Path: src.Path, Text: text.New(part), Work: src.Work}}).candidatesByGrams(g, old, 1) {
			c.StartLine += first
			c.EndLine += first
			if c.FirstDifference != nil {
				c.FirstDifference.Line += first
			}
			apart := func(o edits.Candidate) bool { return o.EndLine < c.StartLine || c.EndLine < o.StartLine }
			if !slices.ContainsFunc(out, func(o edits.Candidate) bool { return !apart(o) }) {
				out = append(out, c)
			}
		}
		if len(out) == most {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b edits.Candidate) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.StartLine, b.StartLine))
	})
	return out
}
