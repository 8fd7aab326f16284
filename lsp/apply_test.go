package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
)

// answering returns options of an editor that answers applyEdit by f alone.
func answering(f personas.ApplyEditFunc) headless.Options {
	return headless.Options{Habits: personas.Decides(f)}
}

type (
	applyParams = headless.ApplyEditParams
	applyResult = headless.ApplyEditResult
	applyNext   = func(*applyParams) applyResult
)

var oneToTwo = args{"path": "a.txt", "old_str": "one", "new_str": "two"}

func TestRefusalIsReportedWithItsReason(t *testing.T) {
	for name, no := range map[string]applyResult{
		"false":         {FailureReason: "out of paper"},
		"null":          {Raw: json.RawMessage("null")},
		"a lone string": {Raw: json.RawMessage(`"no"`)},
	} {
		s := start(t, map[string]string{"a.txt": "one\n"}, answering(
			func(context.Context, *headless.Editor, *applyParams, applyNext) (applyResult, error) { return no, nil }))
		b := s.open("a.txt")
		f := s.fail("str_replace", oneToTwo)
		if f.Kind != "rejected_by_editor" || f.Code != -32803 || !strings.Contains(f.Message, no.FailureReason) {
			t.Errorf("%s: %+v", name, f)
		}
		if b.Text() != "one\n" {
			t.Errorf("%s: buffer is %q", name, b.Text())
		}
	}
}

func TestErrorForAnAnswerIsARefusal(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(context.Context, *headless.Editor, *applyParams, applyNext) (applyResult, error) {
			return applyResult{}, errors.New("jsonrpc-error: require version 7, you have 8")
		}))
	s.open("a.txt")
	if f := s.fail("str_replace", oneToTwo); f.Kind != "rejected_by_editor" || !strings.Contains(f.Message, "require version 7") {
		t.Errorf("%+v", f)
	}
}

// Stock Neovim drops a stale edit and says that it applied it: "applied: true"
// proves nothing (hazard: applied-true).
func TestYesWithoutTheEditIsTriedFiveTimesAndThenReported(t *testing.T) {
	var tries atomic.Int32
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(context.Context, *headless.Editor, *applyParams, applyNext) (applyResult, error) {
			tries.Add(1)
			return applyResult{Applied: true}, nil
		}))
	s.open("a.txt")
	f := s.fail("str_replace", oneToTwo)
	if f.Kind != "not_settled" || tries.Load() != 5 {
		t.Errorf("kind %s after %d tries: %s", f.Kind, tries.Load(), f.Message)
	}
}

func TestEditThatLandsAtTheThirdTry(t *testing.T) {
	var tries atomic.Int32
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			if tries.Add(1) < 3 {
				return applyResult{Applied: true}, nil
			}
			return next(p), nil
		}))
	b := s.open("a.txt")
	if r := s.edit("str_replace", oneToTwo); !r.Verified || b.Text() != "two\n" {
		t.Errorf("%+v, buffer %q", r, b.Text())
	}
}

// The user types between plan and applyEdit: the editor refuses the old
// version, and the edit is planned again on the text as it is by then.
func TestEditIsPlannedAgainAfterTyping(t *testing.T) {
	var typed atomic.Bool
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			if typed.CompareAndSwap(false, true) {
				b, _ := e.Buffer("a.txt")
				if err := b.Insert(0, "typed\n"); err != nil {
					return applyResult{}, err
				}
			}
			return next(p), nil
		}))
	b := s.open("a.txt")
	r := s.edit("str_replace", oneToTwo)
	if !r.Verified || b.Text() != "typed\ntwo\n" || !strings.Contains(r.Message, "line 2") {
		t.Errorf("%+v, buffer %q", r, b.Text())
	}
}

// The user closes the document and opens it again between plan and applyEdit: the
// editor refuses the old version, though the text is the same.
func TestEditIsPlannedAgainAfterClosingAndOpening(t *testing.T) {
	var closed atomic.Bool
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			if closed.CompareAndSwap(false, true) { // the text is the same, and the version is not
				e.Buffers()[0].Close()
				if _, err := e.Open("a.txt"); err != nil {
					return applyResult{}, err
				}
			}
			return next(p), nil
		}))
	b := s.open("a.txt")
	for _, change := range []string{"1", ""} { // so that the versions differ
		if err := b.Replace(0, 1-len(change), change); err != nil {
			t.Fatal(err)
		}
	}
	r := s.edit("str_replace", oneToTwo)
	if b, ok := s.Buffer("a.txt"); !r.Verified || !ok || b.Text() != "two\n" {
		t.Errorf("%+v, buffers %v", r, s.Buffers())
	}
}

