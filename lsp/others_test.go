package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// asksOthers are the other editors: while they are asked, does is done.
type asksOthers struct {
	does  func() error
	asked *[]string
}

func (asksOthers) Close() {}

func (o asksOthers) MayWrite(_ context.Context, path string) error {
	*o.asked = append(*o.asked, filepath.Base(path))
	return o.does()
}

// Other editors are asked before any command makes a file, also one that makes no other change.
func TestOtherEditorsAreAskedBeforeAFileIsMade(t *testing.T) {
	for command, a := range map[string]args{
		"create":      {"path": "new.txt", "content": "new\n"},
		"write":       {"path": "new.txt", "content": "new\n"},
		"apply_patch": addsFiles("new.txt"),
	} {
		var asked []string
		others := asksOthers{func() error { return errors.New("another editor has unsaved text of it") }, &asked}
		s := startBeside(t, others, nil, headless.Options{})
		f := s.fail(command, a)
		if _, err := os.Stat(s.path("new.txt")); err == nil {
			t.Errorf("%s has made the file", command)
		}
		if f.Kind != "rejected_by_editor" || len(asked) != 1 || asked[0] != "new.txt" {
			t.Errorf("%s: %+v, asked about %q", command, f, asked)
		}
	}
}

// typed types at the top of a buffer, and waits until the server has it.
func typed(s *session, b *headless.Buffer, what string) error {
	if err := b.Insert(0, what); err != nil {
		return err
	}
	return s.Call(context.Background(), "patchls/synced", args{}, nil)
}

// What the user types while other editors are asked is not saved with an edit.
func TestTypingWhileOtherEditorsAreAsked(t *testing.T) {
	var s *session
	var b *headless.Buffer
	var asked []string
	others := asksOthers{func() error { return typed(s, b, "typed ") }, &asked}
	s = startBeside(t, others, map[string]string{"a.txt": "one\n"}, headless.Options{})
	b = s.open("a.txt")
	r := s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two", "save": true})
	if len(asked) != 1 || s.disk("a.txt") != "one\n" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "a.txt was not saved: a.txt was changed before it was saved") {
		t.Errorf("asked about %q, the file has %q, and the notes are %q", asked, s.disk("a.txt"), r.Notes)
	}
}

// Other editors hear of unsaved text also where no agent may see the document.
func TestUnsavedTextOfAProtectedFile(t *testing.T) {
	s := start(t, map[string]string{"secret/a.txt": "one\n"}, headless.Options{Settings: map[string]any{"protected_paths": []string{"secret"}}})
	b := s.open("secret/a.txt")
	if list := run[view.Listing](s, "list", args{}); list.Documents[0].Unsaved {
		t.Errorf("%+v", list.Documents)
	}
	if err := b.Insert(0, "typed "); err != nil {
		t.Fatal(err)
	}
	if list := run[view.Listing](s, "list", args{}); !list.Documents[0].Unsaved || list.Documents[0].Rev != "" {
		t.Errorf("%+v", list.Documents)
	}
}

// Other editors are asked before an editor is asked to edit a file that it then writes itself.
func TestOtherEditorsAreAskedBeforeAnEditorThatWritesAtOnce(t *testing.T) {
	for _, editor := range []string{"kakoune", "zed", "vscode-plugin"} {
		bubble(t, func(t *testing.T) {
			var about []string
			persona, ok := personas.Named(editor)
			if !ok {
				t.Fatal(editor)
			}
			others := asksOthers{func() error { return nil }, &about}
			s := startSession(t, map[string]string{"a.txt": "one\n"}, persona.Options(headless.Options{}), func(*session) func(time.Duration) <-chan time.Time { return nil }, func(o *lsp.Options) {
				o.Others = func() transaction.Others { return others }
			})
			s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
			if written := s.disk("a.txt") == "two\n"; written != (len(about) > 0) {
				t.Errorf("%s has written the file: %v, and others were asked about %q", editor, written, about)
			}
		})
	}
}

// A command that waits for an earlier one looks anew which open document its file is. What was a hard link to a file may be
// another file by then, as where a program has saved by renaming.
func TestAFileThatIsReplacedWhileACommandWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var s *session
		var about []string
		second := make(chan string, 1)
		others := asksOthers{func() error {
			if len(about) > 1 {
				return nil
			}
			go func() {
				raw, err := s.Execute(context.Background(), "patchls.apply_patch", args{"patch": "*** Begin Patch\n*** Update File: link.txt\n@@\n-three\n+3\n*** End Patch\n"})
				second <- fmt.Sprintf("%s %v", raw, err)
			}()
			pass(time.Second)
			if err := os.WriteFile(s.path("new~"), []byte("one\nthree\n"), 0o600); err != nil {
				return err
			}
			return os.Rename(s.path("new~"), s.path("a.txt"))
		}, &about}
		s = startSession(t, map[string]string{"a.txt": "one\nthree\n"}, headless.Options{}, func(*session) func(time.Duration) <-chan time.Time { return nil }, func(o *lsp.Options) {
			o.Others = func() transaction.Others { return others }
		})
		if err := os.Link(s.path("a.txt"), s.path("link.txt")); err != nil {
			t.Fatal(err)
		}
		b := s.open("a.txt")
		s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "1", "save": true})
		if said := <-second; !strings.Contains(said, `"path":"link.txt"`) || b.Text() != "1\nthree\n" {
			t.Errorf("%s, and the buffer has %q", said, b.Text())
		}
	})
}
