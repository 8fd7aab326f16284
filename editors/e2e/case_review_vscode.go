package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp"
)

// reviewInVSCode are the cases of what a person sees and clicks in VS Code.
var reviewInVSCode = []testCase{
	{"review-hunks", reviewHunks},
	{"review-cursor", reviewCursor},
	{"review-by-agent", reviewByAgent},
	{"review-diff", reviewDiff},
	{"confirm-apply", confirmApply},
	{"confirm-reject", confirmReject},
	{"confirm-diff", confirmDiff},
	{"confirm-files", confirmFiles},
	{"confirm-closed", confirmClosed},
	{"confirm-two", confirmTwo},
	{"confirm-withdrawn", confirmWithdrawn},
}

// threeX is edited in three hunks.
const threeX = "x 1\nkeep\nx 2\nkeep\nx 3\n"

func (t *trial) threeHunks() lsp.Result {
	t.write("a.txt", threeX)
	t.open("a.txt")
	r := t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "x", "new_str": "why", "replace_all": true})
	t.must("lenses", t.shows("a.txt", 3))
	return r
}

// shows waits until a file has lenses and marks over so many hunks, and the server lists
// as many.
func (t *trial) shows(name string, hunks int) error {
	return until(settleTime, func() error {
		var lenses [][]string
		if err := t.window().do(&lenses, "lenses", nil); err != nil {
			return err
		}
		want := slices.Repeat([][]string{{"patchls: keep", "revert", "1 line by e2e"}}, hunks)
		if fmt.Sprint(lenses) != fmt.Sprint(want) {
			return fmt.Errorf("lenses %q, want %q", lenses, want)
		}
		var marks []struct {
			Start struct{ Line int } `json:"start"`
		}
		if err := t.window().do(&marks, "marks", args{"path": t.path(name)}); err != nil {
			return err
		}
		lines := map[int]bool{}
		for _, m := range marks {
			lines[m.Start.Line] = true
		}
		if len(lines) != hunks {
			return fmt.Errorf("marks on %d lines, want %d: %v", len(lines), hunks, marks)
		}
		return t.lists(name, hunks)
	})
}

// lists says whether the server lists so many hunks of a file to be reviewed.
func (t *trial) lists(name string, hunks int) error {
	var all lsp.Listing
	if err := t.agent.execute("list", args{}, &all); err != nil {
		return err
	}
	n := 0
	for _, e := range all.Edits {
		for _, m := range e.Marked {
			if strings.HasSuffix(t.path(name), m.Path) {
				n++
			}
		}
	}
	if n != hunks {
		return fmt.Errorf("the server lists %d hunks of %s, want %d", n, name, hunks)
	}
	return nil
}

func (t *trial) window() *vscode { return t.Editor.(*vscode) }

// clicks clicks the nth of the lenses with that title, from 0.
func (t *trial) clicks(title string, nth int) {
	t.must("click on "+title, t.window().do(nil, "lens", args{"title": title, "nth": nth}))
}

// reviewHunks: each hunk has its lenses. A click on revert restores the exact text while
// what was typed around it stays, and the other hunks stay to be reviewed; one on keep
// leaves the text and takes lenses and marks away.
func reviewHunks(t *trial) {
	t.threeHunks()
	t.types("a.txt", 1, 1, "typed ")
	t.types("a.txt", 3, len("why 2")+1, " typed")
	t.clicks("revert", 1)
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "typed why 1\nkeep\nx 2 typed\nkeep\nwhy 3\n") }))
	t.must("the others stay", t.shows("a.txt", 2))
	t.clicks("patchls: keep", 0)
	t.must("keep takes the lens away", t.shows("a.txt", 1))
	t.clicks("patchls: keep", 0)
	t.must("no lens is left", t.shows("a.txt", 0))
	t.check("text kept", t.same("a.txt", "typed why 1\nkeep\nx 2 typed\nkeep\nwhy 3\n"))
	t.check("server has the text", t.told("a.txt"))
	t.check("disk unchanged", t.disk("a.txt", threeX))
}

