//go:build unix

package main

import (
	"fmt"
	"strings"
)

// reviewInHelix are the cases of what a user sees of agents' hunks in Helix, which has
// code actions and no code lenses.
var reviewInHelix = []testCase{
	{"review-action", helixActions},
	{"confirm-message", helixMessage},
}

// helixActions reverts one hunk by its code action, and leaves what was typed.
func helixActions(t *trial) {
	e, _ := t.Editor.(*helix) // the case runs in no other
	t.write("a.txt", "x 1\nstays\nx 2\n")
	t.open("a.txt")
	t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "x", "new_str": "why", "replace_all": true})
	t.must("goto", t.Goto(t.path("a.txt"), 2, 1))
	t.must("typing", t.Type("typed "))
	t.must("rest", t.Rest())
	t.must("goto", t.Goto(t.path("a.txt"), 3, 1))
	t.must("menu", e.types(" a"))
	t.check("offered", until(settleTime, func() error {
		for _, title := range []string{"Keep 1 line by e2e", "Revert 1 line by e2e", "Revert all of edit "} {
			if screen := e.Screen(); !strings.Contains(screen, title) {
				return fmt.Errorf("helix does not offer %q:\n%s", title, screen)
			}
		}
		return nil
	}))
	t.must("choose", e.keys("Down", "Enter"))
	t.check("reverted", until(settleTime, func() error { return t.same("a.txt", "why 1\ntyped stays\nx 2\n") }))
}

// helixMessage: Helix asks by a menu, over the text.
func helixMessage(t *trial) {
	e, _ := t.Editor.(*helix)
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	for _, answer := range []struct {
		keys []string
		want string
	}{{[]string{"Down", "Down", "Enter"}, "rejected_by_editor"}, {[]string{"Enter"}, ""}} {
		p := t.twoIsProposed()
		t.must("question", e.shows("e2e wants to make an edit."))
		t.must("keys", e.keys(answer.keys...))
		if err := t.answered(p); (err == nil) != (answer.want == "") || err != nil && kindOf(err) != answer.want {
			t.check("answer", fmt.Errorf("the agent got %w, want %q", err, answer.want))
		}
	}
	t.check("text", t.same("a.txt", "one\n2\n"))
}
