//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp/transaction"
)

// asking is an agent that waits for the user.
type asking struct {
	result transaction.Result
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
	a["confirm"] = true
	return h.sends(ctx, command, a)
}

// sends sends a command that the user is to be asked about.
func (h *helper) sends(ctx context.Context, command string, a args) *asking {
	q := &asking{done: make(chan struct{})}
	go func() {
		defer close(q.done)
		q.result, q.err = h.confirm(ctx, command, a)
	}()
	return q
}

// saysStatus waits until the status bar has an item that ends so: VS Code shows it some time
// after the extension has set it.
func (t *trial) saysStatus(end string) error {
	return until(settleTime, func() error {
		var status []string
		err := t.window().do(&status, "status", nil)
		if err == nil && !slices.ContainsFunc(status, func(s string) bool { return strings.HasSuffix(s, end) }) {
			err = fmt.Errorf("nothing says %q among %q", end, status)
		}
		return err
	})
}

// asked returns the visible questions.
func (t *trial) asked() ([]string, error) {
	var all []string
	err := t.window().do(&all, "asked", nil)
	return slices.DeleteFunc(all, func(s string) bool { return !strings.Contains(s, "May ") }), err
}

// unasked waits until no question and no diff of one is visible.
func (t *trial) unasked() error {
	return until(settleTime, func() error {
		asked, err := t.asked()
		if err != nil {
			return err
		}
		tabs, err := t.diffs()
		if err == nil && len(asked)+len(tabs) > 0 {
			err = fmt.Errorf("still asked %q, with the diffs %+v", asked, tabs)
		}
		return err
	})
}

func (t *trial) chooses(choice string) {
	t.must("click on "+choice, t.window().do(nil, "answer", args{"choice": choice}))
}

// confirm sends a command that the user is asked about, for as long as ctx says.
func (h *helper) confirm(ctx context.Context, command string, a args) (r transaction.Result, err error) {
	path, _ := a["path"].(string)
	conn, _, err := h.finder.Find(ctx, h.folder, agent.About{Files: []string{path}})
	if err != nil {
		return r, err
	}
	raw, err := conn.Execute(ctx, agent.Call{Command: command, Arguments: a})
	if err != nil {
		return r, err
	}
	err = json.Unmarshal(raw, &r)
	return r, err
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

// confirmReject: what the user says reaches the agent, and nothing is changed.
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

// confirmDiff: the user looks at the edit, the question stands, and both are closed
// by the answer that the title of the diff has.
func confirmDiff(t *trial) {
	q := t.asks(context.Background(), "str_replace", t.twoIs2(), "May e2e edit ")
	t.chooses("Show diff")
	t.check("diff", t.showsDiff(oneTwo, "one\n2\n"))
	t.must("titled", t.titled("Apply", "Reject"))
	t.must("click", t.window().do(nil, "title", args{"name": "Reject"}))
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
	t.must("titled", t.titled("Apply", "Reject"))
	t.must("click", t.window().do(nil, "title", args{"name": "Apply"}))
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

// confirmLater: a question whose notification is closed waits on, and the title of its diff
// has the answers.
func confirmLater(t *trial) {
	q := t.asks(context.Background(), "str_replace", t.twoIs2(), "May e2e edit ")
	t.must("click", t.window().do(nil, "click", args{"button": "Later"}))
	t.check("closed", t.unasked())
	t.check("status bar", t.saysStatus("waits"))
	t.must("titled", t.titled())
	t.must("palette", t.window().do(nil, "keys", args{"keys": []string{"F1"}}))
	t.must("palette", t.window().do(nil, "into", args{"text": "patchls: Answer an Agent"}))
	t.must("list", t.window().do(nil, "into", args{"text": "Show diff"}))
	t.check("diff", t.showsDiff(oneTwo, "one\n2\n"))
	t.must("titled", t.titled("Apply", "Reject"))
	t.must("click", t.window().do(nil, "title", args{"name": "Apply"}))
	<-q.done
	t.must("applied", q.err)
	t.check("closed", t.unasked())
	t.check("text", t.same("a.txt", "one\n2\n"))
}

// titled waits until the title of the active editor has these buttons with words.
func (t *trial) titled(want ...string) error {
	return until(settleTime, func() error {
		var got []string
		err := t.window().do(&got, "titled", nil)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("the title has %q, want %q", got, want)
		}
		return err
	})
}

// confirmTwo: two agents ask at once. Both questions are visible, and each is answered
// separately, also from the list of waiting questions.
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