// reviewCursor: the commands without a lens are about the hunk under the cursor, and keep
// elsewhere is about the file.
func reviewCursor(t *trial) {
	t.threeHunks()
	run := func(command string, line int) {
		t.must("goto", t.Goto(t.path("a.txt"), line, 1))
		t.must(command, t.window().do(nil, "command", args{"command": command}))
	}
	run("patchls.revert", 3)
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "why 1\nkeep\nx 2\nkeep\nwhy 3\n") }))
	t.must("revert takes one", t.shows("a.txt", 2))
	run("patchls.keep", 5)
	t.must("keep takes one", t.shows("a.txt", 1))
	run("patchls.keep", 2)
	t.must("keep takes the file", t.shows("a.txt", 0))
	t.check("text kept", t.same("a.txt", "why 1\nkeep\nx 2\nkeep\nwhy 3\n"))
}

// reviewByAgent: what is kept or reverted elsewhere loses its lenses and marks here.
func reviewByAgent(t *trial) {
	r := t.threeHunks()
	var kept lsp.Kept
	t.must("kept", t.agent.execute("keep", args{"edit_id": r.EditID, "hunk": 2}, &kept))
	t.must("an agent's keep", t.shows("a.txt", 2))
	t.edit("revert", args{"edit_id": r.EditID, "hunk": 3})
	t.must("an agent's revert", t.shows("a.txt", 1))
}

