package patchls_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// A command of SECURITY.md, with or without quotes around what it runs.
	testCommand = regexp.MustCompile(`go test (\./\S+|\.)\s+-run\s+'?([^'` + "`" + `]+)'?` + "`")
	testName    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// TestSecurityNamesTests: each test by which SECURITY.md holds a claim is there.
func TestSecurityNamesTests(t *testing.T) {
	raw, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	complaints, commands := missingTests(t, string(raw))
	for _, c := range complaints {
		t.Error(c)
	}
	if commands < 20 {
		t.Errorf("found %d commands: the test is blind", commands)
	}
	const wrong = "`go test ./agent -run 'TestLeaked\\|TestNoSuch'` and `go test . -run\n  TestNeither`"
	if got, _ := missingTests(t, wrong); len(got) != 2 {
		t.Errorf("of %q it complains %q", wrong, got)
	}
}

// An action that a workflow uses, by the commit and with the version.
var (
	usedAction   = regexp.MustCompile(`(?m)^\s*-?\s*uses:\s*(.*)$`)
	pinnedAction = regexp.MustCompile(`^[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// TestActionsArePinned: a tag of an action can be moved to other code, which then has the rights of the job.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		used := usedAction.FindAllStringSubmatch(string(raw), -1)
		if len(used) == 0 {
			t.Errorf("%s uses no action: the test is blind", file)
		}
		for _, m := range used {
			if !pinnedAction.MatchString(m[1]) {
				t.Errorf("%s uses %s, which names no commit", file, m[1])
			}
		}
	}
}

// missingTests returns what the commands on a page run that is not there.
func missingTests(t *testing.T, page string) (complaints []string, commands int) {
	t.Helper()
	for _, m := range testCommand.FindAllStringSubmatch(page, -1) {
		commands++
		names := testsIn(t, m[1])
		for alternative := range strings.SplitSeq(strings.ReplaceAll(m[2], `\|`, "|"), "|") {
			top, _, _ := strings.Cut(alternative, "/")
			if !regexp.MustCompile(top).MatchString(names) {
				complaints = append(complaints, fmt.Sprintf("%s has no test that %q runs", m[1], top))
			}
		}
	}
	return complaints, commands
}

// testsIn returns the names of the tests of a package, each on a line.
func testsIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names strings.Builder
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testName.FindAllStringSubmatch(string(src), -1) {
			fmt.Fprintln(&names, m[1])
		}
	}
	return names.String()
}
