//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/lsp/transaction"
)

const joinBefore = "w1z a\nw2z a\nw3z a\nw4z a\n"

// deleteOfTwo is the diff of an edit that deletes the second line.
const deleteOfTwo = "--- a/d.txt\n+++ b/d.txt\n@@ -1,4 +1,3 @@\n w1z a\n-w2z a\n w3z a\n w4z a\n"

// change is a record's entry for a change from a line on, which is from 0.
func change(at int64, who string, first int, old, new string) event {
	cut := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, "|")
	}
	return event{At: at, What: "change", Doc: "d.txt", Who: who, First: first, Old: cut(old), New: cut(new)}
}

func keyOf(key string) event { return event{What: "key", Key: key} }

// deletion is a command that deletes the second line, and its answer.
func deletion(result transaction.Result, kind string) *sent {
	return &sent{
		Command: "delete_lines", Args: args{"start_line": 2}, Began: 1000, Ended: 9000, Result: result, Kind: kind,
		Asked: tokens{"w2z": -1},
	}
}

func verifiedBy(diff string) transaction.Result {
	return transaction.Result{Applied: true, Verified: true, Diff: diff}
}

// The judge finds each violation, and none if everything is right.
func TestJudgeOfSoak(t *testing.T) {
	const apart = int64(100_000) // more than the clocks may be apart
	agents := change(5000, byAgent, 1, "w2z a", "")
	joins := []event{keyOf("J"), change(5000, byUser, 0, "w1z a", "w1z a w2z a"), change(5001, byUser, 1, "w2z a", "")}
	completed := []event{
		change(0, byUser, 1, "w2z a", "u12"), keyOf(""), change(5000, byAgent, 1, "u12", "a5z b"), keyOf("3"),
		change(6000, byUser, 1, "a5z b", "a5z b34z"), keyOf(""), change(2*apart+1, byAgent, 1, "a5z b34z", "u1234z"),
	}
	completes := []*sent{
		{Command: "apply_patch", Began: 4000, Ended: 5500, Own: tokens{"a5z": 1}, Asked: tokens{"a5z": 1}, Result: verifiedBy("--- a/d.txt\n+++ b/d.txt\n@@ -1,4 +1,4 @@\n w1z a\n-u12\n+a5z b\n w3z a\n w4z a\n")},
		{Command: "undo", Began: 2 * apart, Ended: 3 * apart, Asked: tokens{"a5z": -1}, Result: verifiedBy("--- a/d.txt\n+++ b/d.txt\n@@ -1,4 +1,4 @@\n w1z a\n-a5z b34z\n+u1234z\n w3z a\n w4z a\n")},
	}
	replaced := &sent{
		Command: "str_replace", Began: 4000, Ended: 6000, Own: tokens{"a12z": 1}, Asked: tokens{"a12z": 1, "w2z": -1},
		Result: verifiedBy("--- a/d.txt\n+++ b/d.txt\n@@ -1,4 +1,4 @@\n w1z a\n-w2z a\n+a12z a\n w3z a\n w4z a\n"),
	}
	again := &sent{Command: "undo", Began: 2 * apart, Ended: 3 * apart, Asked: tokens{"w2z": 1}, Result: verifiedBy("--- a/d.txt\n+++ b/d.txt\n@@ -1,3 +1,4 @@\n w1z a w2z a\n+w2z a\n w3z a\n w4z a\n")}
	for _, c := range []struct {
		name    string
		events  []event
		sents   []*sent
		excuses bool
		want    []string
		same    int
	}{
		{"made and verified", []event{agents}, []*sent{deletion(verifiedBy(deleteOfTwo), "")}, false, nil, 0},
		{"verified, and nothing made", nil, []*sent{deletion(verifiedBy(deleteOfTwo), "")}, true, []string{wrongFalse}, 0},
		{"verified, and the user joined the lines", joins, []*sent{deletion(verifiedBy(deleteOfTwo), "")}, true, []string{wrongFalse}, 0},
		{"verified, and the user deleted that line", []event{change(5000, byUser, 1, "w2z a", "")}, []*sent{deletion(verifiedBy(deleteOfTwo), "")}, true, nil, 1},
		{"the same in an editor with a plugin", []event{change(5000, byUser, 1, "w2z a", "")}, []*sent{deletion(verifiedBy(deleteOfTwo), "")}, false, []string{wrongFalse}, 0},
		{"made before the command", []event{change(-apart, byAgent, 1, "w2z a", "")}, []*sent{deletion(verifiedBy(deleteOfTwo), "")}, true, []string{wrongAstray, wrongFalse, wrongLost}, 0},
		{"refused, and made", []event{agents}, []*sent{deletion(transaction.Result{}, "rejected_by_editor")}, false, []string{wrongMade}, 0},
		{"refused, made and taken back", []event{agents, keyOf(""), change(6000, byAgent, 1, "", "w2z a")}, []*sent{deletion(transaction.Result{}, "rejected_by_editor")}, false, nil, 0},
		{"not settled, and made", []event{agents}, []*sent{deletion(transaction.Result{}, "not_settled")}, false, nil, 0},
		{"not settled, and another line was deleted", []event{change(5000, byAgent, 2, "w3z a", "")}, []*sent{deletion(transaction.Result{}, "not_settled")}, false, []string{wrongElse}, 0},
		{"another line was deleted", []event{change(5000, byAgent, 2, "w3z a", "")}, []*sent{deletion(verifiedBy(deleteOfTwo), "")}, false, []string{wrongAstray, wrongFalse, wrongLost}, 0},
		{
			"a repair wrote a line twice",
			slices.Concat([]event{agents, keyOf("J"), change(5100, byUser, 0, "w1z a", "w1z a w3z a"), change(5101, byUser, 1, "w3z a", ""), keyOf("")}, []event{change(6000, byAgent, 1, "", "w3z a")}),
			[]*sent{deletion(verifiedBy(deleteOfTwo), "")},
			false,
			[]string{wrongAstray, wrongDoubled},
			0,
		},
		{
			"an edit that was none is undone",
			slices.Concat(joins, []event{keyOf(""), change(2*apart+1, byAgent, 1, "", "w2z a")}),
			[]*sent{deletion(verifiedBy(deleteOfTwo), ""), again},
			false,
			[]string{wrongFalse, wrongDoubled},
			0,
		},
		{
			"the diff is of a text of a little later",
			[]event{agents, keyOf("x"), change(5100, byUser, 0, "w1z a", "w1z b")},
			[]*sent{deletion(verifiedBy(strings.Replace(deleteOfTwo, "w1z a", "w1z b", 1)), "")},
			false,
			nil,
			0,
		},
		{"a word that ends as the one before it", []event{change(5000, byAgent, 1, "w2z a", "a12z a")}, []*sent{replaced}, false, nil, 0},
		{"a word that the user went on typing behind an agent's text is whole again", completed, completes, false, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			texts := map[string]string{"d.txt": joinBefore}
			h, err := record{Events: c.events}.read(texts)
			if err != nil {
				t.Fatal(err)
			}
			j := judgeSoak(h, c.sents, c.excuses)
			var kinds []string
			for _, w := range j.wrongs {
				kinds = append(kinds, w.Kind)
			}
			if fmt.Sprint(kinds) != fmt.Sprint(c.want) || j.same != c.same {
				t.Errorf("got %q and %d of the user's acts, want %q and %d: %+v", kinds, j.same, c.want, c.same, j.wrongs)
			}
		})
	}
}

