package lsp_test

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
)

// ofOneTime matches what may differ between two runs: folders, and the numbers of edits
// of several documents that end at the same time.
var ofOneTime = regexp.MustCompile(`\be\d+\b|/[^ "]*/`)

// sorted returns a remark with its lines sorted, since what happens at one
// time has no order, and without what may differ.
func sorted(remark string) string {
	lines := strings.Split(ofOneTime.ReplaceAllString(remark, ""), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestSimRepeats: the same list of steps is the same run, to the last answer and
// text. Without that no trace would show anything.
func TestSimRepeats(t *testing.T) {
	for _, e := range chance.Sample(simEditors) {
		run := simRun{editor: e.name, seed: 7, steps: drawSteps(rand.New(rand.NewPCG(11, 0)), 60)}
		first := simulate(t, run)
		again, err := parseSim(first.print(run))
		if err != nil {
			t.Fatal(err)
		}
		again.steps = append(again.steps, run.steps[len(again.steps):]...)
		if !reflect.DeepEqual(again, run) {
			t.Fatalf("%s: the trace of a run is another run:\n%v\n%v", e.name, run, again)
		}
		second := simulate(t, again)
		for i := range min(len(first.remarks), len(second.remarks)) {
			if sorted(first.remarks[i]) != sorted(second.remarks[i]) {
				t.Errorf("%s: step %d, %v, came to\n%s\nand then to\n%s", e.name, i, run.steps[i], first.remarks[i], second.remarks[i])
			}
		}
	}
}

// TestSimShrinks: of many steps only the necessary ones are left.
func TestSimShrinks(t *testing.T) {
	t.Parallel()
	run := simRun{steps: drawSteps(rand.New(rand.NewPCG(1, 0)), 50)}
	need := []simStep{run.steps[3], run.steps[17], run.steps[44]}
	small := shrink(run, func(r simRun) bool {
		return !slices.ContainsFunc(need, func(s simStep) bool { return !slices.Contains(r.steps, s) })
	}, time.Minute)
	if !slices.Equal(small.steps, need) {
		t.Errorf("%v is left of %v", small.steps, need)
	}
}

// TestSimDiffs: a diff is applied where it says, to the byte, or not at all.
func TestSimDiffs(t *testing.T) {
	t.Parallel()
	const diff = "--- a/x\n+++ b/x\n@@ -2,2 +2,2 @@\n b\r\n-⟦p1p1⟧\n\\ No newline at end of file\n+⟦p2p2⟧\n"
	all, err := parseDiffs(diff)
	if err != nil {
		t.Fatal(err)
	}
	d := all["x"]
	if got, ok := d.apply("a\nb\r\n⟦p1p1⟧"); !ok || got != "a\nb\r\n⟦p2p2⟧\n" {
		t.Errorf("got %q, %t", got, ok)
	}
	for _, other := range []string{"a\nb\n⟦p1p1⟧", "a\nb\r\n⟦p1p1⟧\n", "b\r\n⟦p1p1⟧", ""} {
		if got, ok := d.apply(other); ok {
			t.Errorf("%q: got %q", other, got)
		}
	}
	if !d.removed["⟦p1p1⟧"] || !d.added["⟦p2p2⟧"] || len(d.removed)+len(d.added) != 2 {
		t.Errorf("removed %v, added %v", d.removed, d.added)
	}
}

// TestSimOracle: what comes and goes without a reason is seen.
func TestSimOracle(t *testing.T) {
	t.Parallel()
	const p, a, x = "⟦p1p1⟧", "⟦a2a2⟧", "⟦d3d3⟧"
	deletes := func(fate simFate) *simCommand {
		return &simCommand{fate: fate, took: set{}, diffs: map[string]*simDiff{"d": {removed: set{p: true}}}}
	}
	for name, test := range map[string]struct {
		from, to string
		user     bool
		c        *simCommand // under way
		merged   map[string]int
		rule     string // "" if all is well
	}{
		"nothing":              {from: p, to: p + "x"},
		"the user deleted":     {from: p, user: true},
		"nobody deleted":       {from: p, rule: "lost"},
		"an agent deleted":     {from: p, c: deletes(verified)},
		"an agent did nothing": {from: p, c: deletes(nothing), rule: "lost"},
		"nobody knows":         {from: p, c: deletes(unknown)},
		"came from nowhere":    {to: a, rule: "late"},
		"came twice":           {from: a, to: a + a, rule: "twice"},
		"the user undid twice": {from: a, to: a + a, user: true},
		"by a merge":           {from: p, to: x, merged: map[string]int{p: -1, x: 1}},
		"by no merge":          {to: x, merged: map[string]int{p: -1}, rule: "late"},
		"by two merges":        {from: x, to: x + x, merged: map[string]int{x: 1}, rule: "twice"},
	} {
		d := &simDoc{name: "d"}
		o := newOracle(simEditor{faithful: true})
		was, now := newState(test.from, true, true), newState(test.to, true, true)
		now.user, now.merged = test.user, test.merged
		d.states = []simState{was, now}
		if test.c != nil {
			test.c.from = map[*simDoc]int{d: 0}
			o.open = append(o.open, test.c)
		}
		o.saw(d, &was, &now)
		if test.c != nil {
			o.explain(test.c)
		}
		got := ""
		if o.failed != nil {
			got = o.failed.rule
		}
		if got != test.rule {
			t.Errorf("%s: got %q, want %q", name, got, test.rule)
		}
	}
}
