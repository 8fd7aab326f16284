package patchls_test

import (
	"encoding/json"
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

const (
	hazardsPage   = "docs/editor-hazards.md"
	decisionsPage = "docs/decisions.md"
)

// TestDocsNames holds the pages whose headings code cites, and what documents name and show, to the code.
func TestDocsNames(t *testing.T) {
	repositoryPasses(t, checkDocs)
}

// repositoryPasses holds the repository to a check that returns what it complains of.
func repositoryPasses(t *testing.T, check func(fs.FS) ([]string, error)) {
	t.Helper()
	complaints, err := check(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range complaints {
		t.Error(c)
	}
}

// TestDocsNamesComplain shows that TestDocsNames can fail.
func TestDocsNamesComplain(t *testing.T) {
	const cites = "package a\n\n// It is cited (hazards: late,\n// lone-cr).\n"
	for _, tt := range []struct{ name, file, data, want string }{
		{"all is well", "a.go", cites, ""},
		{"a hazard without a heading", "a.go", "package a\n\n// (hazards: late, early)", "a.go cites the hazard early, which docs/editor-hazards.md does not have"},
		{"on the next line", "a.go", "package a\n\n\t// it is (hazard:\n\t// early).", "a.go cites the hazard early"},
		{"in Lua", "editors/nvim/a.lua", "-- (hazard: early)", "a.lua cites the hazard early"},
		{"a rule of the wire", "lsp/wire_test.go", "package a\n\nfunc f() { w.fault(\"early\", \"%s\") }", "wire_test.go cites the hazard early"},
		{"a decision", "a.go", "package a\n\n// (decision: why)", ""},
		{"a decision that nobody took", "a.go", "package a\n\n// (decisions: why, late)", "a.go cites the decision late, which docs/decisions.md does not have"},
		{"a test without a heading", "b_test.go", "package a\n\nfunc TestHazardEarly(t *testing.T) {}", "TestHazardEarly is about no heading of docs/editor-hazards.md"},
		{"a test that is not there", "docs/a.md", "Test: `TestLat`.", "docs/a.md names TestLat, which is no test"},
		{"a pattern that fits no test", "docs/a.md", "Again: `go test -run 'TestHaz|TestLater'`.", "docs/a.md names TestLater, which is no test"},
		{"a file that is not there", "docs/a.md", "It is in `lsp/late.go`.", "docs/a.md names lsp/late.go, which is no file"},
		{"a break that can be made", "b_test.go", "package a\n\n// Fails if\n// a.isThere is true.\nfunc TestB() {}", ""},
		{"a break that cannot be made", "b_test.go", "package a\n\n// Fails if a is\n// true, or wasThere is.\nfunc TestB() {}", "b_test.go says to break wasThere, which is not in the product"},
		{"a target that is not there", "docs/a.md", "Run `make test lat FOO=1`.", "docs/a.md names make lat, which is no target"},
		{"JSON with a comma too many", "docs/a.md", "```json\n{\"a\": 1,}\n```\n", "docs/a.md has JSON that cannot be read"},
		{"a hazard that no test holds", hazardsPage, "### late\n\n`TestLate`\n\n### lone-cr\n\nNo test.\n", "docs/editor-hazards.md names no test for lone-cr"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{
				hazardsPage:   {Data: []byte("### late\n\n`TestLate`\n\n### lone-cr\n\n`TestHazardLoneCR`\n")},
				decisionsPage: {Data: []byte("### why\n")},
				"a/a.go":      {Data: []byte("package a\n\nvar isThere bool\n")},
				"Makefile":    {Data: []byte("test: ## Test\n")},
				"a_test.go":   {Data: []byte("package a\n\nfunc TestLate(t *testing.T) {}\n\nfunc TestHazardLoneCR(t *testing.T) {}\n")},
			}
			tree[tt.file] = &fstest.MapFile{Data: []byte(tt.data)}
			got, err := checkDocs(tree)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, tt.want)
		})
	}
}

