package edits

import (
	"strings"
)

// The tiers below Exact, in the order in which they are tried (contract 3.1).
const (
	LineEnds      Tier = "line-ends"
	TrailingSpace Tier = "trailing-space"
	Indentation   Tier = "indentation"
	Unicode       Tier = "unicode"
	LineNumbers   Tier = "line-numbers"
	Escapes       Tier = "escapes"
)

// tierFolds are the folds of the tiers that search looks at.
var tierFolds = []struct {
	tier Tier
	fold fold
}{
	{LineEnds, fold{}},
	{TrailingSpace, fold{trailing: true}},
	{Indentation, fold{trailing: true, indent: true}},
	{Unicode, fold{trailing: true, unicode: true}},
	{Unicode, fold{trailing: true, indent: true, unicode: true}},
}

// found is a place where a text stands, and what is to stand there.
type found struct {
	region
	notes []string
}

// search looks for old in src, and returns its places at the first tier that
// has any, in order. overlapping says whether places may overlap.
func (src Source) search(old, put string, lenient, overlapping bool) []found {
	if places := src.searchExact(old, put, overlapping); len(places) > 0 || !lenient {
		return places
	}
	for _, step := range tierFolds {
		if step.fold == (fold{}) && !strings.Contains(old, "\r\n") {
			continue // Exact has looked for that
		}
		if places := src.searchFolded(old, put, step.tier, step.fold, overlapping); len(places) > 0 {
			return places
		}
	}
	return nil
}

// searchExact finds old byte for byte, but that "\n" in it stands for "\r\n" as
// well. If old has "\r\n" it means just that.
func (src Source) searchExact(old, put string, overlapping bool) []found {
	v := newView(src.Text, old)
	offsets := indexAll(v.s, old, overlapping)
	places := make([]found, 0, len(offsets))
	for _, at := range offsets {
		places = append(places, found{region: region{v.offset(at), v.offset(at + len(old)), put, Exact}})
	}
	return places
}

// searchFolded finds old under a fold. What is to stand at a place is made of
// the document's own characters wherever old and put have the same.
func (src Source) searchFolded(old, put string, tier Tier, f fold, overlapping bool) []found {
	needle := f.apply(old)
	if strings.TrimSpace(needle.s) == "" {
		return nil
	}
	hay := f.apply(src.Text.String())
	places := indexAll(hay.s, needle.s, overlapping)
	if len(places) == 0 {
		return nil
	}
	out := make([]found, 0, len(places))
	change := newTransplant(src.Text, old, put, f)
	for _, at := range places {
		to := at + len(needle.s)
		if hay.cuts(at) || hay.cuts(to) || !beginsWhole(&hay, at, old, f) {
			continue
		}
		start, end := hay.start(at), hay.end(to)
		if f.indent && old[0] != '\n' {
			start = src.lineContentStart(start)
		}
		if want, ok := change.into(src.Text, start, end); ok {
			out = append(out, found{region: region{start, end, want, tier}})
		}
	}
	return out
}

// beginsWhole reports whether a match at offset at of the folded text begins
// where old does: if old's first line is indented, at the start of a line.
func beginsWhole(hay *folded, at int, old string, f fold) bool {
	if !f.indent || !isBlank(old[0]) {
		return true
	}
	return at == 0 || hay.s[at-1] == '\n'
}

// lineContentStart returns the start of the line that holds off, if there are
// only blanks between the two; else off.
func (src Source) lineContentStart(off int) int {
	start := src.Text.LineStart(src.Text.LineAt(off))
	if start <= off && strings.Trim(src.Text.Slice(start, off), " \t") == "" {
		return start
	}
	return off
}
