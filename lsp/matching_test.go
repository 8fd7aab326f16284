package lsp_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// pageExample is where a page has a case as an example, and that; pageCase is where it
// links to one.
var (
	pageExample = regexp.MustCompile("(?s)<!-- testdata/edits/([a-z0-9-]+)[.]txtar -->\n(?:[^<`]*```text\n.*?\n```\n)?")
	pageCase    = regexp.MustCompile(`\]\(([.]{2}/testdata/edits/[^)]*)\)`)
)

// TestEachMatchingPageIsUpToDate holds the pages on how an edit finds its place to the cases
// that they show and name; make generate rewrites the examples.
func TestEachMatchingPageIsUpToDate(t *testing.T) {
	for _, name := range []string{"matching.md", "patches.md"} {
		page, err := os.ReadFile("../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		examples := 0
		want := pageExample.ReplaceAllStringFunc(string(page), func(s string) string {
			examples++
			marker, _, _ := strings.Cut(s, "\n")
			var b strings.Builder
			writeExample(t, &b, pageExample.FindStringSubmatch(s)[1])
			return marker + "\n" + b.String()
		})
		if blocks := strings.Count(want, "\n```text\n"); examples == 0 || blocks != examples {
			t.Errorf("docs/%s has %d examples, of which %d are cases", name, blocks, examples)
		}
		holdPage(t, name, want)
		cases := pageCase.FindAllStringSubmatch(want, -1)
		if len(cases) < 20 {
			t.Errorf("docs/%s names only %d cases", name, len(cases))
		}
		for _, c := range cases {
			if _, err := os.Stat("../docs/" + c[1]); err != nil {
				t.Errorf("docs/%s names a case that is not there: %v", name, err)
			}
		}
	}
}

// holdPage holds a page to what it should be; -update writes it.
func holdPage(t *testing.T, name, want string) {
	t.Helper()
	page := "../docs/" + name
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("docs/%s is stale (%v); run: make generate", name, err)
	}
}

func writeExample(t *testing.T, b *strings.Builder, name string) {
	t.Helper()
	archive, err := txtar.ParseFile("../testdata/edits/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	about, _, _ := strings.Cut(string(archive.Comment), "\n")
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.Contains(f.Name, " in ") })
	fmt.Fprintf(b, "%s\n\n```text\n%s```\n", about, txtar.Format(&txtar.Archive{Files: archive.Files}))
}
