//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp/transaction"
)

// reviewInNeovim are the cases of what a user sees and answers in Neovim.
var reviewInNeovim = []testCase{
	{"review-lens", nvimLenses},
	{"review-commands", nvimReviewCommands},
	{"review-turn", nvimTurn},
	{"review-diff", nvimDiff},
	{"message-after-choice", nvimMessageAfterChoice},
	{"confirm-apply", nvimApplies},
	{"confirm-reject", nvimRejects},
	{"confirm-withdrawn", nvimWithdrawn},
}

// reviewInStockNeovim are those of Neovim's own ways to show the same, without the plugin.
var reviewInStockNeovim = []testCase{
	{"review-lens", nvimLenses},
	{"review-action", nvimActions},
	{"confirm-message", nvimMessage},
}

func (t *trial) nvim() *nvim {
	e, _ := t.Editor.(*nvim) // its cases run in no other
	return e
}

// presses presses keys in normal mode.
func (t *trial) presses(keys string) {
	t.must("rest", t.Rest())
	t.must("keys", t.nvim().keys(keys))
}

// onScreen waits until something is on the screen so many times.
func (t *trial) onScreen(count int, part string) error {
	return until(settleTime, func() error {
		if n := strings.Count(t.Screen(), part); n != count {
			return fmt.Errorf("%q is %d times on the screen, want %d", part, n, count)
		}
		return nil
	})
}

// marked waits until the buffer in front has count marks of the plugin.
func (t *trial) marked(count int) error {
	return until(settleTime, func() error {
		n, err := t.nvim().rpc.call("nvim_exec_lua", `return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces().patchls, 0, -1, {})`, []any{})
		if err == nil && fmt.Sprint(n) != fmt.Sprint(count) {
			err = fmt.Errorf("%v marks, want %d", n, count)
		}
		return err
	})
}

const (
	nvimBefore = "x 1\nstays\nx 2\nstays\nx 3\n"
	nvimLens   = "patchls: keep | revert | 1 line by e2e"
)

// nvimHunks has an agent change the lines 1, 3 and 5, and waits until that is seen.
func (t *trial) nvimHunks() {
	t.write("a.txt", nvimBefore)
	t.open("a.txt")
	if !t.plugin {
		t.presses(":lua vim.lsp.codelens.enable(true, { bufnr = 0 })<CR>")
	}
	t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "x", "new_str": "why", "replace_all": true})
	t.must("lenses", t.onScreen(3, nvimLens))
}

// runsLens has Neovim run the nth lens of a line.
func (t *trial) runsLens(line, nth int) {
	t.must("rest", t.Rest())
	t.must("goto", t.Goto(t.path("a.txt"), line, 1))
	t.presses(":lua vim.lsp.codelens.run()<CR>")
	t.must("choice", t.onScreen(1, "Code lenses:"))
	t.presses(fmt.Sprintf("%d<CR>", nth))
}

// nvimLenses: an agent's edit has lenses over its hunks. Revert restores the exact text
// while what was typed around it stays; keep leaves the text.
func nvimLenses(t *trial) {
	t.nvimHunks()
	t.types("a.txt", 1, 1, "typed ")
	t.types("a.txt", 3, len("why 2")+1, " typed")
	t.runsLens(3, 2)
	const reverted = "typed why 1\nstays\nx 2 typed\nstays\nwhy 3\n"
	t.check("text", until(settleTime, func() error { return t.same("a.txt", reverted) }))
	t.must("the others stay", t.onScreen(2, nvimLens))
	if t.plugin {
		t.check("marks stay", t.marked(2))
	}
	t.runsLens(5, 1)
	t.must("keep takes the lens away", t.onScreen(1, nvimLens))
	t.check("text kept", t.same("a.txt", reverted))
	if t.plugin {
		t.check("keep takes the mark away", t.marked(1))
	}
	t.check("server has the text", t.told("a.txt"))
	t.check("disk unchanged", t.disk("a.txt", nvimBefore))
}