// tab is one of the editor's.
type tab struct {
	Label  string  `json:"label"`
	Active bool    `json:"active"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

// diffs are the tabs that show a diff.
func (t *trial) diffs() ([]tab, error) {
	var tabs []tab
	err := t.window().do(&tabs, "tabs", nil)
	return slices.DeleteFunc(tabs, func(b tab) bool { return b.Before == nil }), err
}

// showsDiff waits until one diff is shown, with these texts.
func (t *trial) showsDiff(before, after string) error {
	return until(settleTime, func() error {
		tabs, err := t.diffs()
		if err == nil && (len(tabs) != 1 || !tabs[0].Active || *tabs[0].Before != before || *tabs[0].After != after) {
			err = fmt.Errorf("the diffs are %+v, want one of %q and %q", tabs, before, after)
		}
		return err
	})
}

// reviewDiff: a click on what a hunk is opens a diff of its edit, without what was typed.
func reviewDiff(t *trial) {
	t.threeHunks()
	t.types("a.txt", 2, 1, "typed ")
	t.clicks("1 line by e2e", 0)
	t.check("diff", t.showsDiff(threeX, strings.ReplaceAll(threeX, "x", "why")))
	t.must("closed", t.window().do(nil, "command", args{"command": "workbench.action.closeActiveEditor"}))
}

// asking is an agent that waits for the person.
type asking struct {
	result lsp.Result
	err    error
	done   chan struct{}
}

// asks has the agent send a command with confirm, and waits until the question is to be
// seen.
func (t *trial) asks(ctx context.Context, command string, a args, question string) *asking {
	q := t.agent.asks(ctx, command, a)
	t.must("question", until(settleTime, func() error {
		asked, err := t.asked()
		if err == nil && (len(asked) != 1 || !strings.HasPrefix(asked[0], question)) {
			err = fmt.Errorf("asked %q, want %q", asked, question)
		}
		return err
	}))
	t.check("status bar", t.saysStatus("waits"))
	return q
}

// asks sends a command with confirm.
func (h *helper) asks(ctx context.Context, command string, a args) *asking {
	q := &asking{done: make(chan struct{})}
	a["confirm"] = true
	go func() {
		defer close(q.done)
		q.result, q.err = h.confirm(ctx, command, a)
	}()
	return q
}

// saysStatus says whether the status bar has an item that ends so.
func (t *trial) saysStatus(end string) error {
	var status []string
	err := t.window().do(&status, "status", nil)
	if err == nil && !slices.ContainsFunc(status, func(s string) bool { return strings.HasSuffix(s, end) }) {
		err = fmt.Errorf("nothing says %q among %q", end, status)
	}
	return err
}

// asked are the questions that are to be seen.
func (t *trial) asked() ([]string, error) {
	var all []string
	err := t.window().do(&all, "asked", nil)
	return slices.DeleteFunc(all, func(s string) bool { return !strings.Contains(s, "May ") }), err
}

// unasked waits until no question is to be seen, and no diff of one.
func (t *trial) unasked() error {
	return until(settleTime, func() error {
		asked, err := t.asked()
		if err != nil || len(asked) > 0 {
			return fmt.Errorf("still asked %q: %w", asked, err)
		}
		if tabs, err := t.diffs(); err != nil || len(tabs) > 0 {
			return fmt.Errorf("still open: %+v: %w", tabs, err)
		}
		return nil
	})
}

func (t *trial) chooses(choice string) {
	t.must("click on "+choice, t.window().do(nil, "answer", args{"choice": choice}))
}

// confirm sends a command that the person is asked about, for as long as ctx says.
func (h *helper) confirm(ctx context.Context, command string, a args) (r lsp.Result, err error) {
	path, _ := a["path"].(string)
	conn, err := h.pool.Find(ctx, h.folder, path)
	if err != nil {
		return r, err
	}
	raw, err := conn.Execute(ctx, agent.Call{Command: command, Arguments: a})
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(raw, &r)
}

const oneTwo = "one\ntwo\n"

func (t *trial) twoIs2() args {
	t.write("a.txt", oneTwo)
	t.open("a.txt")
	return args{"path": t.path("a.txt"), "old_str": "two", "new_str": "2"}
}

// confirmApply: the question takes no key from who types, and Apply has the edit made.
func confirmApply(t *trial) {
	a := t.twoIs2()
	t.types("a.txt", 1, 1, "typed ")
	q := t.asks(context.Background(), "str_replace", a, "May e2e edit confirm-apply/a.txt (1 line added, 1 removed)?")
	t.must("typed", t.Type("on "))
	t.must("typed", until(settleTime, func() error { return t.same("a.txt", "typed on one\ntwo\n") }))
	t.chooses("Apply")
	<-q.done
	t.must("applied", q.err)
	if d := q.result.Decision; d == nil || d.Answer != "apply" || !q.result.Verified {
		t.check("decision", fmt.Errorf("%+v of %+v", d, q.result))
	}
	t.check("text", t.same("a.txt", "typed on one\n2\n"))
	t.check("closed", t.unasked())
	t.must("typed", t.Type("and on "))
	t.check("focus", until(settleTime, func() error { return t.same("a.txt", "typed on and on one\n2\n") }))
}

// confirmReject: what the person says reaches the agent, and nothing is changed.
func confirmReject(t *trial) {
	q := t.asks(context.Background(), "str_replace", t.twoIs2(), "May e2e edit ")
	t.chooses("Reject with a word…")
	t.must("typed", t.window().do(nil, "into", args{"text": "leave the two alone"}))
	<-q.done
	if kindOf(q.err) != "rejected_by_editor" || !strings.HasSuffix(fmt.Sprint(q.err), "and says: leave the two alone") {
		t.check("word", fmt.Errorf("the agent got %w", q.err))
	}
	t.check("text", t.same("a.txt", oneTwo))
	t.check("closed", t.unasked())
}

// confirmDiff: the person looks at the edit, the question stands, and both are closed
// by the answer.
func confirmDiff(t *trial) {
	q := t.asks(context.Background(), "str_replace", t.twoIs2(), "May e2e edit ")
	t.chooses("Show diff")
	t.check("diff", t.showsDiff(oneTwo, "one\n2\n"))
	t.chooses("Reject")
	<-q.done
	if kindOf(q.err) != "rejected_by_editor" {
		t.check("rejected", fmt.Errorf("the agent got %w", q.err))
	}
	t.check("closed", t.unasked())
	t.check("text", t.same("a.txt", oneTwo))
}

// confirmFiles: a patch of several files is shown in one editor.
func confirmFiles(t *trial) {
	t.write("a.txt", oneTwo)
	t.write("gone.txt", "gone\n")
	t.open("a.txt")
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** Add File: new.txt\n+new\n*** Delete File: gone.txt\n*** End Patch"
	q := t.asks(context.Background(), "apply_patch", args{"patch": patch}, "May e2e edit confirm-files/a.txt, confirm-files/new.txt and confirm-files/gone.txt (2 lines added, 2 removed)?")
	t.chooses("Show diff")
	t.must("tab", until(settleTime, func() error { return t.hasTab("e2e asks, p", true) }))
	t.chooses("Apply")
	<-q.done
	t.must("applied", q.err)
	t.check("closed", until(settleTime, func() error { return t.hasTab("e2e asks, p", false) }))
	t.check("text", t.same("a.txt", "one\n2\n"))
	t.check("made", t.same("new.txt", "new\n"))
}

// hasTab says whether a tab is there that should be, or not.
func (t *trial) hasTab(label string, wanted bool) error {
	var tabs []tab
	if err := t.window().do(&tabs, "tabs", nil); err != nil {
		return err
	}
	if slices.ContainsFunc(tabs, func(b tab) bool { return strings.HasPrefix(b.Label, label) }) != wanted {
		return fmt.Errorf("the tabs are %+v, and %s among them should be %t", tabs, label, wanted)
	}
	return nil
}

// confirmClosed: who closes the question does not agree.
func confirmClosed(t *trial) {
	q := t.asks(context.Background(), "str_replace", t.twoIs2(), "May e2e edit ")
	t.must("click", t.window().do(nil, "click", args{"button": "Cancel"}))
	<-q.done
	if kindOf(q.err) != "rejected_by_editor" {
		t.check("rejected", fmt.Errorf("the agent got %w", q.err))
	}
	t.check("closed", t.unasked())
	t.check("text", t.same("a.txt", oneTwo))
}

// confirmTwo: two agents ask at once. Both questions are to be seen, and answered each by
// itself, also by the list of those that wait.
func confirmTwo(t *trial) {
	a := t.twoIs2()
	b := maps.Clone(a)
	b["old_str"], b["new_str"] = "one", "1"
	first := t.asks(context.Background(), "str_replace", a, "May e2e edit ")
	other := newHelper(t.folder)
	defer other.close()
	second := other.asks(context.Background(), "str_replace", b)
	t.must("two questions", until(settleTime, func() error {
		asked, err := t.asked()
		if err == nil && len(asked) != 2 {
			err = fmt.Errorf("asked %q", asked)
		}
		return err
	}))
	t.check("status bar", t.saysStatus("2 agents wait"))
	t.must("palette", t.window().do(nil, "keys", args{"keys": []string{"F1"}}))
	t.must("palette", t.window().do(nil, "into", args{"text": "patchls: Answer an Agent"}))
	for _, row := range []string{"May e2e edit ", "Apply"} { // the oldest question, the first answer
		t.must("list", t.window().do(nil, "seen", args{"part": fmt.Sprintf(".quick-input-list .monaco-list-row.focused:has-text(%q)", row)}))
		t.must("list", t.window().do(nil, "keys", args{"keys": []string{"Enter"}}))
	}
	<-first.done
	t.check("applied", first.err)
	t.check("text", t.same("a.txt", "one\n2\n"))
	t.chooses("Apply")
	<-second.done
	t.check("applied", second.err)
	t.check("both", t.same("a.txt", "1\n2\n"))
	t.check("closed", t.unasked())
}

// confirmWithdrawn: the agent goes away, and so does its question.
func confirmWithdrawn(t *trial) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q := t.asks(ctx, "str_replace", t.twoIs2(), "May e2e edit ")
	cancel()
	<-q.done
	t.check("closed", t.unasked())
	t.check("text", t.same("a.txt", oneTwo))
}
