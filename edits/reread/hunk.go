package reread

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/anchor"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/lists"
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
			gap.ends = gap.last && at[k-1]+1+len(gap.there) == src.Text.Lines()
			gap.follows = out[len(out)-1].Kind == patch.DeletedLine
			gap.within = gap.follows && n == 0 && lines[n].Kind == patch.DeletedLine
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
	ends        bool // it is the last, and the text has no line below it
	follows     bool // the line above is deleted, and added lines take its place
	within      bool // the lines above and below are deleted as one
}

// align returns the lines of the gap with the blank lines of the text.
func (g *blankGap) align() ([]patch.Line, bool) {
	isAdded := func(l patch.Line) bool { return l.Kind == patch.AddedLine }
	isOld := func(l patch.Line) bool { return !isAdded(l) }
	isDeleted := func(l patch.Line) bool { return l.Kind == patch.DeletedLine }
	g.fit()
	added := slices.DeleteFunc(slices.Clone(g.lines), isOld)
	old, edge := len(g.lines)-len(added), g.first || g.last
	above := slices.IndexFunc(g.lines, isAdded) // blank lines above what is added
	below := above >= 0 && isOld(g.lines[len(g.lines)-1])
	between := g.there
	if edge { // the text's blank lines there may be more than the hunk is about
		between = nil
	}
	switch {
	case (g.within || slices.ContainsFunc(g.lines, isDeleted)) && old != len(g.there):
		return nil, false
	case old == len(g.there) || edge && old <= len(g.there):
		return g.lines, true
	case len(added) == 0:
		return between, true
	case above == 0 && (below || g.follows):
		return slices.Concat(added, between), true
	case !below && above > 0 && !g.last:
		return slices.Concat(between, added), true
	case len(g.there) == 0 && !edge:
		return added, true
	}
	return nil, false
}

// fit adds lines that may be added, as many as the text does not have. A blank line at the end of the text may be only what
// follows the last line end there: it cannot be deleted, and becomes a line if more comes below it.
func (g *blankGap) fit() {
	g.lines = slices.Clone(g.lines)
	more := len(patch.Hunk{Lines: g.lines}.Old()) - len(g.there)
	for i := range g.lines {
		if l := &g.lines[i]; more > 0 && l.MayAdd {
			l.Kind, more = patch.AddedLine, more-1
		}
	}
	n := len(g.lines) - 1
	last := n // the last old line
	for last >= 0 && g.lines[last].Kind == patch.AddedLine {
		last--
	}
	switch {
	case more != 1 || !g.ends || g.lines[last].Text != "":
	case g.lines[last].Kind == patch.KeptLine && last < n:
		g.lines[last].Kind = patch.AddedLine
	default:
		if g.lines[n].Text == "" { // it is added for the one that is deleted
			g.lines = g.lines[:max(n, last+1)]
		}
		g.lines = slices.Delete(g.lines, last, last+1)
	}
}

// Elided returns the lines of a hunk that leaves lines out, in both its old and its new side, with
// those lines filled in, and the first line of each piece, from 0. The pieces must stand in the
// text one below the other in exactly one way, and in one block.
func Elided(src draft.Source, old, put []string) (lines []patch.Line, pieces []int, ok bool) {
	olds, puts := elision.CutElisions(old), elision.CutElisions(put)
	if len(olds) < 2 || len(olds) != len(puts) {
		return nil, nil, false
	}
	for n := len(olds) - 1; n > 0 && match.AllBlank(olds[n]) && match.AllBlank(puts[n]); n-- {
		olds, puts = olds[:n], puts[:n]
	}
	for len(olds) > 1 && match.AllBlank(olds[0]) && match.AllBlank(puts[0]) {
		olds, puts = olds[1:], puts[1:]
	}
	if slices.ContainsFunc(olds, match.AllBlank) {
		return nil, nil, false
	}
	for _, step := range match.Tiers {
		ways := waysOfPieces(src, src.FindLines(olds, step.Fold), olds)
		switch len(ways) {
		case 0:
			continue
		case 1:
			pieces = lists.Map(ways[0], func(at int) int { return at - ways[0][0] })
			return joinPieces(src, olds, puts, ways[0]), pieces, true
		}
		return nil, nil, false
	}
	return nil, nil, false
}

// waysOfPieces returns the ways, two at most, in which pieces stand in order in one block.
func waysOfPieces(src draft.Source, places [][]int32, pieces [][]string) (ways [][]int) {
	if places == nil {
		return nil
	}
	for _, first := range places[0] {
		if src.Work.Over() {
			return nil
		}
		way := []int{int(first)}
		begin := slices.IndexFunc(pieces[0], func(l string) bool { return strings.TrimSpace(l) != "" })
		end, limited := anchor.ScopeEnd(src, int(first)+begin)
		for k := 1; k < len(pieces); k++ {
			from := way[k-1] + len(pieces[k-1])
			inside := slices.DeleteFunc(slices.Clone(places[k]), func(at int32) bool { return int(at) < from || int(at) > end })
			if len(inside) > 1 || len(inside) == 1 && !limited && len(places[k]) > 1 {
				return append(ways, way, way) // it could be any of them
			}
			if len(inside) == 0 {
				break
			}
			way = append(way, int(inside[0]))
		}
		if len(way) == len(pieces) {
			if ways = append(ways, way); len(ways) == 2 {
				break
			}
		}
	}
	return ways
}

// joinPieces returns the lines of a hunk whose pieces stand at the lines at, with the text between
// them. Lines that a piece adds next to that text and that already stand there are not added again.
func joinPieces(src draft.Source, olds, puts [][]string, at []int) (out []patch.Line) {
	for k := range olds {
		lines := patch.ReplaceHunk(1, olds[k], puts[k]).Lines
		if k > 0 {
			from := at[k-1] + len(olds[k-1])
			between := src.LinesAt(from, at[k]-from)
			n := len(out)
			for out[n-1].Kind == patch.AddedLine {
				n--
			}
			if beginsWith(between, out[n:]) {
				out = out[:n]
			}
			n = slices.IndexFunc(lines, func(l patch.Line) bool { return l.Kind != patch.AddedLine })
			if n <= len(between) && beginsWith(between[len(between)-n:], lines[:n]) {
				lines = lines[n:]
			}
			out = append(out, lists.Map(between, func(l string) patch.Line { return patch.Line{Kind: patch.KeptLine, Text: l, Elided: true} })...)
		}
		out = append(out, lines...)
	}
	return out
}

// beginsWith reports whether lines begin with others, ignoring blanks.
func beginsWith(lines []string, others []patch.Line) bool {
	return len(others) <= len(lines) && slices.EqualFunc(lines[:len(others)], others, func(a string, b patch.Line) bool { return match.BlanksFold.Line(a) == match.BlanksFold.Line(b.Text) })
}
