//go:build unix

package nvim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// outcome is what came of a command that the user was asked about.
type outcome struct {
	answer answer
	err    error
}

// proposes has an agent send an edit that the user is to be asked about.
func (c *client) proposes(command string, arguments args) <-chan outcome {
	arguments["confirm"] = true
	done := make(chan outcome, 1)
	go func() {
		a, err := c.try(command, arguments)
		done <- outcome{a, err}
	}()
	return done
}

// asked starts an editor in which an agent has asked about an edit.
func asked(t *testing.T) (*editor, *client, <-chan outcome) {
	t.Helper()
	e := start(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	done := a.proposes("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	e.told("an edit waits for :Patchls answer (a tester: a.txt)")
	e.expect(noticed, "an edit waits for :Patchls answer (a tester: a.txt)")
	e.expect("vim.api.nvim_get_current_win() == vim.fn.win_getid(1)", true)
	return e, a, done
}

// noticed is what the corner of the screen says.
const noticed = `table.concat(vim.tbl_map(function(win)
	local is_notice = vim.api.nvim_win_get_config(win).relative == "editor"
	return is_notice and vim.trim(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)[1]) or ""
end, vim.api.nvim_tabpage_list_wins(0)), "")`

// looks opens the question.
func (e *editor) looks() {
	e.t.Helper()
	e.lua(`vim.cmd("Patchls answer")`)
	e.expect("#vim.api.nvim_list_tabpages()", 2)
	e.expect(`table.concat(vim.tbl_map(function(win)
		return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), "|") .. tostring(vim.wo[win].diff)
	end, vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_tabpage_list_wins(0))), " ")`, "one|twotrue one|2true")
}

// closed sees that the question is gone, and the user back in their text.
func (e *editor) closed() {
	e.t.Helper()
	e.wait("#vim.api.nvim_list_tabpages() == 1")
	e.expect("vim.fn.bufname()", "a.txt")
	e.expect(`#vim.tbl_filter(function(win) return vim.api.nvim_win_get_config(win).relative == "" end, vim.api.nvim_list_wins())`, 1)
}

func rejected(t *testing.T, o outcome, words string) {
	t.Helper()
	if o.err == nil || !strings.Contains(o.err.Error(), "The user rejected the edit of a.txt") || !strings.Contains(o.err.Error(), words) {
		t.Errorf("%+v, %v", o.answer, o.err)
	}
}

func TestConfirm(t *testing.T) {
	e, a, done := asked(t)
	e.keys("Otyped<Esc>") // meanwhile
	a.sees(e, "a.txt", "typed")
	a.edit("str_replace", args{"path": "b.txt", "old_str": "b", "new_str": "c"})
	e.looks()
	e.waitFor(noticed, "")
	e.keys("q")
	e.closed()
	e.waitFor(noticed, "an edit waits for :Patchls answer (a tester: a.txt)")
	e.expect(`vim.fn.execute("Patchls"):find("an edit waits") ~= nil`, true)
	if got := e.health(); !strings.Contains(got, "an edit waits for :Patchls answer") {
		t.Errorf("checkhealth says %s", got)
	}
	e.looks()
	e.lua(`vim.cmd("tabfirst | Patchls answer")`) // which is open already
	e.expect("#vim.api.nvim_list_tabpages()", 2)
	e.keys("a")
	if o := <-done; o.err != nil || !o.answer.Applied || !o.answer.Verified {
		t.Errorf("%+v, %v", o.answer, o.err)
	}
	e.closed()
	if got := e.text("a.txt"); got != "typed\none\n2" {
		t.Errorf("the buffer has %q", got)
	}
	e.expect(marked, "PatchlsEdit[2]")
	e.waitFor(shown, lensesOf(3))
	e.lua(`vim.cmd("Patchls answer")`)
	e.noted("no agent waits for an answer")
}

func TestConfirmRejected(t *testing.T) {
	for name, reject := range map[string]func(e *editor) string{
		"key": func(e *editor) string {
			e.looks()
			e.keys("r")
			return ""
		},
		"key and word": func(e *editor) string {
			e.lua(`vim.ui.input = function(opts, done) done(opts.prompt:find("a tester") and "too short") end`)
			e.looks()
			e.keys("R")
			return "too short"
		},
		"command": func(e *editor) string {
			e.lua(`vim.cmd("Patchls answer reject not | now")`)
			return "not | now"
		},
		"choice": func(e *editor) string {
			e.pick("Reject")
			e.lua(`vim.cmd("Patchls! answer")`)
			return ""
		},
		"choice and word": func(e *editor) string {
			e.lua(`vim.ui.input = function(_, done) done("never") end`)
			e.pick("Reject, and say why")
			e.lua(`vim.cmd("Patchls! answer")`)
			return "never"
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, _, done := asked(t)
			words := reject(e)
			rejected(t, <-done, words)
			e.closed()
			if got := e.text("a.txt"); got != "one\ntwo" {
				t.Errorf("the buffer has %q", got)
			}
			e.expect("#NOTES", 1)
		})
	}
}

// Who thinks better of saying why is still asked.
func TestConfirmWithoutAWord(t *testing.T) {
	e, _, done := asked(t)
	e.lua(`vim.ui.input = function(_, done) done(nil) end`)
	e.looks()
	e.keys("R")
	e.expect("#vim.api.nvim_list_tabpages()", 2)
	e.keys("a")
	if o := <-done; o.err != nil {
		t.Error(o.err)
	}
	e.closed()
}

// A user who types is not disturbed.
func TestConfirmWhileTyping(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.keys("Oty")
	done := a.proposes("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	e.told("an edit waits for :Patchls answer")
	e.expect("vim.api.nvim_get_mode().mode", "i")
	e.keys("ped")
	e.until("what was typed", func() bool { return e.text("a.txt") == "typed\none\ntwo" })
	e.waitFor(noticed, "an edit waits for :Patchls answer (a tester: a.txt)")
	e.keys("<Esc>")
	e.lua(`vim.cmd("Patchls answer apply")`)
	if o := <-done; o.err != nil {
		t.Error(o.err)
	}
	e.waitFor(noticed, "")
}

func TestQuestionsQueue(t *testing.T) {
	e, a, first := asked(t)
	second := a.proposes("apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n"})
	e.told("2 edits wait for :Patchls answer")
	e.looks()
	e.keys("r")
	rejected(t, <-first, "")
	e.wait("#NOTES == 3")
	e.expect(`NOTES[3]:find("an edit waits for :Patchls answer", 1, true) ~= nil`, true)
	e.lua(`vim.cmd("Patchls answer")`)
	e.expect("vim.bo.filetype", "diff")
	e.expect(`vim.fn.search("^+c$", "w") > 0 and vim.fn.search("^-one$", "w") > 0`, true)
	e.keys("a")
	if o := <-second; o.err != nil {
		t.Error(o.err)
	}
	e.closed()
	if got := e.text("a.txt") + " " + e.text("b.txt"); got != "1\ntwo c" {
		t.Errorf("%q", got)
	}
}

// A question whose answer is not needed any more goes, wherever the user is.
func TestWithdrawnQuestion(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}}, newest)
	s.opened("a.txt")
	ask := func(id string) {
		params := fmt.Sprintf(`{"id":%q,"agent":"a tester","command":"create","message":"","diff":"","files":[{"uri":"file:///b","path":"b","change":"rename","before":"patchls-diff:/p/before/b","after":"patchls-diff:/p/after/b"}]}`, id)
		s.send(message{ID: json.RawMessage(`"` + id + `"`), Method: "patchls/confirm", Params: json.RawMessage(params)})
	}
	withdraw := func(id string) {
		s.send(message{Method: "patchls/withdraw", Params: json.RawMessage(`{"id":"` + id + `"}`)})
		if m := s.next(`"` + id + `"`); string(m.Result) != "null" {
			t.Errorf("%s", m.Result)
		}
	}
	ask("p1")
	s.told("an edit waits for :Patchls answer")
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		m := s.next("workspace/textDocumentContent")
		if !strings.Contains(strings.ReplaceAll(string(m.Params), `\/`, `/`), `patchls-diff:///p1/diff/p1.diff`) {
			t.Errorf("%s", m.Params)
		}
		s.send(message{ID: m.ID, Result: json.RawMessage(`{"text":"one\r\ntwo\r\n"}`)})
	}()
	s.lua(`vim.cmd("Patchls answer")`)
	<-opened
	s.expect(`vim.bo.fileformat .. table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|")`, "dosone|two")
	s.lua(`vim.cmd("tabfirst | startinsert")`)
	withdraw("p1")
	s.closed()
	s.expect("vim.api.nvim_get_mode().mode", "i")
	s.keys("<Esc>")
	ask("p2")
	s.wait(`require("patchls.confirm").count() == 1`)
	withdraw("p2")
	s.expect(`require("patchls.confirm").count()`, 0)
	// Nor does a server that is gone ask the user.
	ask("p3")
	s.wait(`require("patchls.confirm").count() == 1`)
	_ = s.conn.Close()
	s.wait(`require("patchls.confirm").count() == 0`)
}

// What the server is told of the plugin at the start.
func TestReviewIsDeclared(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, init: `
		vim.g.patchls = vim.tbl_extend("force", vim.g.patchls, { review = { codeLens = false } })`}, newest)
	var p struct {
		InitializationOptions json.RawMessage
		Capabilities          struct {
			Workspace    struct{ CodeLens struct{ RefreshSupport bool } }
			Experimental struct{ Patchls struct{ Confirm, Diff bool } }
		}
	}
	if err := json.Unmarshal(s.init.Params, &p); err != nil {
		t.Fatal(err)
	}
	var options struct {
		Review struct{ CodeLens *bool }
	}
	if err := json.Unmarshal(p.InitializationOptions, &options); err != nil {
		t.Fatal(err)
	}
	if on := options.Review.CodeLens; on == nil || *on {
		t.Errorf("%s", p.InitializationOptions)
	}
	if !p.Capabilities.Workspace.CodeLens.RefreshSupport || !p.Capabilities.Experimental.Patchls.Confirm || !p.Capabilities.Experimental.Patchls.Diff {
		t.Errorf("%+v", p.Capabilities)
	}
}