// nvimReviewCommands: :Patchls goes to hunks, and is about the one under the cursor or
// all of the buffer.
func nvimReviewCommands(t *trial) {
	t.nvimHunks()
	t.types("a.txt", 2, 1, "typed ")
	t.presses("gg:Patchls next<CR>:Patchls revert<CR>")
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "why 1\ntyped stays\nx 2\nstays\nwhy 3\n") }))
	t.must("lenses", t.onScreen(2, nvimLens))
	t.check("marks", t.marked(2))
	t.presses(":Patchls prev<CR>:Patchls keep<CR>")
	t.must("lenses", t.onScreen(1, nvimLens))
	t.check("marks", t.marked(1))
	t.presses(":Patchls! revert<CR>")
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "why 1\ntyped stays\nx 2\nstays\nx 3\n") }))
	t.must("lenses", t.onScreen(0, nvimLens))
	t.check("marks", t.marked(0))
	t.check("server has the text", t.told("a.txt"))
	t.check("no prompt", t.unprompted())
}

// nvimTurn: the user undoes all that an agent did for a prompt, in two files, and what they have typed meanwhile stays.
func nvimTurn(t *trial) {
	t.write("a.txt", nvimBefore)
	t.write("b.txt", nvimBefore)
	t.open("a.txt", "b.txt")
	t.must("turn", t.agent.execute("turn", args{"prompt": "Ask why."}, &struct{}{}))
	for _, name := range []string{"a.txt", "b.txt", "a.txt"} {
		t.edit("str_replace", args{"path": t.path(name), "old_str": "x", "new_str": "why", "near_line": 1})
	}
	t.types("a.txt", 5, 1, "typed ")
	t.presses(":Patchls undo last<CR>")
	t.check("a.txt", until(settleTime, func() error { return t.same("a.txt", "x 1\nstays\nx 2\nstays\ntyped x 3\n") }))
	t.check("b.txt", until(settleTime, func() error { return t.same("b.txt", nvimBefore) }))
	t.check("server has the text", t.told("a.txt"))
	t.check("no prompt", t.unprompted())
}

// nvimDiff: an edit before and after beside each other.
func nvimDiff(t *trial) {
	t.nvimHunks()
	t.presses("gg:Patchls diff<CR>")
	t.must("diff", t.onScreen(1, "q closes"))
	t.check("before", t.onScreen(1, "x 3"))
	t.check("no prompt", t.unprompted())
	t.presses("q")
	t.must("closed", t.onScreen(3, nvimLens))
}

// nvimMessageAfterChoice: a message of the plugin comes while the list that a user has just
// chosen from is still on the screen. It takes the list's place, and waits for no key.
func nvimMessageAfterChoice(t *trial) {
	t.write("a.txt", nvimBefore)
	t.open("a.txt")
	t.presses(`:lua vim.fn.inputlist({ "one", "two" }) require("patchls.say").tell("said")<CR>`)
	t.must("choice", t.onScreen(1, "two"))
	t.presses("2<CR>")
	t.must("said", t.onScreen(1, "patchls: said"))
	t.check("no prompt", t.unprompted())
}

// nvimActions: the code actions that any Neovim has do the same.
func nvimActions(t *trial) {
	t.nvimHunks()
	t.types("a.txt", 4, 1, "typed ")
	t.must("goto", t.Goto(t.path("a.txt"), 3, 1))
	t.presses(":lua vim.lsp.buf.code_action()<CR>")
	t.must("choice", t.onScreen(1, "2: Revert 1 line by e2e"))
	t.presses("2<CR>")
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "why 1\nstays\nx 2\ntyped stays\nwhy 3\n") }))
	t.must("the others stay", t.onScreen(2, nvimLens))
	t.check("server has the text", t.told("a.txt"))
}

// unprompted says whether Neovim waits for a key before it goes on.
func (t *trial) unprompted() error {
	mode, err := modeOf(t.nvim().side)
	if err == nil && (strings.HasPrefix(mode, "r") || strings.Contains(t.Screen(), "Press ENTER")) {
		err = fmt.Errorf("neovim waits for a key, in mode %s", mode)
	}
	return err
}

// proposed is an edit about which an agent waits for the user.
type proposed struct {
	result transaction.Result
	err    error
	done   chan struct{}
}

func (t *trial) proposes(ctx context.Context, command string, a args) *proposed {
	p := &proposed{done: make(chan struct{})}
	a["confirm"] = true
	go func() {
		defer close(p.done)
		path, _ := a["path"].(string)
		conn, _, err := t.agent.finder.Find(ctx, t.agent.folder, agent.About{Files: []string{path}})
		var raw []byte
		if err == nil {
			raw, err = conn.Execute(ctx, agent.Call{Command: command, Arguments: a})
		}
		if err == nil {
			err = json.Unmarshal(raw, &p.result)
		}
		p.err = err
	}()
	return p
}

