package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// TestCases runs testdata/edits/*.txtar from outside: each is a text ("before"),
// a command and its arguments ("command"), and what follows: the text "after"
// and the "message", or an "error", its kind and message. -update rewrites what
// follows.
//
// In texts ␠ is a blank, ⇥ a tab, ␍ a carriage return, ␀ a NUL and ␃ ends the
// text, so that what an editor would strip can be seen.
//
// A patch may stand in a section "patch" of its own, where $ is the text's name.
//
// A section "shown" is the text as the agent was shown it, before the user made "before" of it. Then the rev $ is its rev.
//
// Every case runs in the three encodings, as it stands and in the variants of
// variants_test.go; a line "not as: crlf, bom" in its comment leaves some out,
// and says why.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("../testdata/edits/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	sessions := map[string]*session{}
	encodings := []string{"utf-8", "utf-16", "utf-32"}
	for _, encoding := range chance.Sample(encodings) {
		sessions[encoding] = start(t, nil, headless.Options{Encodings: []string{encoding}})
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				c := readCase(t, archive)
				c.run(t, sessions["utf-8"])
				c.write(t, name, archive)
				return
			}
			for encoding, s := range sessions {
				want := readCase(t, archive)
				got := want
				got.run(t, s)
				if got.after != want.after || got.message != want.message || got.failure != want.failure {
					t.Errorf("in %s:\n%q\n%s%s\nwant:\n%q\n%s%s", encoding, got.after, got.message, got.failure, want.after, want.message, want.failure)
				}
				for name, variant := range variants {
					if testing.Short() || encodings[len(name)%len(encodings)] != encoding { // one is as good as another for a variant
						continue
					}
					if !strings.Contains(exceptions(archive), name) {
						runVariant(t, s, encoding+", "+name, readCase(t, archive), variant)
					}
				}
			}
		})
	}
}

// testCase is a case, or the outcome of running one.
type testCase struct {
	shown     string // "" if it was not shown
	before    string
	command   string
	arguments map[string]any
	after     string
	message   string // and notes
	failure   string // kind and message; "" if the command succeeded
}

func readCase(t *testing.T, archive *txtar.Archive) testCase {
	t.Helper()
	command, arguments, _ := strings.Cut(section(archive, "command"), " ")
	c := testCase{
		shown: fromVisible(section(archive, "shown")), before: fromVisible(section(archive, "before")), command: command,
		after: fromVisible(section(archive, "after")), message: section(archive, "message"), failure: section(archive, "error"),
	}
	if err := json.Unmarshal([]byte(arguments), &c.arguments); err != nil {
		t.Fatalf("command: %v", err)
	}
	if p := section(archive, "patch"); p != "" {
		c.arguments["patch"] = strings.ReplaceAll(fromVisible(p), "$", "untitled:case")
	}
	if c.failure != "" {
		c.after = c.before
	}
	return c
}

// run runs the case and records the outcome in it.
func (c *testCase) run(t *testing.T, s *session) {
	t.Helper()
	b, err := s.OpenText("untitled:case", "plaintext", c.before)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, ok := c.arguments["path"]; !ok {
		c.arguments["path"] = b.URI()
	}
	opened := b.Text() // which may have line ends of the editor's own
	if c.shown != "" {
		b.Close()
		if b, err = s.OpenText("untitled:case", "plaintext", c.shown); err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		rev := run[view.View](s, "view", args{"path": b.URI()}).Rev
		if c.arguments["rev"] == "$" {
			c.arguments["rev"] = rev
		}
		retype(t, b, opened)
		personas.Flush(s.Editor)
	}
	raw, err := s.Execute(context.Background(), "patchls."+c.command, c.arguments)
	c.after, c.message, c.failure = b.Text(), "", ""
	if err != nil {
		if c.after == opened {
			c.after = c.before
		}
		f := failureOf(t, raw, err)
		c.failure = fmt.Sprintf("%s\n%s\n", f.Kind, f.Message)
		if sent, err := json.Marshal(f.Suggestion); err == nil && f.Suggestion != nil {
			c.failure += string(sent) + "\n"
			checkSuggestion(t, s, b, f.Suggestion)
		}
		return
	}
	var r transaction.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	checkCase(t, b, opened, r)
	c.message = r.Message + "\n"
	for _, n := range r.Notes {
		c.message += "note: " + n + "\n"
	}
}

