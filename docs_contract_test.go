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

const (
	resultsPage = "docs/build/results.md"
	pluginsPage = "docs/build/editor.md"
)

// kindsFile has all kinds of failure, each with the sentence of docs/build/results.md.
const kindsFile = "edits/kinds.go"

// contractTables are tables of the pages for authors by their headings, and where the code has what is in
// their first columns. A second group of the pattern is what is in the second column, without links.
var contractTables = map[string]struct {
	page    string
	files   *regexp.Regexp
	pattern *regexp.Regexp
}{
	"Kinds":       {resultsPage, regexp.MustCompile("^" + kindsFile + "$"), regexp.MustCompile(`\w\s+Kind\s+= "(\w+)"(?: *// (.*))?`)},
	"Own methods": {pluginsPage, regexp.MustCompile(`^(lsp|agent|editors)/.*\.(go|lua|ts)$`), regexp.MustCompile(`"(patchls/\w+)"`)},
	"What the server sends": {pluginsPage, regexp.MustCompile(`^lsp/.*\.go$`), regexp.MustCompile(
		`\.(?:Call|Notify|Request|add|Tell)\((?:ctx, )?protocol\.Method(\w+)`)},
}

// nameOf is a name of a table or of the code, by which the two are compared: a constant has no slashes.
func nameOf(heading, name string) string {
	if heading == "What the server sends" {
		return strings.ToLower(strings.ReplaceAll(name, "/", ""))
	}
	return name
}

// TestDocsContract holds the tables of the pages for authors and the code to each other.
func TestDocsContract(t *testing.T) {
	repositoryPasses(t, checkContract)
}

