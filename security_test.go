package patchls_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/workspace/paths"
)

const securityPage = "docs/security.md"

var (
	// What follows go test in a command of the page, with or without quotes around the tests.
	testCommand = regexp.MustCompile(`(\./\S+|\.)\s+-run\s+'?([^'` + "`" + `]+)'?` + "`")
	testName    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	// The cells of a row, but those of a rule or a head; and a case of make e2e that one names.
	promiseRow = regexp.MustCompile(`(?m)^\| (\S.*?) \| (\S.*) \|$`)
	namedCase  = regexp.MustCompile("(?:case|and) `([a-z-]+)`")
)

// TestSecurityNamesTests: the page has a test for each promise, and the tests are there.
func TestSecurityNamesTests(t *testing.T) {
	raw, err := os.ReadFile(securityPage)
	if err != nil {
		t.Fatal(err)
	}
	complaints, commands := missingTests(t, string(raw))
	unproven, promises := unprovenPromises(t, string(raw))
	for _, c := range slices.Concat(complaints, unproven) {
		t.Error(c)
	}
	if commands < 90 || promises < 60 {
		t.Errorf("found %d commands and %d promises: the test is blind", commands, promises)
	}
	const wrong = "`./agent -run 'TestLeaked\\|TestNoSuch'` and `. -run\n  TestNeither`"
	if got, _ := missingTests(t, wrong); len(got) != 2 {
		t.Errorf("of %q it complains %q", wrong, got)
	}
	const empty = "| promise | test |\n|---|---|\n| it is kept | by care |\n| so is this | the case `no-such` |\n"
	if got, n := unprovenPromises(t, empty); len(got) != 2 || n != 2 {
		t.Errorf("of %q it complains %q", empty, got)
	}
}

// unprovenPromises returns the rows that name no test, target of the Makefile or case of make e2e, and those whose
// case is not there.
func unprovenPromises(t *testing.T, page string) (complaints []string, promises int) {
	t.Helper()
	files, err := filepath.Glob("editors/e2e/case_*.go")
	if err != nil {
		t.Fatal(err)
	}
	var src strings.Builder
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src.Write(raw)
	}
	for _, row := range promiseRow.FindAllStringSubmatch(strings.ReplaceAll(page, `\|`, "/"), -1) {
		if row[2] == "test" {
			continue
		}
		promises++
		cases := namedCase.FindAllStringSubmatch(row[2], -1)
		if len(cases) == 0 && !testCommand.MatchString(row[2]) && !strings.Contains(row[2], "`make ") {
			complaints = append(complaints, fmt.Sprintf("%s names no test for %q", securityPage, row[1]))
		}
		for _, m := range cases {
			if !strings.Contains(src.String(), `{"`+m[1]+`",`) {
				complaints = append(complaints, fmt.Sprintf("%s names the case %s, which is not there", securityPage, m[1]))
			}
		}
	}
	return complaints, promises
}

// editorsFiles are the files of a folder from which each editor of docs/editors.md, or a plugin of it, starts programs.
var editorsFiles = map[string][]string{
	"Neovim":       {".nvim.lua", ".nvimrc", ".exrc", ".lazy.lua", ".neoconf.json", ".vim/coc-settings.json", ".mcphub/servers.json"},
	"VS Code":      {".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json", ".vscode/mcp.json", "a.code-workspace", ".devcontainer/devcontainer.json"},
	"Helix":        {".helix/config.toml", ".helix/languages.toml"},
	"Emacs":        {".dir-locals.el", ".dir-locals-2.el"},
	"Vim":          {".exrc", "_exrc", ".vimrc", ".lvimrc", ".local.vimrc", ".vim/coc-settings.json", ".vimspector.json"},
	"Sublime Text": {"a.sublime-project"},
	"Kakoune":      {}, // it takes nothing from a folder
	"Zed":          {".zed/settings.json", ".zed/tasks.json", ".zed/debug.json"},
}

