package lsp_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/transaction"
)

// refCase is one published case of a reference tool. Where the tool has a fault, the case
// asserts the cure and says so in cure. The letters and numbers of cases and cures only
// tell them apart.
type refCase struct {
	id      string
	before  string
	reads   bool // text_editor reads the text before
	command string
	args    args       // but for the path
	after   string     // of a call that succeeds
	message string     // {P} is the path; "" is not looked at
	kind    edits.Kind // of a call that fails, and leaves the text alone
	cure    string
}

// runRefCases runs cases through the whole server, in each encoding and in editors
// as they were measured.
func runRefCases(t *testing.T, cases []refCase) {
	runRefCasesInPersonas(t, cases)
	for _, encoding := range chance.Sample([]string{"utf-8", "utf-16", "utf-32"}) {
		s := start(t, nil, headless.Options{Encodings: []string{encoding}})
		for _, c := range cases {
			t.Run(c.id+" "+encoding, func(t *testing.T) {
				s.t = t
				c.run(s)
			})
		}
	}
}

func (c refCase) run(s *session) {
	s.t.Helper()
	b, err := s.OpenText("untitled:case", "plaintext", c.before)
	if err != nil {
		s.t.Fatal(err)
	}
	defer b.Close()
	c.check(s, b)
}

// read has text_editor read b, if the case wants that.
func (c refCase) read(s *session, b *headless.Buffer) {
	s.t.Helper()
	if c.reads {
		run[reference.Reading](s, "text_editor", args{"action": "read", "path": b.URI()})
	}
}

// check runs the case's command on b, which holds the text before.
func (c refCase) check(s *session, b *headless.Buffer) {
	s.t.Helper()
	c.read(s, b)
	a := args{"path": b.URI()}
	maps.Copy(a, c.args)
	message := strings.ReplaceAll(c.message, "{P}", b.URI())
	raw, err := s.Execute(context.Background(), "patchls."+c.command, a)
	if err != nil {
		f := failureOf(s.t, raw, err)
		if f.Kind != c.kind || message != "" && f.Message != message {
			s.t.Errorf("%s %v\nfails with %s: %q\nwant %s: %q (%s)", c.command, a, f.Kind, f.Message, c.kind, message, c.cure)
		}
		if got := textOf(b); got != c.before {
			s.t.Errorf("it failed, and the text became %q", got)
		}
		return
	}
	var r transaction.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		s.t.Fatal(err)
	}
	if c.kind != "" {
		s.t.Fatalf("%s %v\nsucceeds: %q, text %q\nwant %s: %q (%s)", c.command, a, r.Message, textOf(b), c.kind, message, c.cure)
	}
	if got := textOf(b); got != c.after || !r.Verified {
		s.t.Errorf("%s %v of %q\ngives %q, verified %v\nwant %q (%s)", c.command, a, c.before, got, r.Verified, c.after, c.cure)
	}
	if message != "" && r.Message != message {
		s.t.Errorf("%s %v\nsays %q\nwant %q (%s)", c.command, a, r.Message, message, c.cure)
	}
}

// textOf returns the buffer's text once an edit that is being made is done: the
// tests' clock lets the server answer as soon as the editor has told of it.
func textOf(b *headless.Buffer) string {
	_ = b.SetCursor(0)
	return b.Text()
}
