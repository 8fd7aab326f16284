package lsp_test

import (
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/transaction"
)

// TestSimWho: an answer that disagrees with who made the changes is detected, and one
// that agrees is accepted.
func TestSimWho(t *testing.T) {
	t.Parallel()
	const p, a, path = "⟦p1p1⟧", "⟦a2a2⟧", "/d"
	const diff = "--- a/d\n+++ b/d\n@@ -1,2 +1,1 @@\n x\n-y\n"
	strict, lying := simEditor{faithful: true, honest: true}, simEditor{}
	edit := &headless.ApplyEditParams{}
	by := func(e *headless.ApplyEditParams, before, after string) simChange {
		return simChange{path: path, edit: e, before: before, after: after, at: time.Now()}
	}
	for name, test := range map[string]struct {
		kind     simEditor
		fate     simFate
		may      set // what the command may delete
		changes  []simChange
		rule     string
		exempted int64
	}{
		"the edit":                      {kind: strict, fate: verified, changes: []simChange{by(edit, "x\ny\n", "x\n")}},
		"the edit, where it was typed":  {kind: strict, fate: verified, changes: []simChange{by(edit, "xx\ny\n", "xx\n")}},
		"nothing":                       {kind: strict, fate: verified, rule: "who"},
		"the user's change":             {kind: strict, fate: verified, changes: []simChange{by(nil, "x\ny\n", "x\n")}, rule: "who"},
		"the user's, nobody can tell":   {kind: lying, fate: verified, changes: []simChange{by(nil, "x\ny\n", "x\n")}, exempted: 1},
		"another edit":                  {kind: strict, fate: verified, changes: []simChange{by(edit, "x\ny\n", "x\ny\nz\n")}, rule: "who"},
		"a no":                          {kind: strict, fate: nothing},
		"a no, and it was made":         {kind: strict, fate: nothing, may: set{p: true}, changes: []simChange{by(edit, p, "")}, rule: "who"},
		"a no, and it was put back":     {kind: strict, fate: nothing, may: set{p: true}, changes: []simChange{by(edit, p, ""), by(&headless.ApplyEditParams{}, "", p)}},
		"a repair of the user's":        {kind: strict, fate: unknown, may: set{}, changes: []simChange{by(nil, p, ""), by(edit, "", p)}, rule: "who"},
		"a repair of the edit":          {kind: strict, fate: unknown, may: set{p: true}, changes: []simChange{by(edit, p, ""), by(&headless.ApplyEditParams{}, "", p)}},
		"what stands twice by a repair": {kind: strict, fate: unknown, may: set{p: true}, changes: []simChange{by(edit, p+a, a), by(&headless.ApplyEditParams{}, a, a+a)}, rule: "who"},
		"what no command was to take":   {kind: strict, fate: unknown, may: set{}, changes: []simChange{by(edit, p, "")}, rule: "who"},
		"what the command was to take":  {kind: strict, fate: unknown, may: set{p: true}, changes: []simChange{by(edit, p, "")}},
		"a no, and the user did it":     {kind: strict, fate: nothing, changes: []simChange{by(nil, p, "")}},
	} {
		d := &simDoc{name: "d", path: path, states: []simState{newState("", true, true)}}
		c := &simCommand{fate: test.fate, from: map[*simDoc]int{d: 0}, may: map[*simDoc]set{d: test.may}, said: &transaction.Result{Diff: diff}}
		w := &simWorld{kind: test.kind, docs: []*simDoc{d}, oracle: newOracle(test.kind), sent: []*simCommand{c}}
		w.log.changes = test.changes
		var err error
		if c.diffs, err = parseDiffs(diff); err != nil {
			t.Fatal(err)
		}
		before := simExempted.Load()
		switch test.fate {
		case verified:
			w.judgeWho(c, d)
		case nothing:
			w.judgeNoHand(c)
		default:
			w.judgeHands()
		}
		got := ""
		if w.oracle.failed != nil {
			got = w.oracle.failed.rule
		}
		if exempted := simExempted.Load() - before; got != test.rule || exempted < test.exempted {
			t.Errorf("%s: got %q and let %d pass, want %q and %d", name, got, exempted, test.rule, test.exempted)
		}
	}
}