// retype has the user make another text of a buffer, by one change.
func retype(t *testing.T, b *headless.Buffer, content string) {
	t.Helper()
	now := b.Text()
	head, tail := diff.CommonEnds(now, content)
	if err := b.Replace(head, len(now)-tail, content[head:len(content)-tail]); err != nil {
		t.Fatal(err)
	}
}

// checkCase checks what holds for every edit: it is verified, and one undo takes
// back all of it and nothing else.
func checkCase(t *testing.T, b *headless.Buffer, before string, r transaction.Result) {
	t.Helper()
	if !r.Verified {
		t.Errorf("not verified: %+v", r)
	}
	after := b.Text()
	if b.Undo(); b.Text() != before {
		t.Errorf("one undo gives %q, want %q", b.Text(), before)
	}
	if b.Redo(); b.Text() != after {
		t.Errorf("redo gives %q, want %q", b.Text(), after)
	}
}

// checkSuggestion checks that what an error suggests would succeed.
func checkSuggestion(t *testing.T, s *session, b *headless.Buffer, suggestion *edits.Suggestion) {
	t.Helper()
	suggestion.Arguments["path"] = b.URI()
	if _, err := s.Execute(context.Background(), suggestion.Command, suggestion.Arguments); err != nil {
		t.Errorf("the suggestion %+v fails: %v", suggestion, err)
	}
}

// write writes the case with its outcome.
func (c *testCase) write(t *testing.T, name string, archive *txtar.Archive) {
	t.Helper()
	out := &txtar.Archive{Comment: archive.Comment}
	if shown := section(archive, "shown"); shown != "" {
		out.Files = append(out.Files, txtar.File{Name: "shown", Data: []byte(shown)})
	}
	for _, name := range []string{"before", "command"} {
		out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(section(archive, name))})
	}
	if p := section(archive, "patch"); p != "" {
		out.Files = append(out.Files, txtar.File{Name: "patch", Data: []byte(p)})
	}
	out.Files = append(out.Files, c.follows("")...)
	for _, f := range archive.Files {
		if strings.Contains(f.Name, " in ") {
			out.Files = append(out.Files, f)
		}
	}
	if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// follows returns the sections of the outcome, whose names end with where.
func (c *testCase) follows(where string) []txtar.File {
	if c.failure != "" {
		return []txtar.File{{Name: "error" + where, Data: []byte(c.failure)}}
	}
	return []txtar.File{
		{Name: "after" + where, Data: []byte(toVisible(c.after))},
		{Name: "message" + where, Data: []byte(c.message)},
	}
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// exceptions returns the variants that a case leaves out.
func exceptions(a *txtar.Archive) string {
	for line := range strings.Lines(string(a.Comment)) {
		if rest, ok := strings.CutPrefix(line, "not as: "); ok {
			return rest
		}
	}
	return ""
}

func fromVisible(s string) string {
	s, _, _ = strings.Cut(s, "␃")
	return strings.NewReplacer("␠", " ", "⇥", "\t", "␍", "\r", "␀", "\x00").Replace(s)
}

// toVisible shows what fromVisible reads: carriage returns, tabs, blanks at the
// end of a line, and a text that ends without a newline.
func toVisible(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "␃\n"
	}
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		body := strings.TrimRight(l, "\r\n")
		blanks := len(body) - len(strings.TrimRight(body, " "))
		lines[i] = body[:len(body)-blanks] + strings.Repeat("␠", blanks) + l[len(body):]
	}
	return strings.NewReplacer("\t", "⇥", "\r", "␍", "\x00", "␀").Replace(strings.Join(lines, ""))
}
