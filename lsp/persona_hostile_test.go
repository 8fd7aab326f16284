package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/gittest"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/transaction"
)

// hostileRounds is how often each case runs, every other time with its files open.
const hostileRounds = 2

// TestCasesUnderHostility runs testdata/edits and testdata/patches in the hostile
// editor. No command need succeed there, but each ends in its time, and what its
// answer says of the text must be so when all is over. PATCHLS_SEED repeats a run.
func TestCasesUnderHostility(t *testing.T) {
	var cases []fileCase
	for _, name := range caseNames(t) {
		if !strings.HasPrefix(filepath.Base(name), "shown-") { // the hostile user would have to make just that change
			cases = append(cases, editCase(t, name))
		}
	}
	names, err := filepath.Glob("../testdata/patches/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		cases = append(cases, patchCase(t, name))
	}
	runHostile(t, cases)
}

// runHostile runs each case several times, each time in an editor of its own, so that a
// failure involves only one command.
func runHostile(t *testing.T, cases []fileCase) {
	t.Helper()
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range hostileRounds {
		open := round%2 == 0
		bubble(t, func(t *testing.T) {
			for _, c := range cases {
				dice := r.Uint64()
				if err := c.suffer(t, dice, open); err != nil {
					t.Errorf("%s, files open %t, seed of the editor %d: %v", c.name, open, dice, err)
				}
			}
		})
	}
}

// suffer runs the case in a hostile editor that reports every change. The text of an
// editor that does not cannot be known; TestSim has such editors.
func (c fileCase) suffer(t *testing.T, seed uint64, open bool) error {
	t.Helper()
	kind := simEditor{name: "hostile", options: hostileEditor}
	opts := kind.options(seed)
	s := startInBubble(t, c.before, opts)
	defer func() { _ = s.Close() }() // or its timers would go on beside those of all later ones
	if open {
		for name := range c.before {
			s.open(name)
		}
	}
	if c.reads != "" {
		run[reference.Reading](s, "text_editor", args{"action": "read", "path": c.reads})
	}

	judge := &simWorld{kind: kind, oracle: newOracle(kind), docs: make([]*simDoc, len(c.before)+len(c.after))} // each has its time
	sent := &simCommand{name: c.command, began: time.Now()}
	raw, err := s.Execute(context.Background(), "patchls."+c.command, c.args)
	judge.judgeTime(sent)
	var said transaction.Result
	var f failure
	var wire *jsonrpc2.Error
	switch {
	case errors.As(err, &wire):
		f = failureOf(t, raw, err)
		judge.refused(sent, string(f.Kind), wire)
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(raw, &said); err != nil {
			return err
		}
		sent.fate = fateOf(said)
	}
	if judge.oracle.failed != nil {
		return errors.New(judge.oracle.failed.String())
	}
	if c.failure != "" && f.Kind != c.failure {
		return fmt.Errorf("%v, result %s; want %s", err, raw, c.failure)
	}
	pass(settled)
	was, now := withoutMarks(c.before), s.filesNow(said)
	wants := map[simFate][]gittest.Tree{nothing: {was}, verified: {c.after}, unknown: {was, c.after}}[sent.fate]
	for _, name := range differs(now, wants) {
		if !f.owns(name) {
			return fmt.Errorf("%v, result %s\n%s is %q, want as in one of %q", err, raw, name, now[name], wants)
		}
	}
	return nil
}

// owns reports whether an error admits that something may be left in a file.
func (f failure) owns(name string) bool {
	return strings.Contains(f.Message, name) && slices.ContainsFunc(saysPartly, func(words string) bool { return strings.Contains(f.Message, words) })
}

func fateOf(r transaction.Result) simFate {
	switch {
	case r.Applied && r.Verified:
		return verified
	case r.Applied:
		return unknown
	}
	return nothing
}

// filesNow returns what the editor has: its buffers, and disk for files that are not
// open. It saves what the result names first, since an editor may delete and rename
// only then.
func (s *session) filesNow(r transaction.Result) gittest.Tree {
	s.t.Helper()
	for _, f := range r.Files {
		if f.Change == "delete" || f.Change == "rename" {
			_ = s.SaveAll(f.URI) // an error where there is nothing to save any more
		}
	}
	all := gittest.Read(s.t, s.root)
	for _, b := range s.Buffers() {
		name, err := filepath.Rel(s.root, b.Path())
		if err != nil {
			s.t.Fatal(err)
		}
		all[name] = b.Text()
	}
	return withoutMarks(all)
}

// differs returns the names of files that differ from all of the trees.
func differs(now gittest.Tree, wants []gittest.Tree) []string {
	var names []string
	for _, all := range append([]gittest.Tree{now}, wants...) {
		for name := range all {
			got, is := now[name]
			fits := slices.ContainsFunc(wants, func(tree gittest.Tree) bool {
				want, wanted := tree[name]
				return is == wanted && got == want
			})
			if !fits {
				names = append(names, name)
			}
		}
	}
	return names
}
