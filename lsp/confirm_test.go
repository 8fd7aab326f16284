package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/view"
)

// asked is a user who is asked, and answers in turn.
type asked struct {
	questions []string
	answers   []string
	before    func() // what they do before they answer
}

// chooses answers the questions that the server asks by a message: choose is the user, who
// chooses one of the answers, or none with "".
func chooses(choose func(ctx context.Context, message string, answers []string) string) func(context.Context, string, json.RawMessage) (any, error) {
	return func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		var p struct {
			Message string
			Actions []struct{ Title string }
		}
		if err := json.Unmarshal(params, &p); err != nil || method != "window/showMessageRequest" {
			return nil, fmt.Errorf("%s of %s is no question (%v)", method, params, err)
		}
		var titles []string
		for _, a := range p.Actions {
			titles = append(titles, a.Title)
		}
		if chosen := choose(ctx, p.Message, titles); chosen != "" {
			return args{"title": chosen}, nil
		}
		return nil, nil
	}
}

func (a *asked) choose(_ context.Context, message string, answers []string) string {
	a.questions = append(a.questions, message+" "+strings.Join(answers, "/"))
	if a.before != nil {
		a.before()
	}
	if len(a.answers) == 0 {
		return ""
	}
	answer := a.answers[0]
	a.answers = a.answers[1:]
	return answer
}

func (a *asked) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(a.questions, want) {
		t.Errorf("asked %q, want %q", a.questions, want)
	}
}

var oneEdit = args{"path": "a.txt", "old_str": "two", "new_str": "2", "confirm": true}

func TestConfirmByMessage(t *testing.T) {
	for answer, applied := range map[string]bool{"Apply": true, "Reject": false, "": false} {
		t.Run(answer, func(t *testing.T) {
			p := &asked{answers: []string{answer}}
			s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{Answer: chooses(p.choose)})
			b := s.open("a.txt")
			want := "one\ntwo\n"
			if applied {
				want = "one\n2\n"
				r := s.edit("str_replace", oneEdit)
				if !r.Verified || r.Decision == nil || r.Decision.Answer != "apply" {
					t.Errorf("%+v", r)
				}
			} else if f := s.fail("str_replace", oneEdit); f.Kind != "rejected_by_editor" || !strings.HasPrefix(f.Message, "The user rejected the edit of a.txt") || f.Decision == nil || f.Decision.Answer != "reject" {
				t.Errorf("%+v", f)
			}
			if b.Text() != want {
				t.Errorf("%q", b.Text())
			}
			p.expect(t, "patchls-headless wants to make an edit. a.txt: 1 line added, 1 removed. Apply/Show diff/Reject")
		})
	}
}

// The diff is shown in the question.
func TestConfirmShowsTheDiff(t *testing.T) {
	p := &asked{answers: []string{"Show diff", "Apply"}}
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{Answer: chooses(p.choose)})
	b := s.open("a.txt")
	s.edit("str_replace", oneEdit)
	if b.Text() != "one\n2\n" || len(p.questions) != 2 || !strings.Contains(p.questions[1], "\n-two\n+2\n") || !strings.HasSuffix(p.questions[1], "Apply/Reject") {
		t.Errorf("%q, %q", b.Text(), p.questions)
	}
}

func TestConfirmWhereNobodyIs(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{})
	b := s.open("a.txt")
	if f := s.fail("str_replace", oneEdit); f.Kind != "unsupported" || b.Text() != "one\ntwo\n" {
		t.Errorf("%+v", f)
	}
	dry := s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2", "confirm": true, "dry_run": true})
	if dry.Applied || dry.Decision != nil {
		t.Errorf("nobody needs to be asked about a dry run: %+v", dry)
	}
}

// While the user thinks, nothing changes: what the answer says of line numbers is about what happened before.
func TestConfirmWhileTheTextStays(t *testing.T) {
	p := &asked{answers: []string{"Apply", "Apply"}}
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, headless.Options{Answer: chooses(p.choose)})
	b := s.open("a.txt")
	rev := run[view.View](s, "view", args{"path": "a.txt"}).Rev
	if r := s.edit("delete_lines", args{"path": "a.txt", "start_line": 1, "end_line": 1, "confirm": true}); r.Rebased || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
	r := s.edit("delete_lines", args{"path": "a.txt", "start_line": 3, "end_line": 3, "rev": rev, "confirm": true})
	if want := "The text has changed since it was shown: its line 3 is line 2 now."; !r.Rebased || !slices.Contains(r.Notes, want) || b.Text() != "two\n" {
		t.Errorf("%q, %+v; want %q", b.Text(), r, want)
	}
}

