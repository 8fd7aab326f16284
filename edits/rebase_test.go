package edits_test

import (
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

func TestRebase(t *testing.T) {
	plan := func(doc string) (edits.Source, edits.Plan) {
		src := edits.Source{Path: "a", Text: text.New(doc)}
		p, err := edits.DeleteLines{Start: 2, End: 2}.Plan(src)
		if err != nil {
			t.Fatal(err)
		}
		return src, p
	}
	for name, test := range map[string]struct {
		doc, now, want string // want is "" where nobody can tell
	}{
		"typed above":               {"a\nb\nc\n", "x\na\nb\nc\n", "x\na\nc\n"},
		"typed below":               {"a\nb\nc\n", "a\nb\nc\nx\n", "a\nc\nx\n"},
		"typed above and below":     {"a\nb\nc\n", "x\na\nb\nc\ny\n", "x\na\nc\ny\n"},
		"typed inside":              {"a\nb\nc\n", "a\nbx\nc\n", ""},
		"the line went":             {"a\nb\nc\n", "a\nc\n", ""},
		"typed right before":        {"a\nb\nc\n", "a\nx\nb\nc\n", ""},
		"CRLF, typed above":         {"a\r\nb\r\nc\r\n", "x\r\na\r\nb\r\nc\r\n", "x\r\na\r\nc\r\n"},
		"line ends of another kind": {"a\nb\nc\n", "x\r\na\nb\nc\n", ""},
		"nothing but line ends":     {"a\nb\nc\n", "a\r\nb\r\nc\r\n", ""},
		"nothing":                   {"a\nb\nc\n", "a\nb\nc\n", "a\nc\n"},
	} {
		t.Run(name, func(t *testing.T) {
			src, p := plan(test.doc)
			now := edits.Source{Path: "a", Text: text.New(test.now)}
			rebased, ok := p.Rebased(src, now)
			if ok != (test.want != "") {
				t.Fatalf("told: %v, want %q", ok, test.want)
			}
			if !ok {
				return
			}
			if got := rebased.Edits.Apply(now.Text).String(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
