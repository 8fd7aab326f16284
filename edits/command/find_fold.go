package command

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/reindent"
	"github.com/patchls/patchls/edits/text"
)

// foldedSearch finds a text under a fold, in parts of another one.
type foldedSearch struct {
	src    draft.Source
	old    string
	tier   edits.Tier
	fold   match.Fold
	needle string // old under the fold
	change reindent.Transplant
	most   int // bounds the places, which may overlap
	step   int // from a place to where the next one may begin
}

func newFoldedSearch(src draft.Source, old, put string, tier edits.Tier, f match.Fold, overlapping bool) foldedSearch {
	s := foldedSearch{src: src, old: old, tier: tier, fold: f, needle: f.Text(old), change: reindent.NewTransplant(src.Text, old, put, f)}
	if s.most, s.step = src.Text.Len(), len(s.needle); overlapping && s.needle != "" {
		s.most, s.step = maxOverlapping(s.needle), 1
	}
	return s
}

// maxOverlapping bounds how many places of needle are looked for that may overlap, so
// that a needle which is like itself moved on costs no more than others.
func maxOverlapping(needle string) int { return max(1000, 64<<20/len(needle)) }

// searchFolded finds old, a part of a line, under a fold. What is to stand at a place is
// made of the document's own characters wherever old and put have the same.
func searchFolded(src draft.Source, old, put string, tier edits.Tier, f match.Fold, overlapping bool) []found {
	s := newFoldedSearch(src, old, put, tier, f, overlapping)
	var out []found
	for _, line := range linesThatMayHave(src, s.needle, f) {
		part, from := lines(src, line, line+1)
		out = append(out, s.in(part, from)...)
		if len(out) >= s.most {
			break
		}
	}
	return out
}

// in returns the places in a part of the text, which is whole lines and begins at from.
func (s *foldedSearch) in(part string, from int) []found {
	folded := s.fold.Text(part)
	if strings.TrimSpace(s.needle) == "" || !strings.Contains(folded, s.needle) {
		return nil
	}
	var out []found
	hay := s.fold.Apply(part)
	for at := 0; len(out) < s.most; at += s.step {
		i := strings.Index(folded[at:], s.needle)
		if i < 0 {
			break
		}
		at += i
		to := at + len(s.needle)
		if hay.Cuts(at) || hay.Cuts(to) || !standsWhole(s.fold, &hay, at, to, s.old) {
			continue
		}
		start, end := from+hay.Start(at), from+hay.End(to)
		if s.fold.Indent && s.old[0] != '\n' {
			start = lineContentStart(s.src, start)
			if diff.IsBlank(s.old[0]) && start != s.src.Text.LineStart(s.src.Text.LineAt(start)) {
				continue // what cannot be seen stands before it
			}
		}
		inLine := start > s.src.Text.LineStart(s.src.Text.LineAt(start))
		want, ok := s.change.Carry(s.src.Text.Slice(start, end), inLine)
		out = append(out, found{Region: draft.Region{Start: start, End: end, Want: want, Tier: s.tier}, unresolved: !ok, fold: s.fold})
	}
	return out
}

// linesThatMayHave returns the lines, from 0, that may have needle, which is a part of a
// line under the fold f: those with the same bytes, and those that are not ASCII if such
// characters have to be folded.
func linesThatMayHave(src draft.Source, needle string, f match.Fold) []int {
	_, core, _ := diff.CutBlanks(needle)
	var lines []int
	if core != "" && (!f.Unicode || match.IsASCII(core)) {
		end := 0
		for m := range src.Text.Matches(core, false) {
			if m.Start >= end {
				line := src.Text.LineAt(m.Start)
				lines, end = append(lines, line), src.Text.Line(line).Next
			}
		}
	}
	if hashes := src.Text.LineHashes(); core != "" && f.Unicode && hashes.Any(text.NonASCII) {
		hashes.Parts(func(first int, part []text.LineHash) bool {
			for i, h := range part {
				if h&text.NonASCII != 0 {
					lines = append(lines, first+i)
				}
			}
			return true
		})
		slices.Sort(lines)
		lines = slices.Compact(lines)
	}
	return lines
}

// lines returns the lines [from,to), from 0, and where they begin. A byte order
// mark is of the first one.
func lines(src draft.Source, from, to int) (part string, start int) {
	if from > 0 {
		start = src.Text.LineStart(from)
	}
	return src.Text.Slice(start, draft.LineEnd(src.Text, from, to)), start
}
