package patchls_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

const troublePage = "docs/troubleshooting.md"

// TestDocsQuotes holds what the page of troubles says that the program says to the program: a reader searches for it.
func TestDocsQuotes(t *testing.T) {
	repositoryPasses(t, checkQuotes)
	raw, err := os.ReadFile(troublePage)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(quoted(string(raw))); n < 40 {
		t.Errorf("%s has %d quotations: the test is blind", troublePage, n)
	}
}

// TestDocsQuotesComplain shows that TestDocsQuotes can fail.
func TestDocsQuotesComplain(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"as in Go", `It says "no live editor".`, ""},
		{"over a line end", "It says \"no live\neditor\".", ""},
		{"what the code joins", `It says "no live editor was found".`, ""},
		{"in Lua", `It says "the server ended".`, ""},
		{"with what differs", `It says "no …: the server".`, ""},
		{"in code", "Write `\"none\"`.", ""},
		{"of nobody", `It says "no editor is live".`, `docs/troubleshooting.md quotes "no editor is live", which no program says`},
		{"in part", `It says "no live editor … is gone".`, `quotes "is gone"`},
		{"of a test", `It says "only in a test".`, `quotes "only in a test"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := checkQuotes(fstest.MapFS{
				troublePage:     {Data: []byte(tt.page)},
				"a/a.go":        {Data: []byte("var err = errors.New(\"no live editor \" +\n\t\"was found\")\n")},
				"a/a_test.go":   {Data: []byte("const only = \"only in a test\"\n")},
				"editors/a.lua": {Data: []byte("say(\"the server \"\n  .. \"ended\")\n")},
			})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, tt.want)
		})
	}
}

var (
	quotation = regexp.MustCompile(`"([^"]+)"`)
	// Where Go, Lua and TypeScript join the parts of a text.
	joined = regexp.MustCompile(`"\)?\s*(?:\+|\.\.)\s*"`)
)

// quoted returns the quotations of a page, without those in code.
func quoted(page string) (all []string) {
	page = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(page, ""), "")
	for _, m := range quotation.FindAllStringSubmatch(page, -1) {
		all = append(all, strings.Join(strings.Fields(m[1]), " "))
	}
	return all
}

// checkQuotes complains of quotations that are not in the code. A "…" stands for what differs from time to time.
func checkQuotes(tree fs.FS) (complaints []string, err error) {
	page, err := fs.ReadFile(tree, troublePage)
	if err != nil {
		return nil, err
	}
	var code strings.Builder
	err = walkText(tree, func(file, text string) {
		if path.Ext(file) != ".md" && !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "/test/") {
			code.WriteString(joined.ReplaceAllString(text, ""))
		}
	})
	if npm, err := fs.ReadFile(tree, ".ci/packages/npm/patchls.js"); err == nil {
		code.Write(npm)
	}
	for _, said := range quoted(string(page)) {
		for part := range strings.SplitSeq(said, "…") {
			if part = strings.Trim(part, " .,:;"); !strings.Contains(code.String(), part) {
				complaints = append(complaints, fmt.Sprintf("%s quotes %q, which no program says", troublePage, part))
			}
		}
	}
	return complaints, err
}