// A record that does not fit the text before it, or does not lead to the editor's text,
// cannot be used to judge.
func TestRecordThatMissesAChange(t *testing.T) {
	texts := map[string]string{"d.txt": joinBefore}
	if _, err := (record{Events: []event{change(1, byUser, 1, "w3z a", "")}}).read(texts); err == nil {
		t.Error("a change of a line that is not there was taken")
	}
	h, err := record{Events: []event{change(1, byUser, 1, "w2z a", "")}}.read(texts)
	if err != nil {
		t.Fatal(err)
	}
	if h.holds(map[string]string{"d.txt": "w1z a\nw3z a\nw4z a\n"}) != nil {
		t.Errorf("the changes give %q", h.texts["d.txt"])
	}
	if h.holds(texts) == nil {
		t.Error("a text that the changes do not give was taken")
	}
}

func TestDiffIsApplied(t *testing.T) {
	for _, c := range []struct{ diff, before, after string }{
		{deleteOfTwo, joinBefore, "w1z a\nw3z a\nw4z a\n"},
		{"--- a/d.txt\n+++ b/d.txt\n@@ -4,1 +4,2 @@\n-w4z a\n+w4z a\n+w5z a\n\\ No newline at end of file\n", joinBefore, joinBefore + "w5z a"},
		{"--- a/d.txt\n+++ b/d.txt\n@@ -0,0 +1,1 @@\n+w0\n", "", "w0\n"},
	} {
		u, err := readDiff(c.diff)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := apply(u["d.txt"], c.before)
		if !ok || got != c.after {
			t.Errorf("%q on %q: got %q, %t, want %q", c.diff, c.before, got, ok, c.after)
		}
		if got, ok := apply(back(u["d.txt"]), c.after); !ok || got != c.before {
			t.Errorf("%q back from %q: got %q, %t", c.diff, c.after, got, ok)
		}
	}
	if _, ok := apply([]hunk{{first: 2, old: []string{"w3z a\n"}}}, joinBefore); ok {
		t.Error("a hunk was applied where its lines do not stand")
	}
}
