package patchls_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const hazardsPage = "docs/editor-hazards.md"

// TestDocsHazards holds docs/editor-hazards.md and the code that cites it to each other.
func TestDocsHazards(t *testing.T) {
	complaints, err := checkHazards(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range complaints {
		t.Error(c)
	}
}

// TestDocsHazardsComplain shows that TestDocsHazards can fail.
func TestDocsHazardsComplain(t *testing.T) {
	const cites = "package a\n\n// It is cited (hazards: late,\n// lone-cr).\n"
	for _, tt := range []struct{ name, file, data, want string }{
		{"all is well", "a.go", cites, ""},
		{"a hazard without a heading", "a.go", "package a\n\n// (hazards: late, early)", "a.go cites the hazard early, which docs/editor-hazards.md does not have"},
		{"on the next line", "a.go", "package a\n\n\t// it is (hazard:\n\t// early).", "a.go cites the hazard early"},
		{"in Lua", "editors/nvim/a.lua", "-- (hazard: early)", "a.lua cites the hazard early"},
		{"a rule of the wire", "lsp/wire_test.go", "package a\n\nfunc f() { w.fault(\"early\", \"%s\") }", "wire_test.go cites the hazard early"},
		{"a test without a heading", "b_test.go", "package a\n\nfunc TestHazardEarly(t *testing.T) {}", "TestHazardEarly is about no heading of docs/editor-hazards.md"},
		{"a test that is not there", "docs/a.md", "Test: `TestLat`.", "docs/a.md names TestLat, which is no test"},
		{"a pattern that fits no test", "docs/a.md", "Again: `go test -run 'TestHaz|TestLater'`.", "docs/a.md names TestLater, which is no test"},
		{"a hazard that no test holds", hazardsPage, "### late\n\n`TestLate`\n\n### lone-cr\n\nNo test.\n", "docs/editor-hazards.md names no test for lone-cr"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{
				hazardsPage: {Data: []byte("### late\n\n`TestLate`\n\n### lone-cr\n\n`TestHazardLoneCR`\n")},
				"a_test.go": {Data: []byte("package a\n\nfunc TestLate(t *testing.T) {}\n\nfunc TestHazardLoneCR(t *testing.T) {}\n")},
			}
			tree[tt.file] = &fstest.MapFile{Data: []byte(tt.data)}
			got, err := checkHazards(tree)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, tt.want)
		})
	}
}

var (
	citation = regexp.MustCompile(`\(hazards?: ([a-z][a-z, -]*)\)|\.fault\("([a-z-]+)"`)
	wrapped  = regexp.MustCompile(`\n\s*(//|--)?\s*`) // where a comment goes on
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	testWord = regexp.MustCompile("`?\\bTest[A-Z]\\w*`?")
)

// checkHazards complains of hazards that are cited and not described, and of tests that
// documents name and nobody has written.
func checkHazards(tree fs.FS) ([]string, error) {
	var complaints []string
	complain := func(format string, args ...any) {
		complaints = append(complaints, fmt.Sprintf(format, args...))
	}
	page, err := fs.ReadFile(tree, hazardsPage)
	if err != nil {
		return nil, err
	}
	hazards := map[string]bool{} // by name
	for _, section := range strings.Split("\n"+string(page), "\n### ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		hazards[name] = true
		if text, _, _ = strings.Cut(text, "\n#"); !testWord.MatchString(text) {
			complain("%s names no test for %s", hazardsPage, name)
		}
	}
	tests, named := map[string]bool{}, map[string][]string{} // the words of each document
	err = walkText(tree, func(file, text string) {
		ext := path.Ext(file)
		for _, m := range citation.FindAllStringSubmatch(wrapped.ReplaceAllString(text, " "), -1) {
			for name := range strings.SplitSeq(m[1]+m[2], ", ") {
				if !hazards[name] && file != "docs_test.go" && (m[2] == "" || strings.HasPrefix(file, "lsp/wire")) {
					complain("%s cites the hazard %s, which %s does not have", file, name, hazardsPage)
				}
			}
		}
		if ext == ".md" {
			named[file] = testWord.FindAllString(text, -1)
		}
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, m := range testFunc.FindAllStringSubmatch(text, -1) {
			tests[m[1]] = true
			if of, ok := strings.CutPrefix(m[1], "TestHazard"); ok && !slices.ContainsFunc(slices.Collect(maps.Keys(hazards)), func(name string) bool {
				return strings.EqualFold(of, strings.ReplaceAll(name, "-", ""))
			}) {
				complain("%s is about no heading of %s", m[1], hazardsPage)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for file, words := range named {
		for _, word := range words {
			if name := strings.Trim(word, "`"); !isTest(tests, name, len(word) == len(name)+2) {
				complain("%s names %s, which is no test", file, name)
			}
		}
	}
	return complaints, nil
}

// isTest reports whether there is a test of that name, or else one that -run finds by it.
func isTest(tests map[string]bool, name string, exact bool) bool {
	return tests[name] || !exact && slices.ContainsFunc(slices.Collect(maps.Keys(tests)), func(test string) bool {
		return strings.HasPrefix(test, name)
	})
}

// walkText calls fn for each file of the repository in which people write prose.
func walkText(tree fs.FS, fn func(file, text string)) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (base == "testdata" || base == "node_modules" || base[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".lua", ".ts", ".md"}, path.Ext(name)):
			return nil
		}
		raw, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		fn(name, string(raw))
		return nil
	})
}
