package patchls_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const contractPage = "docs/contract.md"

// contractTables are the tables of docs/contract.md by their headings, and where the code
// has what is in their first columns.
var contractTables = map[string]struct {
	files   *regexp.Regexp
	pattern *regexp.Regexp
}{
	"Kinds":       {regexp.MustCompile(`^(edits|workspace|lsp)/.*\.go$`), regexp.MustCompile(`\w\s+(?:edits\.)?Kind\s+= "(\w+)"`)},
	"Settings":    {regexp.MustCompile(`^lsp/settings\.go$`), regexp.MustCompile(`(?m)^\t\t"(\w+)":\s+&`)},
	"Own methods": {regexp.MustCompile(`^(lsp|agent|editors)/.*\.(go|lua|ts)$`), regexp.MustCompile(`"(patchls/\w+)"`)},
}

// TestDocsContract holds the tables of docs/contract.md and the code to each other.
func TestDocsContract(t *testing.T) {
	repositoryPasses(t, checkContract)
}

// TestDocsContractComplains shows that TestDocsContract can fail.
func TestDocsContractComplains(t *testing.T) {
	page := "### Kinds\n\n| kind | when |\n|---|---|\n| `no_match` | |\n\n" +
		"## Settings\n\n| setting | |\n|---|---|\n| `match` | `lenient` |\n\n" +
		"## Own methods\n\n| method | |\n|---|---|\n| `patchls/save` | `patchls/later` |\n"
	for _, tt := range []struct{ name, file, data, want string }{
		{"all is well", "lsp/a_test.go", "const odd edits.Kind = \"odd\"\n", ""},
		{"a kind without a row", "edits/a.go", "const (\n\todd    Kind = \"odd\"\n)", "docs/contract.md has no row for odd under Kinds"},
		{"a kind of another package", "lsp/a.go", "const odd edits.Kind = \"odd\"\n", "no row for odd under Kinds"},
		{"a setting without a row", "lsp/settings.go", "map[string]any{\n\t\t\"match\": &set.Match,\n\t\t\"odd\":   &set.Odd,\n}", "no row for odd under Settings"},
		{"a method without a row", "editors/nvim/a.lua", `request("patchls/odd")`, "no row for patchls/odd under Own methods"},
		{"a row that is stale", contractPage, strings.Replace(page, "| `no_match`", "| `odd` | |\n| `no_match`", 1), "docs/contract.md has odd under Kinds, which no code has"},
		{"a heading that is gone", contractPage, strings.Replace(page, "## Settings", "## Wishes", 1), "no row for match under Settings"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{
				contractPage:      {Data: []byte(page)},
				"edits/errors.go": {Data: []byte("const NoMatch Kind = \"no_match\"\n")},
				"lsp/settings.go": {Data: []byte("map[string]any{\n\t\t\"match\": &set.Match,\n}")},
				"lsp/save.go":     {Data: []byte("const methodSave = \"patchls/save\"\n")},
			}
			tree[tt.file] = &fstest.MapFile{Data: []byte(tt.data)}
			got, err := checkContract(tree)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, tt.want)
		})
	}
}

var firstColumn = regexp.MustCompile("(?m)^\\| `([^`]+)`")

// checkContract complains of what only the code has, or only the page.
func checkContract(tree fs.FS) ([]string, error) {
	page, err := fs.ReadFile(tree, contractPage)
	if err != nil {
		return nil, err
	}
	rows, code := map[string]map[string]bool{}, map[string]map[string]bool{} // by heading
	for heading := range contractTables {
		_, section, _ := strings.Cut(string(page), "# "+heading+"\n")
		section, _, _ = strings.Cut(section, "\n#")
		rows[heading], code[heading] = firsts(firstColumn, section), map[string]bool{}
	}
	err = walkText(tree, func(file, text string) {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(path.Dir(file)+"/", "/test/") {
			return
		}
		for heading, table := range contractTables {
			if table.files.MatchString(file) {
				maps.Copy(code[heading], firsts(table.pattern, text))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var complaints []string
	for _, heading := range slices.Sorted(maps.Keys(contractTables)) {
		for _, name := range slices.Sorted(maps.Keys(code[heading])) {
			if !rows[heading][name] {
				complaints = append(complaints, fmt.Sprintf("%s has no row for %s under %s", contractPage, name, heading))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(rows[heading])) {
			if !code[heading][name] {
				complaints = append(complaints, fmt.Sprintf("%s has %s under %s, which no code has", contractPage, name, heading))
			}
		}
	}
	return complaints, nil
}

// firsts returns the first group of each match.
func firsts(re *regexp.Regexp, text string) map[string]bool {
	set := map[string]bool{}
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		set[m[1]] = true
	}
	return set
}
