package lsp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// action is a code action as it comes over the wire.
type action struct {
	Title   string
	Kind    string
	Tags    []int
	Command json.RawMessage
}

func (s *session) actions(name string, line int, only ...string) []action {
	s.t.Helper()
	at := args{"line": line, "character": 0}
	context := args{"diagnostics": []any{}}
	if only != nil {
		context["only"] = only
	}
	return about[[]action](s, "textDocument/codeAction", name, args{"range": args{"start": at, "end": at}, "context": context})
}

func titles(actions []action) string {
	var all []string
	for _, a := range actions {
		all = append(all, a.Title)
	}
	return strings.Join(all, "\n")
}

// Actions are offered only on the lines of a mark, and are tagged as coming from a model
// if the editor knows that tag.
func TestReviewActions(t *testing.T) {
	for _, tagged := range []bool{true, false} {
		s := start(t, map[string]string{"a.txt": "one\nx\ntwo\nx\n"}, headless.Options{Capabilities: func(c *protocol.ClientCapabilities) {
			c.TextDocument.CodeAction = &protocol.CodeActionClientCapabilities{}
			c.TextDocument.CodeAction.CodeActionLiteralSupport = protocol.ClientCodeActionLiteralOptions{
				CodeActionKind: protocol.ClientCodeActionKindOptions{ValueSet: []protocol.CodeActionKind{"quickfix"}},
			}
			if tagged {
				c.TextDocument.CodeAction.TagSupport.ValueSet = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
			}
		}})
		s.open("a.txt")
		s.edit("str_replace", args{"path": "a.txt", "old_str": "x", "new_str": "y", "replace_all": true})
		if got := s.actions("a.txt", 0); len(got) > 0 {
			t.Errorf("on a line of the user: %+v", got)
		}
		want := "Keep 1 line by patchls-headless\nRevert 1 line by patchls-headless\n" +
			"Revert all of edit e1 (str_replace by patchls-headless)\n" +
			"Keep all that agents changed in this file (2 hunks)\nRevert all that agents changed in this file (2 hunks)"
		got := s.actions("a.txt", 3)
		if titles(got) != want {
			t.Errorf("%s\nwant\n%s", titles(got), want)
		}
		for _, a := range got {
			if a.Kind != "quickfix" || slices.Contains(a.Tags, 1) != tagged {
				t.Errorf("%+v", a)
			}
		}
		if got := s.actions("a.txt", 3, "source.organizeImports"); len(got) > 0 {
			t.Errorf("actions of another kind: %+v", got)
		}
		if got := s.actions("a.txt", 3, "quickfix"); len(got) != 5 {
			t.Errorf("%+v", got)
		}
	}
}

// What was removed at the end of the text is seen at its last line: not every editor has
// one behind the last newline.
func TestReviewAtTheEnd(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{})
	b := s.open("a.txt")
	s.edit("delete_lines", args{"path": "a.txt", "start_line": 2, "end_line": 2})
	s.expectMarks("a.txt", "1: 1 line removed by patchls-headless")
	for line := range 2 {
		if got := s.actions("a.txt", line); len(got) != 2 {
			t.Errorf("on line %d: %+v", line+1, got)
		}
	}
	s.choose("a.txt", "1: revert")
	if b.Text() != "one\ntwo\n" {
		t.Errorf("%q", b.Text())
	}
	s.edit("delete_lines", args{"path": "a.txt", "start_line": 1, "end_line": 2})
	s.expectMarks("a.txt", "1: 2 lines removed by patchls-headless")
}

// An editor from before code action literals gets commands.
func TestReviewActionsOfOldEditors(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{Capabilities: func(c *protocol.ClientCapabilities) {
		c.TextDocument.CodeAction = nil
	}})
	s.open("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "1"})
	for _, a := range s.actions("a.txt", 0) {
		if !strings.HasPrefix(string(a.Command), `"patchls.`) || a.Kind != "" {
			t.Errorf("%+v", a)
		}
	}
}

func TestReviewSettings(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{Settings: map[string]any{"review": args{"codeLens": false}}})
	s.open("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	if got := s.lenses("a.txt"); len(got) > 0 {
		t.Errorf("%q", got)
	}
	for _, set := range []any{true, "no"} { // what cannot be read is ignored
		if err := s.Notify(t.Context(), "workspace/didChangeConfiguration", args{"settings": args{"patchls": args{"review": args{"codeLens": set}, "agent_socket": false}}}); err != nil {
			t.Fatal(err)
		}
		if got := s.lenses("a.txt"); (len(got) == 3) != (set == true) {
			t.Errorf("%v: %q", set, got)
		}
	}
}

// askedAnew are the methods by which an editor was told to ask anew.
type askedAnew struct {
	mu   sync.Mutex
	all  []string
	came chan struct{}
}

func (r *askedAnew) trace(dir string, raw []byte) {
	var m message
	if dir == "receive" && json.Unmarshal(raw, &m) == nil && strings.HasSuffix(m.Method, "/refresh") {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all = append(r.all, m.Method)
		r.came <- struct{}{}
	}
}

// The editor is told to ask for lenses anew when an agent has changed something and
// when that was reviewed, unless it cannot do so.
func TestReviewRefreshesLenses(t *testing.T) {
	yes := true
	r := &askedAnew{came: make(chan struct{}, 100)}
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{Trace: r.trace, Capabilities: func(c *protocol.ClientCapabilities) {
		c.Workspace.CodeLens = &protocol.CodeLensWorkspaceClientCapabilities{RefreshSupport: &yes}
	}})
	s.open("a.txt")
	step := func(what string, do func()) {
		t.Helper()
		do()
		select {
		case <-r.came:
		case <-time.After(time.Minute):
			t.Fatalf("no refresh after %s", what)
		}
	}
	var e transaction.Result
	for _, review := range []args{{"codeLens": false}, {}} {
		step(fmt.Sprint("settings ", review), func() {
			if err := s.Notify(t.Context(), "workspace/didChangeConfiguration", args{"settings": args{"patchls": args{"review": review}}}); err != nil {
				t.Fatal(err)
			}
		})
	}
	step("an edit", func() { e = s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "1"}) })
	step("keep", func() { run[review.KeepResult](s, "keep", args{"edit_id": e.EditID}) })
	step("undo", func() { s.edit("undo", args{"edit_id": e.EditID}) })
	step("a patch", func() {
		e = s.edit("apply_patch", args{"path": "a.txt", "patch": "@@ -1 +1 @@\n-one\n+1\n"})
	})
	step("revert", func() { s.edit("revert", args{"edit_id": e.EditID, "hunk": 1}) })
}

func TestListSaysWhatIsToBeReviewed(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, headless.Options{})
	b := s.open("a.txt")
	s.edit("edit_lines", args{"path": "a.txt", "edits": []args{{"from": 1, "to": 1}, {"from": 3, "to": 3, "content": "3\nand\nmore"}}})
	if err := b.Insert(0, "typed\n"); err != nil {
		t.Fatal(err)
	}
	got := run[view.Listing](s, "list", args{}).Edits[0]
	want := []view.MarkInfo{{Path: "a.txt", Hunk: 1, StartLine: 1, EndLine: 0}, {Path: "a.txt", Hunk: 2, StartLine: 3, EndLine: 5}}
	if !slices.Equal(got.Marks, want) || got.Agent != "patchls-headless" {
		t.Errorf("%+v", got)
	}
	if at, err := time.Parse(time.RFC3339, got.Time); err != nil || time.Since(at) > time.Hour {
		t.Errorf("%q: %v", got.Time, err)
	}
}
