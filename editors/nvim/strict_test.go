//go:build unix

package nvim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An edit of a text that is not the editor's any more is refused, at version 0 as well,
// with typing that was not told yet, and of a file that is not open.
func TestStaleEditsAreRefused(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"}, options{args: []string{"a.txt"}}, newest)
	s.opened("a.txt")
	s.refuses(s.apply(insertion(s.uri("b.txt"), 0, "new")), 0, "is not open any more")
	s.keys("Atyped<Esc>")
	s.until("what was typed", func() bool { return s.text("a.txt") == "onetyped" })
	s.refuses(s.apply(insertion(s.uri("a.txt"), 0, "new")), 0, "the edit is for version 0")
	if got := s.text("a.txt"); got != "onetyped" {
		t.Errorf("the buffer has %q", got)
	}
	s.refuses(s.apply(insertion(s.uri("a.txt"), s.versions[s.uri("a.txt")]+1, "new")), 0, "is at version")
	s.refuses(s.apply(insertion(s.uri("a.txt"), nil, "new")), 0, "is open in the editor")
	var v verdict
	s.ask("workspace/applyEdit", map[string]any{"edit": map[string]any{"changes": map[string]any{s.uri("a.txt"): []any{}}}}, &v)
	if v.Applied || !strings.Contains(v.FailureReason, "without versions") {
		t.Errorf("the answer is %+v", v)
	}
	s.order = nil
	if v := s.apply(insertion(s.uri("a.txt"), s.versions[s.uri("a.txt")], "new")); !v.Applied {
		t.Errorf("the answer is %+v", v)
	}
	if !s.ordered("textDocument/didChange", "patchls/synced", "answer") {
		t.Errorf("the answer came before the text: %v", s.order)
	}
	if got := s.text("a.txt"); got != "new\nonetyped" {
		t.Errorf("the buffer has %q", got)
	}
}

// An edit waits until an operator has its motion, since the operator would act on other text:
// after "d" and an edit that puts a line in above, "w" would delete the line before as well.
func TestEditsWaitForAMotion(t *testing.T) {
	for keys, want := range map[string]struct {
		text    string
		applied bool
	}{
		"w":     {"one\n\nthree", false}, // it has changed the text that the edit is for
		"<Esc>": {"new\none\ntwo\nthree", true},
		"":      {"one\ntwo\nthree", false}, // the user thinks
	} {
		s := standInFor(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, options{args: []string{"a.txt"}}, newest)
		s.opened("a.txt")
		s.keys("2Gd")
		s.wait(`vim.api.nvim_get_mode().mode == "no"`)
		id := s.request("workspace/applyEdit", map[string]any{"edit": map[string]any{"documentChanges": []any{insertion(s.uri("a.txt"), s.versions[s.uri("a.txt")], "new")}}})
		s.wait(`#vim.api.nvim_get_autocmds({ event = "ModeChanged" }) == 1`)
		s.keys(keys)
		var v verdict
		s.answer(id, &v)
		if got := s.text("a.txt"); got != want.text || v.Applied != want.applied {
			t.Errorf("after %q the buffer has %q, and the answer is %+v", keys, got, v)
		}
	}
}

