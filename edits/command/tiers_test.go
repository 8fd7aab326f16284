package command

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/reindent"
	"github.com/patchls/patchls/edits/text"
)

// FuzzLoosePlaces holds the loose tiers to their promise: what a place deletes
// or keeps is, under the fold of its tier, what was sent; nothing outside of a
// place changes; and a change that only keeps text leaves the document as it is.
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
		for _, step := range match.Tiers {
			made := newFoldedSearch(src, old, put, step.Tier, step.Fold, true)
			for _, p := range made.in(doc, 0) {
				there := doc[p.Start:p.End]
				if got, want := step.Fold.Apply(there).Text, step.Fold.Apply(old).Text; got != want {
					t.Fatalf("%s: %q is taken for %q, and is %q, not %q", step.Tier, there, old, got, want)
				}
				es := diff.Rewrite(src.Text, p.Start, p.End, p.Want)
				if err := es.Validate(len(doc)); err != nil {
					t.Fatalf("%s: %v", step.Tier, err)
				}
			}
			same := newFoldedSearch(src, old, old, step.Tier, step.Fold, true)
			for _, p := range same.in(doc, 0) {
				if es := diff.Rewrite(src.Text, p.Start, p.End, p.Want); len(es) > 0 && !p.untold {
					t.Fatalf("%s: %q put for itself at %q changes %+v", step.Tier, old, doc[p.Start:p.End], es)
				}
			}
		}
		plan, err := Replace{Old: old, New: put, Lenient: true}.Plan(src.Source)
		if err != nil {
			return
		}
		after := plan.Edits.Apply(src.Text)
		if back := plan.Edits.Invert(src.Text).Apply(after); back.String() != doc {
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

func TestLearnIndent(t *testing.T) {
	for name, test := range map[string]struct {
		unit  string
		pairs []reindent.Pair
		sent  string
		want  string
		fails bool // nothing is told for sent
	}{
		"the same":                         {"    ", []reindent.Pair{{Sent: "", Found: ""}, {Sent: "    ", Found: "    "}}, "        ", "        ", false},
		"blanks are tabs":                  {"\t", []reindent.Pair{{Sent: "    ", Found: "\t"}}, "        ", "\t\t", false},
		"tabs are blanks":                  {"  ", []reindent.Pair{{Sent: "\t", Found: "  "}}, "\t\t\t", "      ", false},
		"four are two":                     {"  ", []reindent.Pair{{Sent: "", Found: ""}, {Sent: "    ", Found: "  "}}, "            ", "      ", false},
		"two are four":                     {"    ", []reindent.Pair{{Sent: "  ", Found: "    "}, {Sent: "    ", Found: "        "}}, "      ", "            ", false},
		"two levels deeper":                {"    ", []reindent.Pair{{Sent: "", Found: "        "}, {Sent: "    ", Found: "            "}}, "        ", "                ", false},
		"deeper in tabs":                   {"\t", []reindent.Pair{{Sent: "", Found: "\t\t"}, {Sent: "    ", Found: "\t\t\t"}}, "        ", "\t\t\t\t", false},
		"a prefix of its own":              {"    ", []reindent.Pair{{Sent: "", Found: " \t"}, {Sent: "  ", Found: " \t  "}}, "    ", " \t    ", false},
		"only unindented lines, deeper":    {"\t", []reindent.Pair{{Sent: "", Found: "\t"}}, "\t", "\t\t", false},
		"tabs for unindented, blanks sent": {"\t", []reindent.Pair{{Sent: "", Found: "\t"}}, "    ", "\t\t", false},
		"nothing fits":                     {"    ", []reindent.Pair{{Sent: "   ", Found: "\t  "}, {Sent: "", Found: "  \t"}}, "        ", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			m, ok := reindent.Learn(test.pairs, test.unit, "    ", "    ")
			if !ok {
				t.Fatal("the pairs contradict")
			}
			for _, p := range test.pairs {
				if got, ok := m.Of(p.Sent, false); !ok || got != p.Found {
					t.Errorf("%q gives %q, want %q", p.Sent, got, p.Found)
				}
			}
			got, ok := m.Of(test.sent, false)
			if ok == test.fails || got != test.want {
				t.Errorf("%q gives %q, %v, want %q", test.sent, got, ok, test.want)
			}
		})
	}
	if _, ok := reindent.Learn([]reindent.Pair{{Sent: "  ", Found: "\t"}, {Sent: "  ", Found: "    "}}, "\t", "  ", "  "); ok {
		t.Error("one indentation stands for two")
	}
}
