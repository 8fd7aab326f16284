package command

import (
	"iter"
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
	// unresolved is set if the text stands at the place, but its replacement cannot be derived.
	unresolved bool
	// lines, if not nil, are whole lines, from line at on, whose replacement is derived once they are chosen.
	lines *place.Lines
	at    int
	fold  match.Fold // the fold by which a part of a line was found
}

// places are the places of a text at one tier, in order. Many are found anew each time, so that a
// text with millions of places takes no memory.
type places struct {
	found iter.Seq[occurrence] // nil if there are none
	tier  edits.Tier
	notes []string // every leniency that was used
	hint  int      // the first line number, from 1, that the text quotes, 0 if it quotes none
}

// newPlaces returns the places that found yields each time that it is called.
func newPlaces(tier edits.Tier, found iter.Seq[occurrence]) places {
	const few = 8 // that are kept
	var kept []occurrence
	for p := range found {
		if kept = append(kept, p); len(kept) == few {
			return places{found: found, tier: tier}
		}
	}
	if len(kept) == 0 {
		return places{}
	}
	return places{found: slices.Values(kept), tier: tier}
}

// none reports whether there are no places.
func (ps places) none() bool { return ps.found == nil }

// each yields the places.
func (ps places) each(yield func(occurrence) bool) {
	if ps.none() {
		return
	}
	for p := range ps.found {
		if p.Tier = ps.tier; !yield(p) {
			return
		}
	}
}

// areSeveral reports whether there is more than one place.
func (ps places) areSeveral() bool {
	n := 0
	for range ps.each {
		if n++; n > 1 {
			return true
		}
	}
	return false
}

// as returns the places as found at a tier, with a note on what was passed over there. The note
// of the tier that found them is kept.
func (ps places) as(tier edits.Tier, note string) places {
	notes := []string{note}
	if ps.tier != edits.Exact && ps.tier != tier {
		notes = append(notes, tierWords[ps.tier].note)
	}
	ps.tier, ps.notes = tier, notes
	return ps
}

// partTiers are the tiers at which a part of a line is looked for.
var partTiers = slices.DeleteFunc(slices.Clone(match.Tiers), func(s match.Step) bool { return s.Tier == edits.LineEnds || s.Fold.Indent })

// search looks for old in src, and returns its places at the first tier that has any.
// Only whole lines may differ in indentation. overlapping says whether places may overlap.
func search(src draft.Source, old, put string, lenient, overlapping bool) places {
	if ps := searchExact(src, old, put, overlapping); !lenient || !ps.none() {
		return ps
	}
	several := strings.Contains(old, "\n")
	if several || strings.TrimLeft(old, " \t") != old { // otherwise a whole line is found as a part of it is
		if ps := searchLines(src, old, put, false, overlapping); several || !ps.none() {
			return ps
		}
	}
	for _, step := range partTiers {
		ps := searchFolded(src, old, put, step.Tier, step.Fold, overlapping)
		for p := range ps.each {
			if !p.unresolved {
				return ps
			}
		}
	}
	return places{}
}

// searchExact finds old byte for byte, except that "\n" in it also matches "\r\n". "\r\n" in old matches only itself.
func searchExact(src draft.Source, old, put string, overlapping bool) places {
	most := src.Text.Len()
	if overlapping {
		most = maxOverlapping(old)
	}
	return newPlaces(edits.Exact, func(yield func(occurrence) bool) {
		n := 0
		for m := range src.Text.Matches(old, overlapping) {
			n++
			if !yield(occurrence{Region: draft.Region{Start: m.Start, End: m.End, Want: put}}) || n == most {
				return
			}
		}
	})
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
func searchLines(src draft.Source, old, put string, exactly, overlapping bool) places {
	l, ok := place.NewLines(src, old, put)
	if !ok {
		return places{}
	}
	return foundLines(l, exactly, overlapping)
}

// foundLines returns the places of l, which may overlap if overlapping is true.
func foundLines(l *place.Lines, exactly, overlapping bool) places {
	lines := l.Find(exactly)
	if len(lines) == 0 {
		return places{}
	}
	return newPlaces(l.At(int(lines[0])).Tier, func(yield func(occurrence) bool) {
		next := 0 // the line below the last place
		for _, at := range lines {
			at := int(at)
			if !overlapping && at < next {
				continue
			}
			next = at + l.Count()
			if !yield(occurrence{Region: l.At(at), lines: l, at: at}) {
				return
			}
		}
	})
}

// foldedSearch finds a text under a fold, in parts of another text.
type foldedSearch struct {
	src    draft.Source
	old    string
	fold   match.Fold
	needle string // old under the fold
	change reindent.Transplant
	most   int // bounds the places, which may overlap
	step   int // from a place to where the next one may begin
}

func newFoldedSearch(src draft.Source, old, put string, f match.Fold, overlapping bool) foldedSearch {
	s := foldedSearch{src: src, old: old, fold: f, needle: f.Text(old), change: reindent.NewTransplant(old, put, f)}
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
func searchFolded(src draft.Source, old, put string, tier edits.Tier, f match.Fold, overlapping bool) places {
	s := newFoldedSearch(src, old, put, f, overlapping)
	_, core, _ := text.CutBlanks(s.needle)
	if core == "" {
		return places{}
	}
	return newPlaces(tier, func(yield func(occurrence) bool) {
		i, n := -1, 0
		for line := range diff.Contents(src.Text) {
			i++
			if i > 0 && !strings.Contains(line, core) && (!f.Unicode || text.IsASCII(line)) { // line 0 may have a BOM
				continue
			}
			for p := range s.in(lines(src, i, i+1)) {
				n++
				if !yield(p) || n >= s.most {
					return
				}
			}
		}
	})
}

// in yields the places in a part of the text, which is whole lines and begins at from.
func (s *foldedSearch) in(part string, from int) iter.Seq[occurrence] {
	return func(yield func(occurrence) bool) {
		folded := s.fold.Text(part)
		if strings.TrimSpace(s.needle) == "" || !strings.Contains(folded, s.needle) {
			return
		}
		hay := s.fold.Apply(part)
		for at := 0; ; at += s.step {
			i := strings.Index(folded[at:], s.needle)
			if i < 0 {
				return
			}
			at += i
			to := at + len(s.needle)
			if hay.Cuts(at) || hay.Cuts(to) || !standsWhole(&hay, at, to, s.old) {
				continue
			}
			start, end := from+hay.Start(at), from+hay.End(to)
			want, ok := s.change.Carry(s.src.Text.Slice(start, end))
			if !yield(occurrence{Region: draft.Region{Start: start, End: end, Want: want}, unresolved: !ok, fold: s.fold}) {
				return
			}
		}
	}
}

// lines returns the lines [from,to), from 0, the first with the byte order mark, and their start.
func lines(src draft.Source, from, to int) (part string, start int) {
	if from > 0 {
		start = src.Text.LineStart(from)
	}
	return src.Text.Slice(start, src.Text.LineStart(to)), start
}
