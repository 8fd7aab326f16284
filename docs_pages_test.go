package patchls_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// allWords is how many words the pages may have together.
const allWords = 46_000

// wordBudgets is how many words a page of docs may have: of the first pattern that matches it.
var wordBudgets = []struct {
	pages string // a pattern of path.Match
	most  int
}{
	{"docs/*/figures.md", 3000}, // evidence
	{"docs/commands.md", 3500},  // generated, as the next
	{"docs/cli.md", 2900},
	{"docs/architecture.md", 3300},
	{"docs/editor-hazards.md", 3000},
	{"docs/patches.md", 2700},
	{"docs/security.md", 2300},
	{"docs/build/results.md", 1800},
	{"docs/*.md", 1600},
	{"docs/*/*.md", 1400},
}

// saysReader is what a page begins with, below its heading and pictures: for whom it is, and what for.
var saysReader = regexp.MustCompile(`^(?:(?:<!--.*-->|# .+|!\[.*)?\n)+For \S[^.:]*[.:]`)

// TestPagesAreShort holds each page of docs to a first line that says who reads it, and to a number of words.
func TestPagesAreShort(t *testing.T) { repositoryPasses(t, checkPages) }

// TestPagesAreShortComplains shows that TestPagesAreShort can fail.
func TestPagesAreShortComplains(t *testing.T) {
	const page = "# A page\n\nFor users who read: this.\n"
	for _, tt := range []struct{ name, file, data, want string }{
		{"all is well", "docs/a.md", page, ""},
		{"below a picture", "docs/a/b.md", "<!-- made -->\n" + strings.Replace(page, "\n\n", "\n\n![a](a.svg)\n\n", 1), ""},
		{"for nobody", "docs/a/b.md", "# A page\n\nIt is for users.\n", "docs/a/b.md does not begin with its readers"},
		{"long", "docs/a.md", page + strings.Repeat("word | ", 2000), "docs/a.md has 2007 words, and may have 1600"},
		{"another folder", "a/a.md", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := checkPages(fstest.MapFS{tt.file: {Data: []byte(tt.data)}})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, tt.want)
		})
	}
	many := fstest.MapFS{}
	for i := range 40 {
		many[fmt.Sprintf("docs/%d.md", i)] = &fstest.MapFile{Data: []byte(page + strings.Repeat("word ", 1500))}
	}
	got, err := checkPages(many)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, "docs has 60280 words, and may have 46000")
}

// word is what is counted as one: a bar of a table is none.
var word = regexp.MustCompile(`\S*[\pL\pN]\S*`)

// checkPages complains of pages that do not say who reads them, and of long ones.
func checkPages(tree fs.FS) (complaints []string, err error) {
	all := 0
	err = walkText(tree, func(file, text string) {
		for _, budget := range wordBudgets {
			if is, _ := path.Match(budget.pages, file); !is {
				continue
			}
			if !saysReader.MatchString(text) {
				complaints = append(complaints, fmt.Sprintf(`%s does not begin with its readers: write "For users who …: what they find here" below its heading`, file))
			}
			words := len(word.FindAllString(text, -1))
			if all += words; words > budget.most {
				complaints = append(complaints, fmt.Sprintf("%s has %d words, and may have %d: shorten it, or say once what another page says too", file, words, budget.most))
			}
			return
		}
	})
	if all > allWords {
		complaints = append(complaints, fmt.Sprintf("docs has %d words, and may have %d", all, allWords))
	}
	return complaints, err
}
