package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// twoFiles is a patch of two files.
const twoFiles = "*** Begin Patch\n*** Delete File: b\n*** Update File: d/x\n@@\n-x\n+X\n*** End Patch\n"

func wantUntouched(t *testing.T, root string) {
	t.Helper()
	if b, x := liveeditor.OnDisk(t, filepath.Join(root, "b")), liveeditor.OnDisk(t, filepath.Join(root, "d", "x")); b != "precious\n" || x != "x\n" {
		t.Errorf("disk has %q and %q", b, x)
	}
}

// A patch of which one file cannot be saved changes nothing on disk, and is no edit that
// could be taken back.
func TestAPatchIsSavedWholeOrNotAtAll(t *testing.T) {
	if os.Geteuid() == 0 && !asAnotherUser(t) { // root may write to every folder
		return
	}
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"b": "precious\n", "d/x": "x\n"})
	if err := os.Chmod(filepath.Join(root, "d"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "d"), 0o755) })
	code, out, errs := commandLine(t, twoFiles, "apply", "-", "--save", "--root", root)
	if code != 1 || out != "" || !strings.Contains(errs, "The edit of d/x was not saved, and nothing on disk was changed: ") || !strings.Contains(errs, "permission denied") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	wantUntouched(t, root)
	_, out, _ = commandLine(t, twoFiles, "apply", "-", "--save", "--json", "--root", root)
	if !strings.Contains(out, `"kind": "rejected_by_editor"`) || !strings.Contains(out, `"path": "d/x"`) {
		t.Error(out)
	}
	c := startMCP(t, "--root", root)
	if a := c.call("apply_patch", map[string]any{"patch": twoFiles}); !a.IsError || !strings.Contains(a.Content[0].Text, "nothing on disk was changed") {
		t.Errorf("%+v", a)
	}
	wantUntouched(t, root)
	if a := c.call("undo", map[string]any{}); !a.IsError {
		t.Errorf("undo: %+v", a)
	}
	if a := c.call("str_replace", map[string]any{"path": "b", "old_str": "precious", "new_str": "kept"}); a.IsError || liveeditor.OnDisk(t, filepath.Join(root, "b")) != "kept\n" {
		t.Errorf("the next command: %+v", a)
	}
}

// The same holds if another program writes one of the files before the save; the error
// can be sent to a client.
func TestAPatchIsNotSavedOverAnotherProgram(t *testing.T) {
	root := liveeditor.Folder(t, map[string]string{"b": "precious\n", "d/x": "x\n"})
	e, err := embedded(t.Context(), root, nil, lsp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	raw, err := e.Execute(t.Context(), agent.Call{Command: "apply_patch", Arguments: map[string]any{"patch": twoFiles}})
	var edit transaction.Result
	if err != nil || json.Unmarshal(raw, &edit) != nil || len(edit.Files) != 2 {
		t.Fatalf("%v: %s", err, raw)
	}
	if err := os.WriteFile(filepath.Join(root, "d", "x"), []byte("theirs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused, ok := errors.AsType[*jsonrpc2.Error](saved(&edit, e.SaveAll(edit.Files[0].URI, edit.Files[1].URI)))
	if !ok || !strings.Contains(string(refused.Data), `"rejected_by_editor"`) ||
		!strings.HasSuffix(refused.Message, "x was changed by another program since it was read; send the command again.") {
		t.Errorf("%v", refused)
	}
	if b, x := liveeditor.OnDisk(t, filepath.Join(root, "b")), liveeditor.OnDisk(t, filepath.Join(root, "d", "x")); b != "precious\n" || x != "theirs\n" {
		t.Errorf("disk has %q and %q", b, x)
	}
}

// A file that is on disk but might be lost in a crash counts as saved, with a note, and not as refused.
func TestASaveThatMayNotLast(t *testing.T) {
	r := transaction.Result{Files: []transaction.FileResult{{URI: "file:///a", Dirty: true}}}
	broken := fmt.Errorf("save /a: %w: broken disk", disk.ErrNotDurable)
	if err := saved(&r, &headless.SaveError{URI: "file:///a", Err: broken}); err != nil {
		t.Error(err)
	}
	if f := r.Files[0]; !f.Saved || f.Dirty || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "broken disk") {
		t.Errorf("%+v", r)
	}
}

// A script still runs after a patch has moved it, and after it was deleted and that was
// undone.
func TestAPatchKeepsTheMode(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a": "x\n"})
	if err := os.Chmod(filepath.Join(root, "a"), 0o751); err != nil {
		t.Fatal(err)
	}
	c := startMCP(t, "--root", root)
	for _, step := range []struct{ patch, there string }{
		{"*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n", "b"},
		{"*** Delete File: b\n", ""},
		{"", "b"},
		{"", "a"},
	} {
		tool, arguments := "undo", map[string]any{}
		if step.patch != "" {
			tool, arguments = "apply_patch", map[string]any{"patch": "*** Begin Patch\n" + step.patch + "*** End Patch\n"}
		}
		answer := c.call(tool, arguments)
		if answer.IsError {
			t.Fatalf("%q: %+v", step.patch, answer)
		}
		if step.there == "" {
			continue
		}
		if info, err := os.Stat(filepath.Join(root, step.there)); err != nil || info.Mode() != 0o751 {
			t.Errorf("%q: %s: %v, %v", step.patch, step.there, info, err)
		}
	}
}

// TestTheEmbeddedEditorStaysInItsRoot: it does so even if it is used without its server.
func TestTheEmbeddedEditorStaysInItsRoot(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(outside, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := embedded(t.Context(), root, nil, lsp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	if b, err := e.Open(outside); err == nil {
		t.Errorf("it has read %q", b.Text())
	}
}

// says is an editor that gives one answer.
type says string

func (s says) Execute(context.Context, agent.Call) (json.RawMessage, error) {
	return json.RawMessage(s), nil
}

// An editor may say that it has saved a file, and not have written it.
func TestASaveThatWroteNothing(t *testing.T) {
	edited := &transaction.Result{Files: []transaction.FileResult{{Path: "a.txt", URI: "file:///a.txt"}}}
	err := saveLive(t.Context(), says(`{"files":[{"uri":"file:///a.txt","saved":false,"dirty":true}]}`), edited)
	if err == nil || !strings.Contains(err.Error(), "a.txt, and the file has another text") {
		t.Errorf("got %v", err)
	}
}

// Of several files an editor may save some: the error says which, and no note counts them all as unsaved.
func TestASaveOfSomeFiles(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	liveeditor.Start(t, root, headless.Options{Disk: disk.Disk{AllowSave: func(path string) error {
		if filepath.Base(path) == "b.txt" {
			return errors.New("not this one")
		}
		return nil
	}}})
	const both = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Update File: b.txt\n@@\n-one\n+two\n*** End Patch\n"
	code, out, errs := commandLine(t, both, "apply", "-", "--save", "--root", root)
	if code != 1 || strings.Contains(out+errs, "unsaved") || !strings.Contains(errs, "Saved before that: a.txt") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
}
