//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// reviewInVSCode are the cases of what a user sees and clicks in VS Code.
var reviewInVSCode = []testCase{
	{"review-hunks", reviewHunks},
	{"review-cursor", reviewCursor},
	{"review-by-agent", reviewByAgent},
	{"review-diff", reviewDiff},
	{"confirm-apply", confirmApply},
	{"confirm-reject", confirmReject},
	{"confirm-diff", confirmDiff},
	{"confirm-files", confirmFiles},
	{"confirm-later", confirmLater},
	{"confirm-two", confirmTwo},
	{"confirm-withdrawn", confirmWithdrawn},
	{"deceiving-names", deceivingNames},
	{"guarded-file", guardedFile},
	{"workspace-settings", workspaceSettings},
}

// threeX is edited in three hunks.
const threeX = "x 1\nkeep\nx 2\nkeep\nx 3\n"

func (t *trial) threeHunks() transaction.Result {
	t.write("a.txt", threeX)
	t.open("a.txt")
	r := t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "x", "new_str": "why", "replace_all": true})
	t.must("lenses", t.shows(3))
	return r
}

// shows waits until a.txt has lenses and marks over so many hunks of an agent's, and the server
// lists as many.
func (t *trial) shows(hunks int) error { return t.showsIn("a.txt", hunks, "1 line by e2e") }

func (t *trial) showsIn(name string, hunks int, what string) error {
	return until(settleTime, func() error {
		var lenses [][]string
		if err := t.window().do(&lenses, "lenses", nil); err != nil {
			return err
		}
		want := slices.Repeat([][]string{{"patchls: keep", "revert", what}}, hunks)
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

// lists returns an error unless the server lists that many hunks of a file for review.
func (t *trial) lists(name string, hunks int) error {
	var all view.Listing
	if err := t.agent.execute("list", args{}, &all); err != nil {
		return err
	}
	n := 0
	for _, e := range all.Edits {
		for _, m := range e.Marks {
			if strings.HasSuffix(t.path(name), m.Path) {
				n++
			}
		}
	}
	if n != hunks {
		return fmt.Errorf("the server lists %d hunks, want %d", n, hunks)
	}
	return nil
}

// window is the editor of a case that only VS Code has.
func (t *trial) window() *vscode {
	e, ok := t.Editor.(*vscode)
	if !ok {
		t.must("VS Code", fmt.Errorf("the editor is a %T", t.Editor))
	}
	return e
}

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
	t.must("the others stay", t.shows(2))
	t.clicks("patchls: keep", 0)
	t.must("keep takes the lens away", t.shows(1))
	t.clicks("patchls: keep", 0)
	t.must("no lens is left", t.shows(0))
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
	t.must("revert takes one", t.shows(2))
	run("patchls.keep", 5)
	t.must("keep takes one", t.shows(1))
	run("patchls.keep", 2)
	t.must("keep takes the file", t.shows(0))
	t.check("text kept", t.same("a.txt", "why 1\nkeep\nx 2\nkeep\nwhy 3\n"))
}

// reviewByAgent: what is kept or reverted elsewhere loses its lenses and marks here.
func reviewByAgent(t *trial) {
	r := t.threeHunks()
	var kept review.KeepResult
	t.must("kept", t.agent.execute("keep", args{"edit_id": r.EditID, "hunk": 2}, &kept))
	t.must("an agent's keep", t.shows(2))
	t.edit("revert", args{"edit_id": r.EditID, "hunk": 3})
	t.must("an agent's revert", t.shows(1))
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
	t.check("nothing is asked", t.titled())
	t.must("closed", t.window().do(nil, "command", args{"command": "workbench.action.closeActiveEditor"}))
}
