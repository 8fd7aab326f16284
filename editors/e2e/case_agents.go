//go:build unix

package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp/transaction"
)

// agentUndo: an agent takes its edit back, and what was typed before and since stays.
func agentUndo(t *trial) {
	t.write("a.txt", "one\ntwo\nthree\n")
	t.open("a.txt")
	t.types("a.txt", 1, 1, "before ")
	r := t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "two", "new_str": "2"})
	t.types("a.txt", 3, 1, "since ")
	t.must("rest", t.Rest())
	t.edit("undo", args{"edit_id": r.EditID})
	t.check("text", t.same("a.txt", "before one\ntwo\nsince three\n"))
	t.check("disk unchanged", t.disk("a.txt", "one\ntwo\nthree\n"))
}

// carriedLines: numbers of lines that an agent was shown are carried over what was typed
// above since.
func carriedLines(t *trial) {
	t.write("a.txt", "one\ntwo\nthree\n")
	t.open("a.txt")
	v, err := t.agent.view("a.txt")
	t.must("view", err)
	t.types("a.txt", 1, 1, "typed\nabove\n")
	t.must("rest", t.Rest())
	t.edit("delete_lines", args{"path": t.path("a.txt"), "start_line": 2, "end_line": 2, "rev": v.Rev})
	t.check("text", t.same("a.txt", "typed\nabove\none\nthree\n"))
}

// refused: what has no place, or two, changes nothing, and says so.
func refused(t *trial) {
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	t.types("a.txt", 1, 1, "two ")
	t.must("rest", t.Rest())
	for old, want := range map[string]string{"four": "no_match", "two": "multiple_matches"} {
		var r transaction.Result
		err := t.agent.execute("str_replace", args{"path": t.path("a.txt"), "old_str": old, "new_str": "x"}, &r)
		if kindOf(err) != want {
			err = fmt.Errorf("want %s, got %w, %s", want, err, r.Message)
		} else {
			err = nil
		}
		t.check(want, err)
	}
	t.check("text", t.same("a.txt", "two one\ntwo\n"))
	t.check("server has the text", t.told("a.txt"))
}

// twoAgents: two agents edit one text at once.
func twoAgents(t *trial) {
	const each = 5
	var lines strings.Builder
	for i := range each {
		fmt.Fprintf(&lines, "[%d]\n", i)
	}
	text := lines.String()
	t.write("a.txt", text)
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	other := newHelper(t.folder)
	defer other.close()
	var errs [2]error
	var all sync.WaitGroup
	for n, h := range []*helper{t.agent, other} {
		all.Go(func() {
			for i := range each {
				_, err := h.edit("str_replace", args{
					"path": t.path("a.txt"), "old_str": fmt.Sprintf("[%d]", i), "new_str": fmt.Sprintf("[%d]<%d>", i, n),
				})
				errs[n] = errors.Join(errs[n], err)
			}
		})
	}
	all.Wait()
	t.must("verified", errors.Join(errs[:]...))
	t.check("text", t.hasBoth(each))
	t.check("server has the text", t.told("a.txt"))
}

// hasBoth checks that each line has both agents' marks, in any order.
func (t *trial) hasBoth(lines int) error {
	orders := func(i int) [2]string {
		return [2]string{fmt.Sprintf("[%d]<0><1>\n", i), fmt.Sprintf("[%d]<1><0>\n", i)}
	}
	b, err := t.Text(t.path("a.txt"))
	if err != nil {
		return err
	}
	want := "typed "
	for i := range lines {
		next := orders(i)
		if at := len(want); len(b.Text) >= at+len(next[1]) && b.Text[at:at+len(next[1])] == next[1] {
			want += next[1]
		} else {
			want += next[0]
		}
	}
	return t.same("a.txt", want)
}

// gone reports whether an error tells that the editor is.
func gone(err error) bool {
	return errors.Is(err, agent.ErrLost) || errors.Is(err, agent.ErrNotSent) || errors.Is(err, agent.ErrNoEditor) ||
		kindOf(err) == "editor_gone"
}
