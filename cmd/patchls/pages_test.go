package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

//go:generate go test . -run TestPages -update

var update = flag.Bool("update", false, "rewrite the outputs in the pages")

// pages are those whose commands are run and whose outputs are compared.
var pages = []string{"../../README.md", "../../docs/cli.md"}

var (
	// A block "```txt NAME" is a file of the reader's.
	fileBlock = regexp.MustCompile("(?s)```txt (\\S+)\n(.*?)```\n")
	// A block "```console" is a dialogue: "$ " and a command, then its output.
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```\n")
)

// patchRelease matches the versions, which differ between builds.
var patchRelease = regexp.MustCompile(`patchls \S+, go1\.26[^,]*`)

// TestPages does what the reader of a page does, in order, and compares the
// results with those on the page.
func TestPages(t *testing.T) {
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) { checkPage(t, page) })
	}
}

func checkPage(t *testing.T, name string) {
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), filepath.Dir(patchls(t))
	for _, m := range fileBlock.FindAllSubmatch(page, -1) {
		if err := os.WriteFile(filepath.Join(dir, string(m[1])), m[2], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown := consoleBlock.ReplaceAllStringFunc(string(page), func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for line := range strings.Lines(consoleBlock.FindStringSubmatch(block)[1]) {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			b.WriteString(line)
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			out, _ := cmd.CombinedOutput() // commands that fail are shown as well
			b.Write(patchRelease.ReplaceAll(out, []byte("patchls (devel), go1.26.x")))
		}
		b.WriteString("```\n")
		return b.String()
	})
	if *update {
		if err := os.WriteFile(name, []byte(shown), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(string(page), "\n")
	for i, line := range strings.Split(shown, "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("line %d of %s should be\n%s\n(go test ./cmd/patchls -run TestPages -update, and read the diff)", i+1, name, line)
		}
	}
}

// TestTheCommandLinesPageIsWhole: it has a heading for each command, and what that prints for --help.
func TestTheCommandLinesPageIsWhole(t *testing.T) {
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range rootCommand(streams{}).Commands() {
		if c.Name() == "help" {
			continue
		}
		for _, want := range []string{"\n## patchls " + c.Name() + "\n", "\n$ patchls " + c.Name() + " --help\n"} {
			if !strings.Contains(string(page), want) {
				t.Errorf("docs/cli.md lacks %q", want)
			}
		}
	}
}

// codeLine is a command of a page, in a line of a block or between backquotes, up to what a shell takes for itself.
var codeLine = regexp.MustCompile("(?m)(?:^ *(?:[$] )?|`)patchls ([a-z]+)([^`\n|>&;#']*)")

// TestPagesNameCommands: each command that a page tells the reader to run exists, with its flags.
func TestPagesNameCommands(t *testing.T) {
	named := 0
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md", "../../editors/*/README.md", "../../.ci/packages/*/README.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		for _, page := range found {
			for _, m := range codeLine.FindAllStringSubmatch(liveeditor.OnDisk(t, page), -1) {
				named++
				if err := callable(m[1], m[2]); err != nil {
					t.Errorf("%s has %q: %v", page, strings.TrimLeft(m[0], "` $"), err)
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("the pages have %d commands", named)
	}
}

// callable is an error if there is no such command, or it has not these flags.
func callable(name, arguments string) error {
	command, _, err := rootCommand(streams{}).Find([]string{name})
	if err != nil {
		return err
	}
	arguments, _, _ = strings.Cut(arguments, " -- ") // what follows is another program's
	for word := range strings.FieldsSeq(arguments) {
		given, _, _ := strings.Cut(strings.TrimRight(word, ".,:)"), "=")
		if long, is := strings.CutPrefix(given, "--"); is && long != "" && long != "help" && command.Flag(long) == nil {
			return fmt.Errorf("patchls %s has no flag --%s", name, long)
		}
	}
	return nil
}
