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