var (
	citation  = regexp.MustCompile(`\((hazard|decision)s?: ([a-z][a-z, -]*)\)`)
	wireRule  = regexp.MustCompile(`w\.fault\("([a-z-]+)"`)
	wrapped   = regexp.MustCompile(`\n\s*(//|--)?\s*`) // where a comment goes on
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	goFile    = regexp.MustCompile("`((?:\\w+/)+\\w+\\.go)`")
	testWord  = regexp.MustCompile("`?\\bTest[A-Z]\\w*`?")
	failsIf   = regexp.MustCompile(`(?m)^// Fails if.*\n(//.*\n)*`)
	mixedCaps = regexp.MustCompile(`\b[A-Za-z][a-z]+[A-Z]\w*`)
	// A target of the Makefile, and a command that names some.
	makeTarget  = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
	makeCommand = regexp.MustCompile("`make((?: [a-zA-Z0-9=.-]+)+)")
	jsonBlock   = regexp.MustCompile("(?ms)^ *```json\n(.*?)^ *```$") //nolint:gocritic // with (?m) a ^ may stand in the middle
)

// checkDocs complains of cited hazards and decisions that are not described, of tests,
// files and make targets that are named but do not exist, and of invalid JSON.
func checkDocs(tree fs.FS) ([]string, error) {
	hazards, err := sections(tree, hazardsPage)
	if err != nil {
		return nil, err
	}
	decisions, err := sections(tree, decisionsPage)
	if err != nil {
		return nil, err
	}
	uncited, err := checkCitations(tree, hazards, decisions)
	if err != nil {
		return nil, err
	}
	untested, err := checkTests(tree, hazards)
	if err != nil {
		return nil, err
	}
	missing, err := checkFiles(tree)
	if err != nil {
		return nil, err
	}
	unmade, err := checkTargets(tree)
	if err != nil {
		return nil, err
	}
	unread, err := checkJSON(tree)
	if err != nil {
		return nil, err
	}
	gone, err := checkBreaks(tree)
	return slices.Concat(uncited, untested, missing, unmade, unread, gone), err
}

// checkJSON complains of JSON that a reader may copy and no program can read.
func checkJSON(tree fs.FS) (complaints []string, err error) {
	err = walkText(tree, func(file, text string) {
		if path.Ext(file) != ".md" {
			return
		}
		for _, m := range jsonBlock.FindAllStringSubmatch(text, -1) {
			if !json.Valid([]byte(m[1])) {
				complaints = append(complaints, fmt.Sprintf("%s has JSON that cannot be read: %s", file, m[1]))
			}
		}
	})
	return complaints, err
}

// checkTargets complains of make targets that a document uses and the Makefile does not have.
func checkTargets(tree fs.FS) (complaints []string, err error) {
	raw, err := fs.ReadFile(tree, "Makefile")
	if err != nil {
		return nil, err
	}
	targets := firsts(makeTarget, string(raw))
	err = walkText(tree, func(file, text string) {
		if path.Ext(file) != ".md" {
			return
		}
		for _, m := range makeCommand.FindAllStringSubmatch(text, -1) {
			for name := range strings.FieldsSeq(m[1]) {
				if _, is := targets[name]; !is && !strings.Contains(name, "=") {
					complaints = append(complaints, fmt.Sprintf("%s names make %s, which is no target", file, name))
				}
			}
		}
	})
	return complaints, err
}

// checkFiles complains of files of Go that a document names with their folder and that are not
// there; the changelog is about what was.
func checkFiles(tree fs.FS) (complaints []string, err error) {
	err = walkText(tree, func(file, text string) {
		if path.Ext(file) != ".md" || path.Base(file) == "CHANGELOG.md" {
			return
		}
		for _, m := range goFile.FindAllStringSubmatch(text, -1) {
			if _, err := fs.Stat(tree, m[1]); err != nil {
				complaints = append(complaints, fmt.Sprintf("%s names %s, which is no file", file, m[1]))
			}
		}
	})
	return complaints, err
}

