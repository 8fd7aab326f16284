package command

import (
	"iter"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// narrowText is the size of a text up to which narrowing it down is not worth it.
const narrowText = 64 << 10

// maxNarrow bounds the lines about which a text is folded in parts.
const maxNarrow = 1 << 12

// narrow tells where in a text a folded one may stand, so that the rest need not be
// folded. It remembers what it has looked for.
type narrow struct {
	t     text.Text
	above int              // the size of a text up to which it is folded as a whole
	lines map[string][]int // by what was looked for, nil for too many
}

func newNarrow(t text.Text) *narrow {
	return &narrow{t: t, above: narrowText, lines: map[string][]int{}}
}

// foldParts yields parts of a text that have all places of needle under a fold, and
// where they begin.
type foldParts func(needle string, f fold) iter.Seq2[string, int]

// lineRange is the lines [from,to), from 0.
type lineRange struct{ from, to int }

// parts yields parts of the text, and where they begin, that have all places of
// needle under the fold f, and at least a line more on either side.
func (n *narrow) parts(needle string, f fold) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		if n.t.Len() > n.above {
			if ranges, ok := n.ranges(needle, f); ok {
				src := source{Source: edits.Source{Text: n.t}}
				for _, r := range ranges {
					part, from := src.lines(r.from, r.to)
					if !yield(part, from) {
						return
					}
				}
				return
			}
		}
		yield(n.t.String(), 0)
	}
}

// ranges returns the lines that parts yields, false if that is much of the text.
// Where the longest line of needle stands, what is between the blanks around it is
// there byte for byte, or the line is not ASCII and has to be folded.
func (n *narrow) ranges(needle string, f fold) ([]lineRange, bool) {
	lines := strings.Split(needle, "\n")
	core, at := "", 0
	for i, l := range lines {
		if _, c, _ := diff.CutBlanks(l); len(c) > len(core) {
			core, at = c, i
		}
	}
	if core == "" {
		return nil, false
	}
	var hits []int
	if !f.unicode || isASCII(core) {
		hits = n.linesWith(core)
		if hits == nil {
			return nil, false
		}
	}
	if f.unicode {
		others := n.notASCII()
		if others == nil {
			return nil, false
		}
		hits = slices.Concat(hits, others)
		slices.Sort(hits)
	}
	var out []lineRange
	all := 0
	for _, line := range hits {
		r := lineRange{max(0, line-at-1), min(n.t.Lines(), line-at+len(lines)+1)}
		if k := len(out) - 1; k >= 0 && r.from <= out[k].to {
			all += r.to - out[k].to
			out[k].to = r.to
			continue
		}
		all += r.to - r.from
		out = append(out, r)
	}
	return out, all < n.t.Lines()/2
}

// linesWith returns the lines that have s, nil if there are too many.
func (n *narrow) linesWith(s string) []int {
	if lines, ok := n.lines[s]; ok {
		return lines
	}
	lines := []int{}
	for m := range n.t.Matches(s, true) {
		if len(lines) == maxNarrow {
			lines = nil
			break
		}
		lines = append(lines, n.t.LineAt(m.Start))
	}
	n.lines[s] = lines
	return lines
}

// notASCII returns the lines that are not ASCII, nil if there are too many.
func (n *narrow) notASCII() []int {
	hashes := n.t.LineHashes()
	lines := []int{}
	if diff.HasBOM(n.t) {
		lines = append(lines, 0)
	}
	if !hashes.Any(text.NonASCII) {
		return lines
	}
	most := hashes.Len()/maxFoldedShare + 1
	hashes.Parts(func(first int, part []text.LineHash) bool {
		for i, h := range part {
			if h&text.NonASCII != 0 {
				lines = append(lines, first+i)
			}
		}
		return len(lines) <= most
	})
	if len(lines) > most {
		return nil
	}
	return lines
}

// lines returns the lines [from,to), from 0, and where they begin. A byte order
// mark is of the first one.
func (src source) lines(from, to int) (part string, start int) {
	if from > 0 {
		start = src.Text.LineStart(from)
	}
	return src.Text.Slice(start, lineEnd(src.Text, from, to)), start
}
