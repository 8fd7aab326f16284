package main

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestHookEnds: exit code 2 would make the agent not use its tool, so that no question, and no wrong command line, has it.
func TestHookEnds(t *testing.T) {
	liveeditor.Home(t)
	if code, out, errs := commandLine(t, "no JSON", "hook", "codex"); code != 0 || out+errs != "" {
		t.Errorf("no JSON: exit code %d, %q, %q", code, out, errs)
	}
	for _, args := range [][]string{{"hook"}, {"hook", "another"}, {"hook", "claude", "codex"}} {
		if code, out, errs := commandLine(t, "", args...); code != 1 || out != "" || !strings.Contains(errs, "name one agent: claude") {
			t.Errorf("%v: exit code %d, %q, %q", args, code, out, errs)
		}
	}
}