// Of several documents none is touched where one is refused.
func TestAllDocumentsOrNone(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"}, options{args: []string{"a.txt", "b.txt"}}, newest)
	s.opened("a.txt")
	s.lua(`vim.cmd("edit b.txt")`)
	s.opened("b.txt")
	a, b, c := s.uri("a.txt"), s.uri("b.txt"), s.uri("c.txt")
	at := func(uri string) int { return s.versions[uri] }
	s.refuses(s.apply(insertion(a, at(a), "new"), insertion(c, nil, "new"), insertion(b, at(b)+1, "new")), 2, "version")
	s.lua(`vim.bo.modifiable = false`)
	s.refuses(s.apply(insertion(a, at(a), "new"), insertion(b, at(b), "new")), 1, "not 'modifiable'")
	s.lua(`vim.bo.modifiable = true
		vim.bo.readonly = true`)
	s.refuses(s.apply(insertion(a, at(a), "new"), insertion(b, at(b), "new")), 1, "read-only")
	s.lua(`vim.bo.readonly = false`)
	s.refuses(s.apply(insertion(a, at(a), "new"), insertion("untitled:Untitled-1", nil, "new")), 1, "is no file")
	s.refuses(s.apply(insertion(a, at(a), "new"), insertion("file://"+s.dir, nil, "new")), 1, "directory")
	if s.text("a.txt") != "a" || s.text("b.txt") != "b" {
		t.Errorf("the buffers have %q and %q", s.text("a.txt"), s.text("b.txt"))
	}
	if v := s.apply(insertion(a, at(a), "new"), insertion(b, at(b), "new")); !v.Applied {
		t.Errorf("the answer is %+v", v)
	}
	if s.text("a.txt") != "new\na" || s.text("b.txt") != "new\nb" {
		t.Errorf("the buffers have %q and %q", s.text("a.txt"), s.text("b.txt"))
	}
}

// Agents who are paused stay so when the server dies while the user takes an edit back.
func TestPausedAfterTheServerDied(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}}, newest)
	s.opened("a.txt")
	s.lua(`vim.cmd("Patchls pause")
		vim.cmd("Patchls undo")`)
	s.next("patchls/execute")
	s.expect(`require("patchls.edits").is_own()`, true)
	if err := s.conn.Close(); err != nil {
		t.Fatal(err)
	}
	s.wait(`#vim.lsp.get_clients() == 0`)
	s.wait(`not require("patchls.edits").is_own()`)
}

// A file that another Neovim has open is not edited, however often it is asked for.
func TestSwapFile(t *testing.T) {
	files := map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "sub/c.txt": "c\n"}
	s := standInFor(t, files, options{args: []string{"a.txt"}}, newest)
	s.opened("a.txt")
	other := *s.editor
	other.socket = filepath.Join(filepath.Dir(s.socket), "other.sock")
	other.run(options{args: []string{s.path("b.txt")}, config: `{ attach = function() return false end }`})
	other.keys("Atyped<Esc>")
	other.lua(`vim.cmd("preserve")`)
	for range 3 {
		s.refuses(s.apply(insertion(s.uri("b.txt"), nil, "new")), 0, "E325: "+s.path("b.txt")+" has the swap file")
	}
	s.expect(`vim.fn.bufnr("b.txt")`, -1)
	s.lua(`vim.cmd("badd b.txt")`) // the user's own list of buffers stays
	s.refuses(s.apply(insertion(s.uri("b.txt"), nil, "new")), 0, "E325")
	s.expect(`vim.fn.buflisted("b.txt") .. vim.fn.bufloaded("b.txt")`, "10")
	if _, open := s.versions[s.uri("b.txt")]; open {
		t.Error("the server was told of b.txt")
	}
	s.expect(`vim.o.shortmess:find("A")`, nil)
	s.expect(`vim.fn.execute("messages"):find("swap")`, nil)
	// One of the same name elsewhere is none of its business.
	s.lua(`vim.o.directory = vim.fn.expand("~")`)
	other.lua(`vim.o.directory = vim.fn.expand("~")
		vim.cmd("edit sub/c.txt")`)
	if v := s.apply(insertion(s.uri("c.txt"), nil, "new")); !v.Applied {
		t.Errorf("the answer is %+v", v)
	}
	if out, err := other.remote("--remote-send", ":quitall!<CR>"); err != nil {
		t.Logf("%v: %s", err, out) // it is gone before it answers
	}
	s.lua(`vim.cmd("set directory&")`)
	s.until("the swap file to go", func() bool { return s.apply(insertion(s.uri("b.txt"), nil, "new")).Applied })
}