// While the user thinks, other edits are made, and the lines that were meant are found
// again. If the edit is another one by then they are asked again.
func TestConfirmWhileTheTextMoves(t *testing.T) {
	p := &asked{answers: []string{"Apply", "Apply", "Apply"}}
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, headless.Options{Answer: chooses(p.choose)})
	b := s.open("a.txt")
	p.before = func() {
		p.before = nil
		if err := b.Insert(0, "typed\n"); err != nil {
			t.Error(err)
		}
		s.edit("str_replace", args{"path": "a.txt", "old_str": "three", "new_str": "3"})
	}
	r := s.edit("delete_lines", args{"path": "a.txt", "start_line": 2, "end_line": 2, "confirm": true})
	if want := "typed\none\n3\n"; b.Text() != want || !r.Rebased || len(p.questions) != 1 {
		t.Errorf("%q, want %q; asked %q; %+v", b.Text(), want, p.questions, r)
	}
	p.questions = nil
	p.before = func() {
		p.before = nil
		if err := b.Insert(0, "3\n"); err != nil {
			t.Error(err)
		}
	}
	s.edit("str_replace", args{"path": "a.txt", "old_str": "3", "new_str": "three", "replace_all": true, "confirm": true})
	if want := "three\ntyped\none\nthree\n"; b.Text() != want {
		t.Errorf("%q, want %q", b.Text(), want)
	}
	p.expect(t, "patchls-headless wants to make an edit. a.txt: 1 line added, 1 removed. Apply/Show diff/Reject",
		"patchls-headless wants to make an edit. a.txt: 2 lines added, 2 removed. Apply/Show diff/Reject")
}

// A plugin asks in its own way, with both sides of each file, and hands on what the
// user says.
func TestConfirmByPlugin(t *testing.T) {
	decision := args{"decision": "apply", "text": " but mind the tests "}
	var s *session
	var question struct {
		ID, Agent, Command, Diff string
		Files                    []struct{ Path, Change, Before, After string }
	}
	var sides []string
	s = start(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"}, headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) {
			c.Experimental = protocol.LSPAny(`{"patchls":{"confirm":true}}`)
		},
		Answer: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			if method != "patchls/confirm" || json.Unmarshal(params, &question) != nil {
				t.Errorf("asked %s %s", method, params)
			}
			sides = nil
			for _, f := range question.Files {
				for _, uri := range []string{f.Before, f.After} {
					var content struct{ Text string }
					if err := s.Call(ctx, "workspace/textDocumentContent", args{"uri": uri}, &content); err != nil {
						t.Error(err)
					}
					sides = append(sides, content.Text)
				}
			}
			return decision, nil
		},
	})
	a := s.open("a.txt")
	patch := "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n"
	r := s.edit("apply_patch", args{"patch": patch, "confirm": true})
	if r.Decision == nil || *r.Decision != (proposal.Decision{Answer: "apply", Text: "but mind the tests"}) || a.Text() != "1\n" {
		t.Errorf("%+v, %q", r.Decision, a.Text())
	}
	if want := []string{"one\n", "1\n", "b\n", ""}; !slices.Equal(sides, want) || question.Command != "apply_patch" || question.Agent != "patchls-headless" || !strings.Contains(question.Diff, "+1\n") {
		t.Errorf("%q, want %q; %+v", sides, want, question)
	}
	decision = args{"decision": "reject", "text": "use two"}
	f := s.fail("undo", args{"edit_id": r.EditID, "confirm": true})
	if f.Kind != "rejected_by_editor" || !strings.HasSuffix(f.Message, "and says: use two") || f.Decision.Text != "use two" || a.Text() != "1\n" {
		t.Errorf("%+v", f)
	}
	decision = nil // the question was closed
	if f := s.fail("revert", args{"edit_id": r.EditID, "hunk": 1, "confirm": true}); f.Kind != "rejected_by_editor" {
		t.Errorf("%+v", f)
	}
	if f := s.fail("edit_file", args{"path": "a.txt", "old_text": "1", "new_text": "2", "confirm": true}); f.Kind != "rejected_by_editor" {
		t.Errorf("%+v", f)
	}
	// The question is forgotten when it is answered.
	if err := s.Call(t.Context(), "workspace/textDocumentContent", args{"uri": question.Files[0].Before}, nil); err == nil {
		t.Error("a question that nobody asks any more has documents")
	}
}