// TestDocsContractComplains shows that TestDocsContract can fail.
func TestDocsContractComplains(t *testing.T) {
	const kinds = "const NoMatch Kind = \"no_match\" // the text is `not` there\n"
	const page = "### Kinds\n\n- **view**: do so.\n\n| kind | when | then |\n|---|---|---|\n| `no_match` | the [text](a.md) is `not` there | view |\n"
	const methods = "## What the server sends\n\n| method | when |\n|---|---|\n| `window/showMessage`, `window/logMessage` | the user is told |\n\n" +
		"## Own methods\n\n| method | |\n|---|---|\n| `patchls/save` | `patchls/later` |\n"
	for _, tt := range []struct{ name, file, data, want string }{
		{"all is well", "lsp/a_test.go", "const odd edits.Kind = \"odd\"\n", ""},
		{"a kind without a row", kindsFile, kinds + "const (\n\todd    Kind = \"odd\"   // is odd\n)", "docs/build/results.md has no row for odd under Kinds"},
		{"a kind without a sentence", kindsFile, strings.Replace(kinds, "//", "\n//", 1), "and the code \"\": make them one sentence"},
		{"another sentence", kindsFile, strings.Replace(kinds, "the text", "a text", 1), "of no_match, \"the text is `not` there\", and the code \"a text is `not` there\""},
		{"a kind of another package", "lsp/a.go", "const odd edits.Kind = \"odd\"\n", "lsp/a.go makes the kind odd: write it in edits/kinds.go"},
		{"a kind in a call", "lsp/a.go", "return edits.Errorf(edits.Kind(\"odd\"), \"\")\n", "lsp/a.go makes the kind odd"},
		{"a kind in a call, as a text", "lsp/a.go", "return edits.Errorf(\"odd\", \"\")\n", "lsp/a.go makes the kind odd"},
		{"a kind in an error", "workspace/a.go", "return &edits.Error{Path: p, Kind: \"odd\"}\n", "workspace/a.go makes the kind odd"},
		{"a method without a row", "editors/nvim/a.lua", `request("patchls/odd")`, "no row for patchls/odd under Own methods"},
		{"a row that is stale", resultsPage, strings.Replace(page, "| `no_match`", "| `odd` | is odd | view |\n| `no_match`", 1), "docs/build/results.md has odd under Kinds, which no code has"},
		{"a kind after which nobody knows what to do", resultsPage, strings.Replace(page, "| view |", "| |", 1), "docs/build/results.md does not say what to do after no_match"},
		{"a kind without the column", resultsPage, strings.Replace(page, " view |", "", 1), "docs/build/results.md does not say what to do after no_match"},
		{"what is to be done after no error", resultsPage, strings.Replace(page, "- **view**", "- **retry**: do so.\n- **view**", 1), "explains retry, which is to be done after no error"},
		{"what to do in a word of its own", resultsPage, strings.Replace(page, "| view |", "| look |", 1), "docs/build/results.md does not say what to do after no_match"},
		{"a request without a row", "lsp/a.go", "err := c.Call(ctx, protocol.MethodWorkspaceApplyEdit, p)\n", "docs/build/editor.md has no row for workspaceapplyedit under What the server sends"},
		{"a request that nobody sends", pluginsPage, strings.Replace(methods, "`window/show", "`window/move` | never |\n| `window/show", 1), "docs/build/editor.md has windowmove under What the server sends, which no code has"},
		{"a heading that is gone", pluginsPage, strings.Replace(methods, "## Own methods", "## Others", 1), "docs/build/editor.md has no row for patchls/save under Own methods"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{
				resultsPage:   {Data: []byte(page)},
				pluginsPage:   {Data: []byte(methods)},
				kindsFile:     {Data: []byte(kinds)},
				"lsp/save.go": {Data: []byte("const methodSave = \"patchls/save\"\n")},
				"lsp/say.go":  {Data: []byte("c.Notify(protocol.MethodWindowShowMessage)\ns.outbox.add(protocol.MethodWindowLogMessage, m)\n")},
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

var (
	columns = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|(?: ([^|]*) \\|)?")
	// What to do after an error: each word as the page explains it, and the kinds with the word in the last column of their row.
	twoNames   = regexp.MustCompile("(?m)^\\| (`[^`|]+`), (`[^`|]+`) \\|") // in one row
	explained  = regexp.MustCompile(`(?m)^- \*\*(\w+)\*\*: `)
	kindsWords = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|.*\\| (\\w*) ?\\|$")
	link       = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

	// madeKind is a kind that is written as a text, so that nothing says what it means.
	madeKind = regexp.MustCompile(`(?:\bedits\.(?:Kind\s*(?:= |\()|Errorf\()|\bedits\.Error\{[^}\n]*\bKind: )"(\w+)"`)
)

// checkContract complains of what only the code has, or only the page.
func checkContract(tree fs.FS) ([]string, error) {
	rows, code := map[string]map[string]string{}, map[string]map[string]string{} // by heading
	for heading, table := range contractTables {
		page, err := fs.ReadFile(tree, table.page)
		if err != nil {
			return nil, err
		}
		_, section, _ := strings.Cut(string(page), "# "+heading+"\n")
		section, _, _ = strings.Cut(section, "\n#")
		section = twoNames.ReplaceAllString(section, "| $1 |\n| $2 |")
		rows[heading], code[heading] = map[string]string{}, map[string]string{}
		for name, says := range firsts(columns, link.ReplaceAllString(section, "$1")) {
			rows[heading][nameOf(heading, name)] = says
		}
	}
	var complaints []string
	err := walkText(tree, func(file, text string) {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(path.Dir(file)+"/", "/test/") {
			return
		}
		for kind := range firsts(madeKind, text) {
			complaints = append(complaints, fmt.Sprintf("%s makes the kind %s: write it in %s", file, kind, kindsFile))
		}
		for heading, table := range contractTables {
			if table.files.MatchString(file) {
				for name, says := range firsts(table.pattern, text) {
					code[heading][nameOf(heading, name)] = says
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	does, err := checkWhatToDo(tree)
	if err != nil {
		return nil, err
	}
	complaints = append(complaints, does...)
	for _, heading := range slices.Sorted(maps.Keys(contractTables)) {
		for _, name := range slices.Sorted(maps.Keys(code[heading])) {
			switch says, has := rows[heading][name]; {
			case !has:
				complaints = append(complaints, fmt.Sprintf("%s has no row for %s under %s", contractTables[heading].page, name, heading))
			case contractTables[heading].pattern.NumSubexp() > 1 && code[heading][name] != says:
				complaints = append(complaints, fmt.Sprintf("%s says of %s, %q, and the code %q: make them one sentence", contractTables[heading].page, name, says, code[heading][name]))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(rows[heading])) {
			if _, has := code[heading][name]; !has {
				complaints = append(complaints, fmt.Sprintf("%s has %s under %s, which no code has", contractTables[heading].page, name, heading))
			}
		}
	}
	return complaints, nil
}

// checkWhatToDo complains of kinds in whose row is none of the words that the page explains above the table, and of
// words that no kind has.
func checkWhatToDo(tree fs.FS) (complaints []string, err error) {
	page, err := fs.ReadFile(tree, resultsPage)
	if err != nil {
		return nil, err
	}
	_, section, _ := strings.Cut(string(page), "### Kinds\n")
	section, _, _ = strings.Cut(section, "\n#")
	words, last, used := firsts(explained, section), firsts(kindsWords, section), map[string]bool{}
	for kind := range firsts(columns, section) {
		if _, is := words[last[kind]]; !is {
			complaints = append(complaints, fmt.Sprintf("%s does not say what to do after %s", resultsPage, kind))
		}
		used[last[kind]] = true
	}
	for word := range words {
		if !used[word] && complaints == nil {
			complaints = append(complaints, fmt.Sprintf("%s explains %s, which is to be done after no error", resultsPage, word))
		}
	}
	return complaints, nil
}

// firsts returns the first group of each match, with the second if there is one.
func firsts(re *regexp.Regexp, text string) map[string]string {
	all := map[string]string{}
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		all[m[1]] = strings.Join(m[2:], "")
	}
	return all
}