// checkCitations complains of names that code and documents cite and no heading has.
func checkCitations(tree fs.FS, hazards, decisions map[string]string) (complaints []string, err error) {
	cited := func(file, kind, name string) {
		page, has := hazardsPage, hazards
		if kind == "decision" {
			page, has = decisionsPage, decisions
		}
		if _, ok := has[name]; !ok && file != "docs_test.go" {
			complaints = append(complaints, fmt.Sprintf("%s cites the %s %s, which %s does not have", file, kind, name, page))
		}
	}
	err = walkText(tree, func(file, text string) {
		for _, m := range citation.FindAllStringSubmatch(wrapped.ReplaceAllString(text, " "), -1) {
			for name := range strings.SplitSeq(m[2], ", ") {
				cited(file, m[1], name)
			}
		}
		for _, m := range wireRule.FindAllStringSubmatch(text, -1) {
			cited(file, "hazard", m[1])
		}
	})
	return complaints, err
}

// checkTests complains of hazards without a test, tests of no hazard, and tests that a
// document names and that do not exist.
func checkTests(tree fs.FS, hazards map[string]string) (complaints []string, err error) {
	known := map[string]bool{} // the tests that would be called by a hazard, in lower case
	for name, text := range hazards {
		known["testhazard"+strings.ReplaceAll(name, "-", "")] = true
		if !testWord.MatchString(text) {
			complaints = append(complaints, fmt.Sprintf("%s names no test for %s", hazardsPage, name))
		}
	}
	tests, named := map[string]bool{}, map[string][]string{} // the words of each document
	err = walkText(tree, func(file, text string) {
		if path.Ext(file) == ".md" {
			named[file] = testWord.FindAllString(text, -1)
		}
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, m := range testFunc.FindAllStringSubmatch(text, -1) {
			tests[m[1]] = true
			if strings.HasPrefix(m[1], "TestHazard") && !known[strings.ToLower(m[1])] {
				complaints = append(complaints, fmt.Sprintf("%s is about no heading of %s", m[1], hazardsPage))
			}
		}
	})
	for file, words := range named {
		for _, word := range words {
			if name := strings.Trim(word, "`"); !isTest(tests, name, len(word) == len(name)+2) {
				complaints = append(complaints, fmt.Sprintf("%s names %s, which is no test", file, name))
			}
		}
	}
	return complaints, err
}

// checkBreaks complains of names in the comments of tests that say what to break in the product, if the product has
// no such name.
func checkBreaks(tree fs.FS) (complaints []string, err error) {
	product, named := map[string]bool{}, map[string][]string{} // the words of each test
	err = walkText(tree, func(file, text string) {
		switch {
		case strings.HasSuffix(file, "_test.go") && file != "docs_test.go":
			for _, comment := range failsIf.FindAllString(text, -1) {
				named[file] = append(named[file], mixedCaps.FindAllString(comment, -1)...)
			}
		case path.Ext(file) == ".go":
			for _, word := range mixedCaps.FindAllString(text, -1) {
				product[word] = true
			}
		}
	})
	for file, words := range named {
		for _, word := range words {
			if !product[word] {
				complaints = append(complaints, fmt.Sprintf("%s says to break %s, which is not in the product", file, word))
			}
		}
	}
	return complaints, err
}

// sections returns the text under each heading of the third level.
func sections(tree fs.FS, page string) (map[string]string, error) {
	raw, err := fs.ReadFile(tree, page)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, section := range strings.Split("\n"+string(raw), "\n### ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		found[name], _, _ = strings.Cut(text, "\n#")
	}
	return found, nil
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
		case d.IsDir() || !slices.Contains([]string{".go", ".lua", ".ts", ".md", ".yml"}, path.Ext(name)):
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
