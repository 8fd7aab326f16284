package command

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
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
		f.Add(joinLines(c.doc), c.replace().Old, c.replace().New)
	}
	f.Fuzz(func(t *testing.T, doc, old, put string) {
		if old == "" || len(doc) > 2000 || len(old) > 500 || len(put) > 500 {
			return
		}
		src := source{Source: edits.Source{Path: "a", Text: text.New(doc)}}
		for _, step := range tierFolds {
			made := src.newFoldedSearch(old, put, step.tier, step.fold, true)
			for _, p := range made.in(doc, 0) {
				there := doc[p.start:p.end]
				if got, want := step.fold.Apply(there).Text, step.fold.Apply(old).Text; got != want {
					t.Fatalf("%s: %q is taken for %q, and is %q, not %q", step.tier, there, old, got, want)
				}
				es := diff.Rewrite(src.Text, p.start, p.end, p.want)
				if err := es.Validate(len(doc)); err != nil {
					t.Fatalf("%s: %v", step.tier, err)
				}
			}
			same := src.newFoldedSearch(old, old, step.tier, step.fold, true)
			for _, p := range same.in(doc, 0) {
				if es := diff.Rewrite(src.Text, p.start, p.end, p.want); len(es) > 0 && !p.untold {
					t.Fatalf("%s: %q put for itself at %q changes %+v", step.tier, old, doc[p.start:p.end], es)
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
		pairs []indentPair
		sent  string
		want  string
		fails bool // nothing is told for sent
	}{
		"the same":                         {"    ", []indentPair{{sent: "", found: ""}, {sent: "    ", found: "    "}}, "        ", "        ", false},
		"blanks are tabs":                  {"\t", []indentPair{{sent: "    ", found: "\t"}}, "        ", "\t\t", false},
		"tabs are blanks":                  {"  ", []indentPair{{sent: "\t", found: "  "}}, "\t\t\t", "      ", false},
		"four are two":                     {"  ", []indentPair{{sent: "", found: ""}, {sent: "    ", found: "  "}}, "            ", "      ", false},
		"two are four":                     {"    ", []indentPair{{sent: "  ", found: "    "}, {sent: "    ", found: "        "}}, "      ", "            ", false},
		"two levels deeper":                {"    ", []indentPair{{sent: "", found: "        "}, {sent: "    ", found: "            "}}, "        ", "                ", false},
		"deeper in tabs":                   {"\t", []indentPair{{sent: "", found: "\t\t"}, {sent: "    ", found: "\t\t\t"}}, "        ", "\t\t\t\t", false},
		"a prefix of its own":              {"    ", []indentPair{{sent: "", found: " \t"}, {sent: "  ", found: " \t  "}}, "    ", " \t    ", false},
		"only unindented lines, deeper":    {"\t", []indentPair{{sent: "", found: "\t"}}, "\t", "\t\t", false},
		"tabs for unindented, blanks sent": {"\t", []indentPair{{sent: "", found: "\t"}}, "    ", "\t\t", false},
		"nothing fits":                     {"    ", []indentPair{{sent: "   ", found: "\t  "}, {sent: "", found: "  \t"}}, "        ", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			m, ok := learnIndent(test.pairs, test.unit, "    ", "    ")
			if !ok {
				t.Fatal("the pairs contradict")
			}
			for _, p := range test.pairs {
				if got, ok := m.of(p.sent, false); !ok || got != p.found {
					t.Errorf("%q gives %q, want %q", p.sent, got, p.found)
				}
			}
			got, ok := m.of(test.sent, false)
			if ok == test.fails || got != test.want {
				t.Errorf("%q gives %q, %v, want %q", test.sent, got, ok, test.want)
			}
		})
	}
	if _, ok := learnIndent([]indentPair{{sent: "  ", found: "\t"}, {sent: "  ", found: "    "}}, "\t", "  ", "  "); ok {
		t.Error("one indentation stands for two")
	}
}