// answered waits for what the agent gets.
func (t *trial) answered(p *proposed) error {
	select {
	case <-p.done:
		return p.err
	case <-time.After(settleTime):
		return errors.New("the agent still waits")
	}
}

func (t *trial) twoIsProposed() *proposed {
	return t.proposes(context.Background(), "str_replace", args{"path": t.path("a.txt"), "old_str": "two", "new_str": "2"})
}

const (
	nvimWaits = "an edit waits for :Patchls answer"
	nvimKeys  = "a apply  r reject"
)

// nvimApplies: a question does not keep the user from typing, and an edit that they agree to is
// made.
func nvimApplies(t *trial) {
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	p := t.twoIsProposed()
	t.must("question", t.onScreen(1, nvimWaits))
	t.check("no prompt", t.unprompted())
	t.must("typed", t.Type("on "))
	t.must("typed", until(settleTime, func() error { return t.same("a.txt", "typed on one\ntwo\n") }))
	t.check("still told", t.onScreen(1, nvimWaits))
	t.presses(":Patchls answer<CR>")
	t.must("diff", t.onScreen(1, nvimKeys))
	t.check("no prompt", t.unprompted())
	t.presses("a")
	t.must("applied", t.answered(p))
	if d := p.result.Decision; d == nil || d.Answer != "apply" || !p.result.Verified {
		t.check("decision", fmt.Errorf("%+v of %+v", d, p.result))
	}
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "typed on one\n2\n") }))
	t.check("marks", t.marked(1))
	t.check("lens", t.onScreen(1, nvimLens))
	t.check("closed", t.onScreen(0, nvimKeys))
	t.check("server has the text", t.told("a.txt"))
}

// nvimRejects: several agents ask at once, and what the user says reaches the one.
func nvimRejects(t *trial) {
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	first := t.twoIsProposed()
	t.must("question", t.onScreen(2, nvimWaits)) // as a message, and in the corner
	second := t.proposes(context.Background(), "insert", args{"path": t.path("a.txt"), "after_line": 2, "content": "three\n"})
	t.must("questions", t.onScreen(2, "2 edits wait for :Patchls answer"))
	t.check("no prompt", t.unprompted())
	t.presses(":Patchls answer<CR>")
	t.must("diff", t.onScreen(1, nvimKeys))
	t.presses("R")
	t.must("asked why", t.onScreen(1, "What shall e2e know?"))
	t.must("typed", t.nvim().keys("leave the two alone<CR>"))
	err := t.answered(first)
	if err == nil || kindOf(err) != "rejected_by_editor" || !strings.HasSuffix(err.Error(), "and says: leave the two alone") {
		t.check("word", fmt.Errorf("the agent got %w", err))
	}
	t.must("the other waits", t.onScreen(2, nvimWaits))
	t.check("no prompt", t.unprompted())
	t.presses(":Patchls answer apply<CR>")
	t.must("applied", t.answered(second))
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "one\ntwo\nthree\n") }))
}

// nvimWithdrawn: the agent goes away, and so does its question.
func nvimWithdrawn(t *trial) {
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := t.proposes(ctx, "delete_lines", args{"path": t.path("a.txt"), "start_line": 1, "end_line": 1})
	t.must("question", t.onScreen(2, nvimWaits))
	t.presses(":Patchls answer<CR>")
	t.must("diff", t.onScreen(1, nvimKeys))
	cancel()
	<-p.done
	t.must("closed", t.onScreen(0, nvimKeys))
	t.check("nothing waits", t.onScreen(0, nvimWaits))
	t.check("text", t.same("a.txt", "one\ntwo\n"))
}

// nvimMessage: Neovim's own question, which is all that there is without the plugin.
func nvimMessage(t *trial) {
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	for _, answer := range []struct{ key, want string }{{"3", "rejected_by_editor"}, {"1", ""}} {
		p := t.twoIsProposed()
		t.must("question", t.onScreen(1, "e2e wants to make an edit."))
		t.must("keys", t.nvim().keys(answer.key+"<CR>"))
		err := t.answered(p)
		if (err == nil) != (answer.want == "") || err != nil && kindOf(err) != answer.want {
			t.check("answer", fmt.Errorf("the agent got %w, want %q", err, answer.want))
		}
		t.must("closed", t.onScreen(0, "e2e wants to make an edit."))
	}
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "one\n2\n") }))
	t.check("server has the text", t.told("a.txt"))
}
