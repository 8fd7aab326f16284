package main

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestRunOfNothing: the error says which program cannot be run.
func TestRunOfNothing(t *testing.T) {
	liveeditor.Home(t)
	code, _, errs := commandLine(t, "", "run", "--", "no-such-agent")
	if code != exitFailed || !strings.Contains(errs, "no-such-agent") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if code, _, errs = commandLine(t, "", "run"); code != exitUsage || !strings.Contains(errs, "name the agent") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}
