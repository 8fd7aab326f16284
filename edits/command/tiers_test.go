package command

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/text"
)

// FuzzLoosePlaces checks the promise of the loose tiers: what a place deletes or keeps
// equals, under the fold of its tier, what was sent; nothing outside of a place changes;
// and a change that only keeps text leaves the document as it is.
func FuzzLoosePlaces(f *testing.F) {
	for _, s := range [][3]string{
		{"if x:\n\tfoo()\n\tbar()\n", "    foo()\n    bar()", "    foo2()\n    bar()"},
		{"a  \nb\t\n", "a\nb", "a\nc"},
		{"say “hi”\n", "say \"hi\"", "say \"yo\""},
		{"a\u200bb\nx\n", "ab\nx", "ab\ny"},
		{"a\r\nb\r\n", "a\nb\n", "a\n\nb\n"},
		{"cafe\u0301 x\n", "café x", "café y"},
		{"\t\tx\n\n\t\ty", " x\n\n y\n", " x\n z\n y\n"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	for _, c := range carefulCases(200) {
		f.Add(draft.JoinLines(c.doc), c.replace().Old, c.replace().New)
	}
	f.Fuzz(func(t *testing.T, doc, old, put string) {
		if old == "" || len(doc) > 2000 || len(old) > 500 || len(put) > 500 {
			return
		}
		src := draft.Source{Source: edits.Source{Path: "a", Text: text.New(doc)}}
		for _, step := range partTiers {
			made := newFoldedSearch(src, old, put, step.Fold, true)
			for p := range made.in(doc, 0) {
				there := doc[p.Start:p.End]
				if got, want := step.Fold.Apply(there).Text, step.Fold.Apply(old).Text; got != want {
					t.Fatalf("%s: %q is taken for %q, and is %q, not %q", step.Tier, there, old, got, want)
				}
				es := diff.Rewrite(src.Text, p.Start, p.End, p.Want)
				if err := es.Validate(len(doc)); err != nil {
					t.Fatalf("%s: %v", step.Tier, err)
				}
			}
			same := newFoldedSearch(src, old, old, step.Fold, true)
			for p := range same.in(doc, 0) {
				if es := diff.Rewrite(src.Text, p.Start, p.End, p.Want); len(es) > 0 && !p.unresolved {
					t.Fatalf("%s: %q put for itself at %q changes %+v", step.Tier, old, doc[p.Start:p.End], es)
				}
			}
		}
		plan, err := Replace{Old: old, New: put, Lenient: true}.Plan(src.Source)
		if err != nil {
			return
		}
		after := plan.Edits.Apply(src.Text)
		if back := changeset.Of(plan.Edits, src.Text).Invert().Edits().Apply(after); back.String() != doc {
			t.Fatalf("the inverse gives %q, not %q", back, doc)
		}
		for _, e := range plan.Edits {
			gone := doc[e.Start:e.End]
			if strings.HasPrefix(gone, "\r\n") {
				continue // a "\r\n" is changed as a whole
			}
			if e.New != "" && strings.HasPrefix(gone, e.New[:1]) && e.New[0] < 0x80 {
				t.Fatalf("edit %+v of %q begins with what is there", e, doc)
			}
		}
	})
}