func TestConfirmIsCancelled(t *testing.T) {
	came, withdrawn := make(chan struct{}), make(chan struct{})
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) {
			c.Experimental = protocol.LSPAny(`{"patchls":{"confirm":true}}`)
		},
		Answer: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			close(came)
			<-withdrawn
			return nil, nil
		},
		Trace: func(dir string, raw []byte) {
			if dir == "receive" && strings.Contains(string(raw), `"patchls/withdraw"`) {
				close(withdrawn)
			}
		},
	})
	s.open("a.txt")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-came; cancel() }()
	if _, err := s.Execute(ctx, "patchls.str_replace", oneEdit); err == nil {
		t.Error("no error")
	}
	<-withdrawn
	s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"}) // nothing is in the way
}

func TestDiffDocumentsOfAnEdit(t *testing.T) {
	s := start(t, map[string]string{"a b.txt": "one\ntwo\n"}, headless.Options{})
	b := s.open("a b.txt")
	e := s.edit("str_replace", args{"path": "a b.txt", "old_str": "two", "new_str": "2"})
	if err := b.Insert(0, "typed\n"); err != nil {
		t.Fatal(err)
	}
	content := func(uri string) string {
		var c struct{ Text string }
		if err := s.Call(t.Context(), "workspace/textDocumentContent", args{"uri": uri}, &c); err != nil {
			return "error: " + err.Error()
		}
		return c.Text
	}
	base := "patchls-diff:/" + e.EditID
	for uri, want := range map[string]string{
		base + "/before/a%20b.txt": "one\ntwo\n",
		base + "/after/a%20b.txt":  "one\n2\n",
		base + "/diff/e1.diff":     "--- a/a b.txt\n+++ b/a b.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
	} {
		if got := content(uri); got != want {
			t.Errorf("%s is %q, want %q", uri, got, want)
		}
	}
	for _, uri := range []string{base, base + "/before/b.txt", base + "/beside/a%20b.txt", "patchls-diff:/e9/before/a.txt", "file:///etc/passwd", "%"} {
		if got := content(uri); !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s is %q", uri, got)
		}
	}
}

// The user is also asked about changes that have no line of text to show, and sees which files go.
func TestConfirmOfFiles(t *testing.T) {
	p := &asked{}
	s := start(t, map[string]string{"a.sql": "-- one\n++ two\nselect\n", "old.txt": "text\n", "a.txt": "one\n"}, headless.Options{Answer: chooses(p.choose)})
	s.open("a.sql")
	made := s.edit("create", args{"path": "made.txt", "content": "made\n"})
	moved := s.edit("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: old.txt\n*** Move to: new.txt\n*** End Patch\n"})
	both := s.edit("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: z.txt\n@@\n-one\n+1\n*** End Patch\n"})
	for _, c := range []struct {
		command string
		args    args
		want    string
	}{
		{"create", args{"path": "empty.txt", "content": ""}, "empty.txt: 0 lines added, 0 removed."},
		{"undo", args{"edit_id": made.EditID}, "made.txt: 0 lines added, 1 removed."},
		{"revert", args{"edit_id": made.EditID, "hunk": 1}, "made.txt: 0 lines added, 1 removed."},
		{"undo", args{"edit_id": moved.EditID}, "new.txt: 0 lines added, 0 removed."},
		{"undo", args{"edit_id": both.EditID}, "z.txt: 1 line added, 1 removed."},
		{"edit_lines", args{"path": "a.sql", "edits": []args{{"from": 1, "to": 2, "content": "-- three\n-- four\n++ five"}}}, "a.sql: 3 lines added, 2 removed."},
	} {
		p.questions = nil
		c.args["confirm"] = true
		name, _, _ := strings.Cut(c.want, ":")
		if f := s.fail(c.command, c.args); f.Kind != "rejected_by_editor" || !strings.HasPrefix(f.Message, "The user rejected the edit of "+name+"; ") {
			t.Errorf("%s: %+v", c.command, f)
		}
		p.expect(t, "patchls-headless wants to make an edit. "+c.want+" Apply/Show diff/Reject")
	}
	dry := s.edit("undo", args{"edit_id": made.EditID, "dry_run": true})
	if want := "--- a/made.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-made\n"; dry.Diff != want {
		t.Errorf("%q, want %q", dry.Diff, want)
	}
	dry = s.edit("undo", args{"edit_id": moved.EditID, "dry_run": true})
	if want := "diff --git a/new.txt b/old.txt\nrename from new.txt\nrename to old.txt\n"; dry.Diff != want {
		t.Errorf("%q, want %q", dry.Diff, want)
	}
}

