package reread

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
)

// BlankLines returns the lines of a hunk with the blank lines that the text has among its context, if the lines that are not
// blank stand there once. Blank lines that the hunk deletes must be there, and what it adds must have one place among the
// text's blank lines. ok is false if not, or if the hunk has those blank lines already.
func BlankLines(src draft.Source, lines []patch.Line) (with []patch.Line, ok bool) {
	at := placesButBlanks(src, patch.Hunk{Lines: lines}.Old())
	if len(at) != 1 {
		return nil, false
	}
	with, ok = alignBlanks(src, lines, at[0])
	return with, ok && !slices.EqualFunc(with, lines, func(a, b patch.Line) bool { return a.Kind == b.Kind && a.Text == b.Text })
}

// placesButBlanks returns where the lines of old that are not blank stand with only blank lines
// in between. Each place is the lines of the text; two places at most are returned.
func placesButBlanks(src draft.Source, old []string) (places [][]int) {
	var want []string
	var each [][]string
	for _, l := range old {
		if core := match.BlanksFold.Line(l); core != "" {
			want, each = append(want, core), append(each, []string{core})
		}
	}
	found := src.FindLines(each, match.BlanksFold)
	if len(found) == 0 || slices.ContainsFunc(found, func(at []int32) bool { return len(at) == 0 }) {
		return nil // one of them stands nowhere
	}
	t := src.Text
	for _, first := range found[0] {
		if src.Work.Over() {
			return nil
		}
		at := []int{int(first)}
		for i := int(first) + 1; i < t.Lines() && len(at) < len(want); i++ {
			switch core := match.BlanksFold.Line(src.LineAt(i)); {
			case core == want[len(at)]:
				at = append(at, i)
			case core != "":
				i = t.Lines()
			}
		}
		if len(at) == len(want) {
			if places = append(places, at); len(places) == 2 {
				break
			}
		}
	}
	return places
}

// alignBlanks returns the lines of a hunk with the text's blank lines between the lines that
// are not blank, which stand at the lines at.
func alignBlanks(src draft.Source, lines []patch.Line, at []int) (out []patch.Line, ok bool) {
	for k := 0; k <= len(at); k++ { // gaps, each with the line that is not blank below it
		n := slices.IndexFunc(lines, func(l patch.Line) bool { return l.Kind != patch.AddedLine && match.BlanksFold.Line(l.Text) != "" })
		gap := blankGap{lines: lines, first: k == 0, last: k == len(at)}
		if !gap.last {
			gap.lines = lines[:n]
		}
		if gap.first {
			gap.there = blanksAt(src, at[0]-1, -1)
		} else {
			gap.there = blanksAt(src, at[k-1]+1, 1)
			gap.ends = at[k-1]+1 == src.Text.Lines()
			gap.follows = out[len(out)-1].Kind == patch.DeletedLine
		}
		part, ok := gap.align()
		if out = append(out, part...); !ok {
			return nil, false
		}
		if !gap.last {
			out, lines = append(out, lines[n]), lines[n+1:]
		}
	}
	return out, true
}

// blanksAt returns the blank lines of the text from line i on, in the direction step.
func blanksAt(src draft.Source, i, step int) (blanks []patch.Line) {
	for ; i >= 0 && i < src.Text.Lines() && strings.TrimSpace(src.LineAt(i)) == ""; i += step {
		blanks = append(blanks, patch.Line{Kind: patch.KeptLine, Text: src.LineAt(i), Elided: true})
	}
	return blanks
}

// blankGap is what a hunk has between two lines that are not blank, before the first such line or after the last.
type blankGap struct {
	lines       []patch.Line
	there       []patch.Line // the blank lines that the text has there
	first, last bool
	ends        bool // the text has no line below the gap
	follows     bool // the line above is deleted, and added lines take its place
}

// align returns the lines of the gap with the blank lines of the text.
func (g blankGap) align() ([]patch.Line, bool) {
	isAdded := func(l patch.Line) bool { return l.Kind == patch.AddedLine }
	isOld := func(l patch.Line) bool { return !isAdded(l) }
	added := slices.DeleteFunc(slices.Clone(g.lines), isOld)
	old, edge := len(g.lines)-len(added), g.first || g.last
	above := slices.IndexFunc(g.lines, isAdded) // blank lines above what is added
	below := above >= 0 && isOld(g.lines[len(g.lines)-1])
	switch {
	case slices.ContainsFunc(g.lines, func(l patch.Line) bool { return l.Kind == patch.DeletedLine }) && len(g.lines) != len(g.there):
		return nil, false
	case old == len(g.there) || edge && old <= len(g.there):
		return g.lines, true
	case len(added) == 0:
		return g.between(), true
	case above == 0 && (below || g.follows):
		return append(added, g.between()...), true
	case !below && above > 0 && !g.last:
		return append(g.between(), added...), true
	case g.last && g.ends:
		return g.endOfText(), true
	case len(g.there) == 0 && !edge:
		return added, true
	}
	return nil, false
}

// between returns the text's blank lines, if the gap is between two lines.
func (g blankGap) between() []patch.Line {
	if g.first || g.last {
		return nil
	}
	return slices.Clip(g.there)
}

// endOfText returns the gap at the end of a text. A blank line of the hunk may be only what follows
// the last line end there; it becomes a line if more comes below it.
func (g blankGap) endOfText() []patch.Line {
	out := slices.Clone(g.lines)
	for i := range out {
		out[i].Kind = patch.AddedLine
	}
	if n := len(out) - 1; out[n].Text == "" {
		out = out[:n]
	}
	return out
}
