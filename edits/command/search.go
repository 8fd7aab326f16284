package command

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/place"
)

// found is a place where a text stands, and what is to stand there.
type found struct {
	draft.Region
	notes []string
	why   string // what led to the place, where that is not as its tier says
	// unresolved: the place is as good as any, but what it is to read cannot be told.
	unresolved bool
	// lines are whole lines, from line at on; resolve says what they are to read.
	lines *place.Lines
	at    int
	fold  match.Fold // by which a part of a line was found
}

// search looks for old in src, and returns its places at the first tier that
// has any, in order. overlapping says whether places may overlap.
func search(src draft.Source, old, put string, lenient, overlapping bool) []found {
	if old == "" { // what is left of a text that was nothing but a line end
		return nil
	}
	if places := searchExact(src, old, put, overlapping); len(places) > 0 || !lenient {
		return places
	}
	if strings.Contains(old, "\n") {
		return searchLines(src, old, put, false, overlapping)
	}
	worth := match.Worthwhile(src.Text, strings.Lines(old))
	for _, step := range match.Tiers[1:] {
		if !worth.Has(step.Fold) {
			continue // a tier before it has looked for that
		}
		places := searchFolded(src, old, put, step.Tier, step.Fold, overlapping)
		if slices.ContainsFunc(places, func(p found) bool { return !p.unresolved }) {
			return places
		}
	}
	return nil
}

// searchExact finds old byte for byte, but that "\n" in it stands for "\r\n" as
// well. If old has "\r\n" it means just that.
func searchExact(src draft.Source, old, put string, overlapping bool) []found {
	most := src.Text.Len()
	if overlapping {
		most = maxOverlapping(old)
	}
	var places []found
	for m := range src.Text.Matches(old, overlapping) {
		places = append(places, found{Region: draft.Region{Start: m.Start, End: m.End, Want: put, Tier: edits.Exact}})
		if len(places) == most {
			break
		}
	}
	return places
}

// standsWhole reports whether [at,to) of the folded text begins and ends where old
// does: not within a word, and, where it has blanks that the fold leaves out, at that
// end of a line. "x = 1 " is not the start of "x = 10".
func standsWhole(f match.Fold, hay *match.Folded, at, to int, old string) bool {
	if match.CutsWord(hay.Text, at) || match.CutsWord(hay.Text, to) || f.Indent && diff.IsBlank(old[0]) && at > 0 && hay.Text[at-1] != '\n' {
		return false
	}
	return !f.Trailing || !diff.IsBlank(old[len(old)-1]) || to == len(hay.Text) || hay.Text[to] == '\n'
}

// lineContentStart returns the start of the line that holds off, if there are
// only blanks between the two; else off.
func lineContentStart(src draft.Source, off int) int {
	start := src.Text.LineStart(src.Text.LineAt(off))
	if start <= off && strings.Trim(src.Text.Slice(start, off), " \t") == "" {
		return start
	}
	return off
}

// searchLines looks for whole lines, and returns their places at the first tier that has
// any. Exactly is the first of them only if that is asked for.
func searchLines(src draft.Source, old, put string, exactly, overlapping bool) []found {
	l, ok := place.NewLines(src, old, put)
	if !ok {
		return nil
	}
	return foundLines(l, exactly, overlapping)
}

// searchReread looks for whole lines as if they had the text's blank lines, or those that
// they leave out.
func searchReread(src draft.Source, old, put string) []found {
	l, ok := place.NewLines(src, old, put)
	if !ok {
		return nil
	}
	tier, ok := l.Reread()
	if !ok {
		return nil
	}
	places := foundLines(l, true, true)
	retier(places, tier)
	return places
}

// foundLines returns where lines stand; they may overlap, or not.
func foundLines(l *place.Lines, exactly, overlapping bool) []found {
	var out []found
	places, _ := l.Find(exactly)
	next := 0 // below the last one
	for _, at := range places {
		at := int(at)
		if !overlapping && at < next {
			continue
		}
		next = at + l.Count()
		out = append(out, found{Region: l.At(at), lines: l, at: at})
	}
	return out
}

// resolve sets what a place is to read, if that can be told.
func (f *found) resolve() {
	if f.lines == nil {
		return
	}
	want, ok := f.lines.Want(f.at, f.Region)
	f.Want, f.unresolved = want, !ok
}
