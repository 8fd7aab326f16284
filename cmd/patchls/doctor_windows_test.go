package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestDoctorOnWindows names its paths, its variables and no command of a Unix shell.
func TestDoctorOnWindows(t *testing.T) {
	liveeditor.Home(t)
	notThere := regexp.MustCompile(`\b(HOME|chmod|rm|ls)\b|/patchls/`)
	doctor := func(want string) {
		t.Helper()
		code, out, errs := commandLine(t, "", "doctor", "--root", t.TempDir())
		if code != 1 || !strings.Contains(out, want) || notThere.MatchString(out) || errs != "" {
			t.Errorf("exit code %d, want %q in %s%s", code, want, out, errs)
		}
	}
	if err := os.MkdirAll(liveeditor.Discovery(), 0o700); err != nil { // which others may enter, since it has its parent's access list
		t.Fatal(err)
	}
	doctor("to do: remove " + liveeditor.Discovery() + ", and restart the editor, which makes it anew\n")
	t.Setenv("LOCALAPPDATA", "")
	doctor(`to do: set LOCALAPPDATA to AppData\Local in your home folder`)
}