// TestEditorsFilesAreGuarded: an edit of a file from which an editor starts programs needs the user's agreement.
func TestEditorsFilesAreGuarded(t *testing.T) {
	raw, err := os.ReadFile("docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	policy := paths.Policy{Roots: paths.Pin(t.TempDir())}
	rows := regexp.MustCompile(`(?m)^\| \[([^]]+)\]\(editors/`).FindAllStringSubmatch(string(raw), -1)
	if len(rows) < len(editorsFiles) {
		t.Errorf("docs/editors.md has %d editors: the test is blind", len(rows))
	}
	for _, row := range rows {
		names, known := editorsFiles[row[1]]
		if !known {
			t.Errorf("the files of %s are not here", row[1])
		}
		for _, name := range names {
			if got, err := policy.Resolve(name, nil); err != nil || got.Guarded == nil {
				t.Errorf("%s of %s is not guarded: %+v, %v", name, row[1], got, err)
			}
		}
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

// TestNothingElseListens: agents reach a server by a socket or a pipe of their user, and nobody by TCP.
func TestNothingElseListens(t *testing.T) {
	listens := regexp.MustCompile(`\b(net|tls|winio|windows)\.(\w*Listen\w*|CreateNamedPipe)\b`)
	var found []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return err
		}
		for _, tests := range []string{"bench", "editors/e2e", "internal/testkit"} { // nothing that a user runs
			if strings.HasPrefix(filepath.ToSlash(name), tests+"/") {
				return nil
			}
		}
		raw, err := os.ReadFile(name)
		if slices.ContainsFunc(listens.FindAllString(string(raw), -1), func(use string) bool { return use != "net.Listener" }) { // a type
			found = append(found, filepath.ToSlash(name))
		}
		return err
	})
	if want := []string{"agent/transport_unix.go", "agent/transport_windows.go"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("%q listen, want %q (%v)", found, want, err)
	}
}

// TestTheHookStoresNothing: it calls nothing that changes a file.
func TestTheHookStoresNothing(t *testing.T) {
	files, err := filepath.Glob("agent/hook/*.go")
	if err != nil || len(files) < 3 {
		t.Fatalf("%q, %v", files, err)
	}
	writes := regexp.MustCompile(`\bos\.(Write|Create|OpenFile|OpenRoot|Mkdir|Rename|Link|Symlink|Truncate|Chmod|Remove)|internal/disk"`)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if found := writes.FindString(string(raw)); err != nil || found != "" && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s has %s (%v)", name, found, err)
		}
	}
}

// TestWhatAReleaseIs: how releases are built, and that npm gets what the workflow has built alone.
func TestWhatAReleaseIs(t *testing.T) {
	build, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	workflow, err := os.ReadFile(".github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-trimpath", "CGO_ENABLED=0"} {
		if !strings.Contains(string(build), flag) {
			t.Errorf(".goreleaser.yaml lacks %s", flag)
		}
	}
	publish := strings.Split(string(workflow), "npm publish")
	if len(publish) != 2 {
		t.Fatalf("%d steps publish", len(publish)-1)
	}
	_, verify, _ := strings.Cut(publish[0], "gh release download")
	for _, word := range []string{`gh attestation verify "$package"`, `--repo "$GITHUB_REPOSITORY"`, `--source-ref "refs/tags/$TAG"`, `--signer-workflow "$GITHUB_REPOSITORY/.github/workflows/release.yml"`} {
		if !strings.Contains(verify, word) {
			t.Errorf("before npm publish there is no %s", word)
		}
	}
	if strings.Contains(verify, "|| true") || strings.Contains(verify, "set +e") {
		t.Error("what fails before npm publish does not end the step")
	}
}

// TestWorkflowRunsTheGate: what judges a change on one machine judges it in the workflow as well.
func TestWorkflowRunsTheGate(t *testing.T) {
	gate, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	workflow, err := os.ReadFile(".github/workflows/ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	steps := regexp.MustCompile(`(?m)^step make (.+)$`).FindAllStringSubmatch(string(gate), -1)
	if len(steps) < 10 {
		t.Errorf(".ci/run has %d steps: the test is blind", len(steps))
	}
	runs := regexp.MustCompile(`(?m)^ +(- run: make |target: \[)(.+)$`).FindAllStringSubmatch(string(workflow), -1)
	targets := []string{"test", "windows"} // without make: on other systems
	for _, m := range runs {
		targets = append(targets, strings.Split(strings.Trim(m[2], "]"), ", ")...)
	}
	for _, m := range steps {
		if target := strings.TrimSuffix(m[1], " TESTFLAGS='-count=1 -shuffle=on'"); !slices.Contains(targets, target) {
			t.Errorf("ci.yml does not run make %s; it runs %q", target, targets)
		}
	}
}

// missingTests returns what the commands on a page run that is not there.
func missingTests(t *testing.T, page string) (complaints []string, commands int) {
	t.Helper()
	tests := map[string]string{} // of each package
	for _, m := range testCommand.FindAllStringSubmatch(page, -1) {
		commands++
		names, known := tests[m[1]]
		if !known {
			names = testsIn(t, m[1])
			tests[m[1]] = names
		}
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