func TestEditorThatNeverAnswers(t *testing.T) {
	var s *session
	s = start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(ctx context.Context, _ *headless.Editor, _ *applyParams, _ applyNext) (applyResult, error) {
			close(s.timeUp)
			<-ctx.Done()
			return applyResult{}, ctx.Err()
		}))
	s.open("a.txt")
	if f := s.fail("str_replace", oneToTwo); f.Kind != "timeout" || !strings.Contains(f.Message, "apply_timeout_ms") {
		t.Errorf("%+v", f)
	}
}

// The text decides: it has the edit, though the editor never answers.
func TestEditIsVerifiedWithoutAnAnswer(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(ctx context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			next(p)
			<-ctx.Done()
			return applyResult{}, ctx.Err()
		}))
	s.open("a.txt")
	if r := s.edit("str_replace", oneToTwo); !r.Verified {
		t.Errorf("%+v", r)
	}
}

func TestEditorThatDiesInTheMiddle(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(_ context.Context, e *headless.Editor, _ *applyParams, _ applyNext) (applyResult, error) {
			e.Kill()
			return applyResult{}, nil
		}))
	s.open("a.txt")
	if _, err := s.Execute(context.Background(), "patchls.str_replace", oneToTwo); !errors.Is(err, headless.ErrServerGone) {
		t.Errorf("got %v", err)
	}
	<-s.done
	s.done <- nil // for the cleanup
}

func TestCancelBeforeTheEditIsSent(t *testing.T) {
	c := startInitialized(t, t.TempDir())
	c.open(doc, "one\n")
	c.strReplace(7, "one", "two")
	m := c.request("workspace/applyEdit")
	c.strReplace(8, "one", "three") // waits for the first
	c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":8}}`)
	late := c.answer("8")
	c.wantError(late, -32800)
	if !strings.Contains(string(late.Error.Data), `"kind":"cancelled"`) {
		t.Errorf("data %s", late.Error.Data)
	}
	c.change(doc, `[{"text":"two\n"}]`)
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, m.ID)
	if m := c.answer("7"); m.Error != nil || !strings.Contains(string(m.Result), `"verified":true`) {
		t.Errorf("%+v %s", m.Error, m.Result)
	}
}