// What Neovim's own handler does without a word is refused.
func TestFileOperations(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"}, options{args: []string{"a.txt"}}, newest)
	s.opened("a.txt")
	operation := func(kind string, more map[string]any) any {
		more["kind"] = kind
		return more
	}
	s.refuses(s.apply(operation("create", map[string]any{"uri": s.uri("b.txt")})), 0, "exists")
	s.refuses(s.apply(operation("rename", map[string]any{"oldUri": s.uri("a.txt"), "newUri": s.uri("b.txt")})), 0, "exists")
	s.keys("Atyped<Esc>")
	s.until("what was typed", func() bool { return s.text("a.txt") == "atyped" })
	s.refuses(s.apply(operation("delete", map[string]any{"uri": s.uri("a.txt")})), 0, "unsaved")
	if s.disk("a.txt") != "a\n" || s.disk("b.txt") != "b\n" {
		t.Errorf("disk has %q and %q", s.disk("a.txt"), s.disk("b.txt"))
	}
	if v := s.apply(operation("delete", map[string]any{"uri": s.uri("b.txt")})); !v.Applied {
		t.Errorf("the answer is %+v", v)
	}
	if _, err := os.Stat(s.path("b.txt")); !os.IsNotExist(err) {
		t.Errorf("b.txt is there: %v", err)
	}
}

// Where Neovim cannot change text at the moment, the answer says so.
func TestTextLock(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "a\n"}, options{args: []string{"a.txt"}}, newest)
	s.opened("a.txt")
	s.lua(`vim.keymap.set("n", "X", function()
			vim.g.locked = 1
			vim.wait(15000, function() return vim.g.locked == 0 end)
			return "x"
		end, { expr = true })`)
	s.keys("X")
	v := s.apply(insertion(s.uri("a.txt"), 0, "new"))
	s.lua(`vim.g.locked = 0`)
	s.refuses(v, 0, "E565")
	s.until("the key", func() bool { return s.text("a.txt") == "" })
	s.expect(marked, "")
}

// While Neovim shows what a command would do it tells no server of any change, so nothing
// is done then; at any other command line everything is.
func TestPreviewOfACommand(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	command := func(keys string) {
		t.Helper()
		if out, err := e.remote("--remote-send", keys); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		want := strings.TrimLeft(keys, ":")
		e.wait(`vim.fn.getcmdline() == "` + want + `"`)
	}
	command(":s/one/uno")
	if _, err := a.try("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"}); err == nil || !strings.Contains(err.Error(), "inccommand") {
		t.Errorf("the error is %v", err)
	}
	if _, err := a.try("save", args{"paths": []string{"a.txt"}}); err == nil || !strings.Contains(err.Error(), "inccommand") {
		t.Errorf("the error is %v", err)
	}
	e.keys("<CR>")
	e.until("the command", func() bool { return e.text("a.txt") == "uno\ntwo" })
	a.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	command(":write")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "2", "new_str": "3"})
	e.keys("<C-c>")
	if got := e.text("a.txt"); got != "uno\n3" {
		t.Errorf("the buffer has %q", got)
	}
}

func TestPause(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.lua(`vim.cmd("Patchls pause")`)
	if _, err := a.try("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "three"}); err == nil || !strings.Contains(err.Error(), "agents are paused in this editor") {
		t.Errorf("the error is %v", err)
	}
	if _, err := a.try("save", args{"paths": []string{"a.txt"}}); err == nil || !strings.Contains(err.Error(), "agents are paused in this editor") {
		t.Errorf("the error is %v", err)
	}
	if got := e.text("a.txt"); got != "two" {
		t.Errorf("the buffer has %q", got)
	}
	e.lua(`vim.cmd("Patchls undo")`) // which is the user's
	e.until("the edit to be taken back", func() bool { return e.text("a.txt") == "one" })
	e.lua(`vim.cmd("Patchls resume")`)
	a.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "four"})
}
