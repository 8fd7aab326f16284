package place

import (
	"path"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/reread"
	"github.com/patchls/patchls/internal/lazy"
)

var (
	fenceLine    = lazy.Regexp("^[ \t]*(```|~~~)")
	signedLine   = lazy.Regexp("^\\+([\\w(){}\\[\\]\"'`#/<@$.;]|\t|  |$)")
	unsignedLine = lazy.Regexp(`^[^-+ ]`)
	numberedLine = lazy.Regexp(`^ *L?\d+(→|\t| ?\||:( |$))`)
	tableLine    = lazy.Regexp(`(?i)(^[^.]*|\.(csv|dat|md|tab|tsv|txt|ya?ml))\n\d+[\t:]`) // with the name of its file above
	encodedLine  = lazy.Regexp(`\s(=3D)+\s|=3D"|=20$`)                                    // in a mail
)

// Stray returns an error if one of the lines that a patch puts at line at of a text, from 0, is syntax of a patch or has the
// number of its line in front: far more often that is a slip than text. It is text if the text has such a line, if the lines
// are a patch themselves and all of a new file, or if git has written the part. So are headers and marks in a part that counts
// its lines right, which may be the diff of a text with patches in it. line is where the patch begins to put them.
func Stray(part patch.File, line int, of edits.Source, at int, put []string) *edits.Error {
	src, isNew, all := draft.Source{Source: of}, of.Text.Len() == 0, strings.Join(put, "\n")
	put = strings.Split(strings.Trim(all, "\n"), "\n")
	hasFence := slices.ContainsFunc(put, fenceLine().MatchString) // and so examples, in prose
	isCode := !src.IsProse() && path.Ext(src.Path) != ""
	areSigned := !slices.ContainsFunc(put, unsignedLine().MatchString)
	areNumbered := numberedLine().MatchString(put[0]) && !(isNew && tableLine().MatchString(src.Path+"\n"+put[0]))
	if areNumbered {
		n, ok := reread.NumberingOf(all)
		areNumbered = ok && n.First == at+1
	}
	for i, l := range put {
		is := numberedLine().MatchString
		switch edge := i == 0 || i == len(put)-1; {
		case patch.IsSyntax(l) && !part.IsCounted() && (edge || !isNew || isCode || !hasFence):
			is = patch.IsSyntax
		case edge && isCode && fenceLine().MatchString(l):
			is = fenceLine().MatchString
		case encodedLine().MatchString(l):
			is = encodedLine().MatchString
		case areSigned && signedLine().MatchString(l):
			is = signedLine().MatchString
		case !areNumbered:
			continue
		}
		if part.HasBlobs || slices.ContainsFunc(src.LinesAt(0, src.Text.Lines()), is) {
			return nil
		}
		if _, err := patch.Parse(all); isNew && err == nil {
			return nil
		}
		return edits.Errorf(edits.PatchSyntax, "Below line %d of the patch, the new line %q is syntax and no text, and no line of %s is like it; leave it out, or write such text with str_replace or write.",
			line, edits.Excerpt(l), src.Path)
	}
	return nil
}
