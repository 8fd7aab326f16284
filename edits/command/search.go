package command

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/reindent"
	"github.com/patchls/patchls/edits/text"
)

// occurrence is a place where a text stands, with the text that replaces it.
type occurrence struct {
	draft.Region
	notes []string
	// unresolved is set if the text stands at the place, but its replacement cannot be derived.
	unresolved bool
	// lines, if not nil, are whole lines, from line at on, whose replacement is derived once they are chosen.
	lines *place.Lines
	at    int
	fold  match.Fold // the fold by which a part of a line was found
}

// partTiers are the tiers at which a part of a line is looked for.
var partTiers = slices.DeleteFunc(slices.Clone(match.Tiers), func(s match.Step) bool { return s.Tier == edits.LineEnds || s.Fold.Indent })

// search looks for old in src, and returns its places at the first tier that has any, in order.
// Only whole lines may differ in indentation. overlapping says whether places may overlap.
func search(src draft.Source, old, put string, lenient, overlapping bool) []occurrence {
	if places := searchExact(src, old, put, overlapping); len(places) > 0 || !lenient {
		return places
	}
	several := strings.Contains(old, "\n")
	if several || strings.TrimLeft(old, " \t") != old { // otherwise a whole line is found as a part of it is
		if places := searchLines(src, old, put, false, overlapping); several || len(places) > 0 {
			return places
		}
	}
	for _, step := range partTiers {
		places := searchFolded(src, old, put, step.Tier, step.Fold, overlapping)
		if slices.ContainsFunc(places, func(p occurrence) bool { return !p.unresolved }) {
			return places
		}
	}
	return nil
}

// searchExact finds old byte for byte, except that "\n" in it also matches "\r\n".
// "\r\n" in old matches only itself.
func searchExact(src draft.Source, old, put string, overlapping bool) []occurrence {
	most := src.Text.Len()
	if overlapping {
		most = maxOverlapping(old)
	}
	var places []occurrence
	for m := range src.Text.Matches(old, overlapping) {
		places = append(places, occurrence{Region: draft.Region{Start: m.Start, End: m.End, Want: put, Tier: edits.Exact}})
		if len(places) == most {
			break
		}
	}
	return places
}

// standsWhole reports whether [at,to) of the folded text cuts no word, and ends its line if old ends
// in blanks: "x = 1 " is not the start of "x = 10".
func standsWhole(hay *match.Folded, at, to int, old string) bool {
	if match.CutsWord(hay.Text, at) || match.CutsWord(hay.Text, to) {
		return false
	}
	return !text.IsBlank(old[len(old)-1]) || to == len(hay.Text) || hay.Text[to] == '\n'
}

// searchLines looks for whole lines, and returns their places at the first tier that has
// any. Exact is the first tier only if exactly is true.
func searchLines(src draft.Source, old, put string, exactly, overlapping bool) []occurrence {
	l, ok := place.NewLines(src, old, put)
	if !ok {
		return nil
	}
	return foundLines(l, exactly, overlapping)
}

// searchReread looks for whole lines as if they had the text's blank lines, or the lines
// that they leave out.
func searchReread(src draft.Source, old, put string) (places []occurrence) {
	if l, ok := place.NewLines(src, old, put); ok {
		if tier, ok := l.Reread(); ok {
			places = foundLines(l, true, true)
			retier(places, tier, tierWords[tier].note)
		}
	}
	return places
}

// foundLines returns the places of l, which may overlap if overlapping is true.
func foundLines(l *place.Lines, exactly, overlapping bool) []occurrence {
	var out []occurrence
	next := 0 // the line below the last place
	for _, at := range l.Find(exactly) {
		if at := int(at); overlapping || at >= next {
			next = at + l.Count()
			out = append(out, occurrence{Region: l.At(at), lines: l, at: at})
		}
	}
	return out
}

// foldedSearch finds a text under a fold, in parts of another text.
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
	s := foldedSearch{src: src, old: old, tier: tier, fold: f, needle: f.Text(old), change: reindent.NewTransplant(old, put, f)}
	if s.most, s.step = src.Text.Len(), len(s.needle); overlapping && s.needle != "" {
		s.most, s.step = maxOverlapping(s.needle), 1
	}
	return s
}

// maxOverlapping bounds how many overlapping places of needle are looked for, so that a
// needle that overlaps itself costs no more than others.
func maxOverlapping(needle string) int { return max(1000, 64<<20/len(needle)) }

// searchFolded finds old, a part of a line, under a fold. The replacement keeps the document's
// own characters wherever old and put have the same.
func searchFolded(src draft.Source, old, put string, tier edits.Tier, f match.Fold, overlapping bool) []occurrence {
	s := newFoldedSearch(src, old, put, tier, f, overlapping)
	var out []occurrence
	_, core, _ := text.CutBlanks(s.needle)
	if core == "" {
		return nil
	}
	i := -1
	for line := range diff.Contents(src.Text) {
		i++
		if i == 0 || strings.Contains(line, core) || f.Unicode && !text.IsASCII(line) { // line 0 may have a BOM
			part, from := lines(src, i, i+1)
			out = append(out, s.in(part, from)...)
		}
		if len(out) >= s.most {
			break
		}
	}
	return out
}

// in returns the places in a part of the text, which is whole lines and begins at from.
func (s *foldedSearch) in(part string, from int) []occurrence {
	folded := s.fold.Text(part)
	if strings.TrimSpace(s.needle) == "" || !strings.Contains(folded, s.needle) {
		return nil
	}
	var out []occurrence
	hay := s.fold.Apply(part)
	for at := 0; len(out) < s.most; at += s.step {
		i := strings.Index(folded[at:], s.needle)
		if i < 0 {
			break
		}
		at += i
		to := at + len(s.needle)
		if hay.Cuts(at) || hay.Cuts(to) || !standsWhole(&hay, at, to, s.old) {
			continue
		}
		start, end := from+hay.Start(at), from+hay.End(to)
		want, ok := s.change.Carry(s.src.Text.Slice(start, end))
		out = append(out, occurrence{Region: draft.Region{Start: start, End: end, Want: want, Tier: s.tier}, unresolved: !ok, fold: s.fold})
	}
	return out
}

// lines returns the lines [from,to), from 0, the first with the byte order mark, and their start.
func lines(src draft.Source, from, to int) (part string, start int) {
	if from > 0 {
		start = src.Text.LineStart(from)
	}
	return src.Text.Slice(start, src.Text.LineStart(to)), start
}
