package reread

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/anchor"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
)

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
			for _, at := range ways[0] {
				pieces = append(pieces, at-ways[0][0])
			}
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
			for _, l := range between {
				out = append(out, patch.Line{Kind: patch.KeptLine, Text: l, Elided: true})
			}
		}
		out = append(out, lines...)
	}
	return out
}

// beginsWith reports whether lines begin with others, ignoring blanks.
func beginsWith(lines []string, others []patch.Line) bool {
	return len(others) <= len(lines) && slices.EqualFunc(lines[:len(others)], others, func(a string, b patch.Line) bool { return match.BlanksFold.Line(a) == match.BlanksFold.Line(b.Text) })
}
