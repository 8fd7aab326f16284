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

// matchingPage is docs/matching.md: what each tier passes over, and a case that
// shows it.
var matchingPage = []struct{ heading, doc, example string }{
	{"exact", "The text stands there character for character. A line break in the command stands for whatever line end the document has. This tier always counts, and an exact place anywhere beats a loose one.", "replace-line-break-matches-crlf"},
	{"line-ends", "The command has other line ends than the document, or ends a last line that the document does not end.", "hard-19-crlf-command-lf-text"},
	{"trailing-space", "Blanks at the ends of lines differ. Those of lines that stay are kept.", "lenient-trailing-blanks"},
	{"indentation", "Blanks at the starts of lines differ. One map from the sent indentation to the document's is learnt from the lines that match, and the new lines go through it. What a line shows of an indentation holds for it; the rule for others is that of the statements. A line that goes on with a statement, in brackets, shows it for such lines alone. A level is one that the text has, and a new line stays deeper than those above which it was sent deeper. If two lines that change contradict, or the map cannot tell a new line's indentation so, nothing is edited.", "lenient-indentation-tabs-deeper"},
	{"unicode", "Quotes, dashes and blanks are look-alikes of others, or normal forms differ. Characters that stay are the document's own. Guillemets are no quotes. What cannot be seen (zero-width characters, soft hyphens) and spelled-out ellipses may differ only in lines that stay.", "hard-10-curly-quotes-stay"},
	{"line-numbers", "The command quotes line numbers. They are taken off, from new lines as long as they count on, and the place must be within 10 lines of them.", "hard-57-quoted-line-numbers"},
	{"escapes", "The command was escaped once too often: it has literal `\\n` and `\\t` outside of quotes, `\\\"` for quotes or entities of HTML, and stands nowhere as it is.", "lenient-escapes"},
	{"anchor", "The command leaves lines out in both texts, with a line of dots or a comment about code that stays: the pieces around are whole lines that stand in one block, in order and in one way only, and what is between them stays.", "hard-59-elided-old-text"},
	{"blank-lines", "Blank lines among those that stay differ. Blank lines that go must be there, and where a new line could be on either side of one, nothing is edited.", "blank-lines-differ"},
}

// refusals are cases in which no tier may win.
var refusals = []string{
	"hard-38-twins-that-differ-in-indentation", "hard-06-mixed-indentation-contradicts", "hard-51-other-text",
	"hard-13-unseen-characters-in-a-changed-line", "hard-58-placeholder", "exact-suggests-what-is-loose",
	"lenient-lines-begin-with-a-word", "elided-not-into-another-block", "already-applied-an-insertion", "misquoted-context-is-carried-over",
}

// TestMatchingPageIsUpToDate makes docs/matching.md of the cases; make generate
// rewrites it.
func TestMatchingPageIsUpToDate(t *testing.T) {
	var b strings.Builder
	b.WriteString("# How a text is found\n\n" +
		"<!-- Made by `make generate` from testdata/edits. Do not edit. -->\n\n" +
		"A text that is to be replaced is looked for tier by tier, in the order below; the first tier at which it stands anywhere\n" +
		"is the one that counts, and it must have one place there. Whatever the tier, text that gets deleted is equal to what was\n" +
		"sent once the tier's differences are left out: likeness never decides an edit, it only serves the error. With\n" +
		"`match: \"exact\"`, which is the default of `str_replace`, the tiers below the first only make the error's `suggestion`.\n\n" +
		"Below the first tier several lines are whole lines, and a part of a line is cut at the ends of words. Where a text is whole\n" +
		"lines at one place and ends within a word at the others, the first is meant. `near_line` chooses the nearest place within\n" +
		"10 lines. Where the only place lies within one of `new_str`, the edit was made before: `already_applied`.\n\n" +
		"In the examples ␠ is a blank at the end of a line, ⇥ a tab, ␍ a carriage return, and ␃ the end of a text without a final\n" +
		"newline.\n")
	for _, m := range matchingPage {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", m.heading, m.doc)
		writeExample(t, &b, m.example)
	}
	b.WriteString("\n## Where nothing is edited\n\nEach of these is an error that says why.\n")
	for _, name := range refusals {
		b.WriteString("\n")
		writeExample(t, &b, name)
	}
	holdPage(t, "matching.md", b.String())
}

// pageExample is where a page has a case as an example, and that.
var pageExample = regexp.MustCompile("(?s)<!-- testdata/edits/([a-z0-9-]+)[.]txtar -->\n(?:[^<`]*```text\n.*?\n```\n)?")

// TestPatchesPageIsUpToDate holds the examples of docs/patches.md to the cases; make
// generate rewrites them.
func TestPatchesPageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../docs/patches.md")
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
	if blocks := strings.Count(want, "\n```text\n"); examples < 10 || blocks != examples {
		t.Errorf("docs/patches.md has %d examples, of which %d are cases", blocks, examples)
	}
	holdPage(t, "patches.md", want)
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