// Once the edit is sent, a cancel comes too late: the answer is the truth.
func TestCancelAfterTheEditIsSent(t *testing.T) {
	root := t.TempDir()
	c := startInitialized(t, root)
	c.open(doc, "one\n")
	c.strReplace(7, "one", "two")
	m := c.request("workspace/applyEdit")
	c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`)
	c.change(doc, `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"text":"two"}]`)
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, m.ID)
	if m := c.answer("7"); m.Error != nil || !strings.Contains(string(m.Result), `"verified":true`) {
		t.Errorf("%+v %s", m.Error, m.Result)
	}
}

func TestClientWithoutApplyEditGetsTheWorkspaceEdit(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) { c.Workspace.ApplyEdit = nil },
	})
	b := s.open("a.txt")
	r := s.edit("str_replace", oneToTwo)
	var edit struct {
		DocumentChanges []struct {
			TextDocument struct {
				URI     string
				Version *int32
			}
			Edits []protocol.TextEdit
		}
	}
	if err := json.Unmarshal(r.WorkspaceEdit, &edit); err != nil {
		t.Fatalf("%v in %s", err, r.WorkspaceEdit)
	}
	change := edit.DocumentChanges[0]
	if r.Applied || r.Verified || change.TextDocument.URI != b.URI() || *change.TextDocument.Version != b.Version() || change.Edits[0].NewText == "" {
		t.Errorf("%+v", r)
	}
	if b.Text() != "one\n" {
		t.Errorf("buffer is %q", b.Text())
	}
}

func TestClosedFileIsEditedThroughTheEditor(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "\uFEFFone\r\nend\r\n"}, headless.Options{})
	r := s.edit("str_replace", oneToTwo)
	if f := r.Files[0]; !r.Verified || !f.Open || !f.Dirty || f.Saved {
		t.Errorf("%+v", r)
	}
	b, ok := s.Buffer("a.txt")
	if !ok || b.Text() != "two\r\nend\r\n" {
		t.Fatalf("buffer %v", b)
	}
	if got := s.disk("a.txt"); got != "\uFEFFone\r\nend\r\n" {
		t.Errorf("disk was changed: %q", got)
	}
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	if got := s.disk("a.txt"); got != "\uFEFFtwo\r\nend\r\n" {
		t.Errorf("saved as %q", got)
	}
}

// The editor edits a closed file and never reports it: nothing proves the edit, and the
// answer says so.
func TestClosedFileOfWhichTheEditorNeverTells(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(context.Context, *headless.Editor, *applyParams, applyNext) (applyResult, error) {
			return applyResult{Applied: true}, nil
		}))
	r := s.edit("str_replace", oneToTwo)
	if !r.Applied || r.Verified || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "not verified") {
		t.Errorf("%+v", r)
	}
}

// kakoune-lsp writes closed files itself (hazard: writes-to-disk).
func TestClosedFileThatTheEditorWrites(t *testing.T) {
	var path string
	s := start(t, map[string]string{"a.txt": "one\n"}, answering(
		func(context.Context, *headless.Editor, *applyParams, applyNext) (applyResult, error) {
			writeFile(t, path, "two\n")
			return applyResult{Applied: true}, nil
		}))
	path = s.path("a.txt")
	r := s.edit("str_replace", oneToTwo)
	if f := r.Files[0]; !r.Verified || !f.Saved || f.Open || f.Dirty {
		t.Errorf("%+v", r)
	}
}

func TestSavedTextIsAChecksum(t *testing.T) {
	for _, test := range []struct {
		saved string
		drift bool
	}{
		{"one\ntwo\n", false},
		{"one\r\ntwo\r\n", false}, // line ends may be converted on save
		{"one\ntwo", false},       // a final newline may come or go without a word
		{"one\nTWO\n", true},
	} {
		c := startInitialized(t, t.TempDir())
		c.open(doc, "one\ntwo\n")
		c.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":%s}}`, doc, quote(test.saved))
		m := c.view(doc)
		if (m.Error != nil) != test.drift {
			t.Errorf("saved %q: %+v", test.saved, m.Error)
		}
	}
}

// Line numbers refer to the text that the command found. When the user then types above
// those lines, the numbers move along; when the user types in them, nothing is edited.
func TestLineNumbersGoAlongWithTyping(t *testing.T) {
	for name, test := range map[string]struct {
		typeAt  int
		command string
		args    args
		want    string
		kind    string
	}{
		"delete, typed above":  {0, "delete_lines", args{"start_line": 2, "end_line": 2}, "typed\na\nc\nd\n", ""},
		"batch, typed above":   {0, "edit_lines", args{"edits": []args{{"from": 3, "to": 3, "content": "C"}}}, "typed\na\nb\nC\nd\n", ""},
		"insert, typed above":  {0, "insert", args{"before_line": 4, "content": "x"}, "typed\na\nb\nc\nx\nd\n", ""},
		"delete, typed below":  {6, "delete_lines", args{"start_line": 2, "end_line": 2}, "a\nc\ntyped\nd\n", ""},
		"delete, typed inside": {3, "delete_lines", args{"start_line": 2, "end_line": 2}, "a\nbtyped\n\nc\nd\n", "stale"},
	} {
		t.Run(name, func(t *testing.T) {
			var typed atomic.Bool
			s := start(t, map[string]string{"a.txt": "a\nb\nc\nd\n"}, answering(
				func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
					if b, _ := e.Buffer("a.txt"); typed.CompareAndSwap(false, true) {
						if err := b.Insert(test.typeAt, "typed\n"); err != nil {
							return applyResult{}, err
						}
					}
					return next(p), nil
				}))
			b := s.open("a.txt")
			test.args["path"] = "a.txt"
			if test.kind != "" {
				if f := s.fail(test.command, test.args); string(f.Kind) != test.kind {
					t.Errorf("%+v", f)
				}
			} else if r := s.edit(test.command, test.args); !r.Verified || !r.Rebased {
				t.Errorf("%+v", r)
			}
			if b.Text() != test.want {
				t.Errorf("buffer %q, want %q", b.Text(), test.want)
			}
		})
	}
}