// TestConfirmOfALargeEdit: a question shows no diff of a file in which more than a megabyte changes, and says so above the
// diff of the others. Such an edit is asked about again if the text has changed meanwhile.
func TestConfirmOfALargeEdit(t *testing.T) {
	const guarded = ".vscode/settings.json"
	p := &asked{answers: []string{"Show diff", "Reject"}}
	big := strings.Repeat("x = 1\n", 200_000)
	s := start(t, map[string]string{guarded: "{\n}\n", "big.txt": big}, headless.Options{Answer: chooses(p.choose)})
	b := s.open("big.txt")
	s.fail("apply_patch", args{"patch": "*** Begin Patch\n*** Delete File: big.txt\n*** Update File: " + guarded + "\n@@\n {\n+  \"a\": 1\n }\n*** End Patch\n"})
	if len(p.questions) != 2 || !strings.Contains(p.questions[1], "\nThere is no diff of big.txt: more than 262144 bytes are changed.\n--- a/"+guarded) || !strings.Contains(p.questions[1], "\n+  \"a\": 1\n") {
		t.Errorf("%.2000q", p.questions)
	}
	p.questions, p.answers = nil, []string{"Apply", "Apply"}
	p.before = func() {
		if p.before = nil; b.Insert(0, "typed\n") != nil {
			t.Error("nothing was typed")
		}
	}
	s.edit("str_replace", args{"path": "big.txt", "old_str": "x", "new_str": "y", "replace_all": true, "confirm": true})
	if want := "typed\n" + strings.ReplaceAll(big, "x", "y"); b.Text() != want || len(p.questions) != 2 {
		t.Errorf("%.100q, asked %d times", b.Text(), len(p.questions))
	}
}

// A patch that would go to another place once the user agrees is a different patch,
// even with the same lines.
func TestConfirmOfAPlace(t *testing.T) {
	p := &asked{answers: []string{"Apply", "Reject"}}
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, headless.Options{Answer: chooses(p.choose)})
	b := s.open("a.txt")
	p.before = func() {
		p.before = nil
		if err := b.Insert(0, "two\nx\ny\n"); err != nil {
			t.Error(err)
		}
	}
	s.fail("apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\n", "confirm": true})
	if want := "two\nx\ny\none\ntwo\nthree\n"; b.Text() != want || len(p.questions) != 2 {
		t.Errorf("%q, want %q; asked %q", b.Text(), want, p.questions)
	}
}

// When a file is to go, the other side of the question is empty.
func TestConfirmShowsThatAFileGoes(t *testing.T) {
	var s *session
	var content struct{ Text string }
	s = start(t, map[string]string{"a.txt": "a\n"}, headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) {
			c.Experimental = protocol.LSPAny(`{"patchls":{"confirm":true}}`)
		},
		Answer: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			content.Text = "unknown"
			return nil, s.Call(ctx, "workspace/textDocumentContent", args{"uri": "patchls-diff:/p1/after/a.txt"}, &content)
		},
	})
	s.fail("apply_patch", args{"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n", "confirm": true})
	if content.Text != "" {
		t.Errorf("%q", content.Text)
	}
}

// The number of open questions is bounded: further ones are refused until the user has answered.
func TestConfirmIsBounded(t *testing.T) {
	const most = 100
	came := make(chan struct{}, 2*most)
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{
		Answer: chooses(func(ctx context.Context, _ string, _ []string) string {
			came <- struct{}{}
			<-ctx.Done()
			return ""
		}),
	})
	s.open("a.txt")
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range most {
		all.Go(func() { _, _ = s.Execute(ctx, "patchls.str_replace", oneEdit) })
	}
	for range most {
		<-came
	}
	if f := s.fail("str_replace", oneEdit); f.Kind != "rejected_by_editor" || !strings.Contains(f.Message, "100 questions") || f.Decision != nil {
		t.Errorf("%+v", f)
	}
	cancel()
	all.Wait()
}

// Tools of others take confirm like the commands, and their errors have the user's decision.
func TestConfirmOfToolsOfOthers(t *testing.T) {
	for command, a := range map[string]args{
		"text_editor":        {"action": "patch", "old_text": "two", "new_text": "2"},
		"str_replace_editor": {"command": "str_replace", "old_str": "two", "new_str": "2"},
		"edit_file":          {"old_text": "two", "new_text": "2"},
		"write_file":         {"content": "2"},
	} {
		t.Run(command, func(t *testing.T) {
			p := &asked{answers: []string{"Reject"}}
			s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{Answer: chooses(p.choose)})
			s.open("a.txt")
			a["path"], a["confirm"] = "a.txt", true
			if f := s.fail(command, a); f.Kind != "rejected_by_editor" || f.Decision == nil || f.Decision.Answer != "reject" {
				t.Errorf("%+v", f)
			}
		})
	}
}
