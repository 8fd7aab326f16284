package patchls_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// TestLayersComplain shows that TestLayers can fail.
func TestLayersComplain(t *testing.T) {
	all := []layer{
		{dir: "cmd"},
		{dir: "editors", not: map[string]string{module + "/lsp": "over the wire"}},
		{dir: "lsp", uses: []string{"example.com/wire"}, testUses: []string{"example.com/leak"}, testsMayUse: []string{"editors"}},
		{dir: "edits", not: join(pure, noJSON), only: []string{"golang.org/x/text"}},
		{dir: "edits/text"},
		{dir: "internal/testkit", forTests: true},
	}
	for _, tt := range []struct {
		name    string
		file    string
		pkg     string
		imports []string
		want    string // a part of the one complaint; "" for none
	}{
		{"down", "cmd/p/main.go", "main", []string{module + "/lsp", module + "/edits/text"}, ""},
		{"up", "edits/a.go", "edits", []string{module + "/lsp"}, "edits/a.go imports lsp, which is a layer above edits"},
		{"up out of an inner layer", "edits/text/a.go", "text", []string{module + "/edits"}, "edits/text/a.go imports edits, which is a layer above edits/text"},
		{"down into an inner layer", "edits/a.go", "edits", []string{module + "/edits/text"}, ""},
		{"sibling", "editors/vscode/a.go", "vscode", []string{module + "/editors/headless"}, "editors/vscode/a.go imports editors/headless, which is in the same layer"},
		{"down to a layer that is out", "editors/headless/a.go", "headless", []string{module + "/lsp"}, "editors/headless/a.go imports " + module + "/lsp: over the wire"},
		{"a package's own external test", "editors/headless/a_test.go", "headless_test", []string{module + "/editors/headless"}, ""},
		{"upward from an external test", "lsp/a_test.go", "lsp_test", []string{module + "/editors/headless"}, ""},
		{"upward from an internal test", "lsp/a_test.go", "lsp", []string{module + "/editors/headless"}, "lsp/a_test.go imports editors/headless, which is a layer above lsp"},
		{"upward from a test that may not", "edits/a_test.go", "edits_test", []string{module + "/editors/headless"}, "edits/a_test.go imports editors/headless"},
		{"cmd from a test", "lsp/a_test.go", "lsp_test", []string{module + "/cmd/patchls"}, "lsp/a_test.go imports cmd/patchls"},
		{"the root", "lsp/a.go", "lsp", []string{module}, "lsp/a.go imports the root package"},
		{"from the root", "a.go", "patchls", []string{module + "/edits"}, "a.go is in no layer"},
		{"folder without a layer", "pkg/a.go", "pkg", nil, "pkg/a.go is in no layer"},
		{"import without a layer", "cmd/a.go", "main", []string{module + "/pkg"}, "cmd/a.go imports pkg, which is in no layer"},
		{"standard library", "edits/a.go", "edits", []string{"strings", "io"}, ""},
		{"clock", "edits/a.go", "edits", []string{"time"}, "edits/a.go imports time: edits is pure: no clock"},
		{"part of a package that is out", "edits/a.go", "edits", []string{"net/http"}, "edits/a.go imports net/http: edits is pure"},
		{"JSON", "edits/a.go", "edits", []string{"encoding/json"}, "edits/a.go imports encoding/json: JSON lives in lsp"},
		{"clock in a test", "edits/a_test.go", "edits", []string{"time"}, ""},
		{"module that is not on the list", "cmd/a.go", "main", []string{"example.com/new/part"}, "cmd uses example.com/new/part, which is not in its list"},
		{"part of a module on the list", "lsp/a.go", "lsp", []string{"example.com/wire/part"}, ""},
		{"test module outside tests", "lsp/a.go", "lsp", []string{"example.com/wire", "example.com/leak"}, "lsp uses example.com/leak, which is not in its list"},
		{"module that is never allowed", "edits/a.go", "edits", []string{"example.com/new"}, "edits/a.go imports example.com/new; edits may only use golang.org/x/text"},
		{"module that nobody uses", "lsp/wire.go", "lsp", []string{"strings"}, "lsp lists example.com/wire, which it does not use"},
		{"name that only begins alike", "lsp/a.go", "lsp", []string{"example.com/wire", "example.com/wired"}, "lsp uses example.com/wired"},
		{"test data", "cmd/testdata/a.go", "x", []string{"example.com/new"}, ""},
		{"a tool of tests from a test", "edits/a_test.go", "edits", []string{module + "/internal/testkit"}, ""},
		{"a tool of tests from a product", "edits/a.go", "edits", []string{module + "/internal/testkit"}, "edits/a.go imports internal/testkit, which is for tests"},
		{"file for another system", "edits/a_windows.go", "edits", []string{"os"}, "edits/a_windows.go imports os"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := "package " + tt.pkg + "\n"
			for _, i := range tt.imports {
				src += "import _ " + strconv.Quote(i) + "\n"
			}
			tree := fstest.MapFS{
				// What lsp's lists name is used, so that one complaint has one cause.
				"lsp/wire.go":      {Data: []byte("package lsp\nimport _ \"example.com/wire\"\n")},
				"lsp/leak_test.go": {Data: []byte("package lsp\nimport _ \"example.com/leak\"\n")},
			}
			tree[tt.file] = &fstest.MapFile{Data: []byte(src)}
			got, err := checkLayers(tree, all)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, tt.want)
		})
	}
}

// TestFoldersComplain shows that TestFolders can fail.
func TestFoldersComplain(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"edits/a.go", ""},
		{".ci/run", ""},
		{"go.mod", ""},
		{"pkg/a.go", "the folder pkg is at the top level"},
		{"tools/a.txt", "the folder tools is at the top level"},
	} {
		got, err := checkFolders(fstest.MapFS{tt.file: {}})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, got, tt.want)
	}
}

// TestCodeMapComplains shows that TestCodeMap can fail.
func TestCodeMapComplains(t *testing.T) {
	all := []layer{{dir: "cmd"}, {dir: "editors"}, {dir: "lsp"}, {dir: "internal/kit", forTests: true}}
	for _, tt := range []struct{ page, want string }{
		{"| `cmd/p` | a |\n| `editors/a`, `editors/b` | b |\n| `lsp` | c |\n| `internal/kit/...` | d |\n", ""},
		{"| `cmd/p` | a |\n| `lsp` | c |\n| `editors/a` | b |\n", "has editors/a below lsp"},
		{"| `cmd/p` | a |\n| `lsp` | c |\n", "lacks editors"},
		{"| `cmd/p` | a |\n| `editors/a` | b |\n| `lsp` | c |\n| `pkg` | d |\n", "has pkg, which is in no layer"},
	} {
		expect(t, checkCodeMap(tt.page, all), tt.want)
	}
}

func expect(t *testing.T, got []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(got) > 0:
		t.Errorf("complains: %q", got)
	case want != "" && (len(got) != 1 || !strings.Contains(got[0], want)):
		t.Errorf("got %q, want one complaint with %q", got, want)
	}
}

// checkFolders complains of top-level folders that the all does not have.
func checkFolders(tree fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return nil, err
	}
	var complaints []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(folders, e.Name()) {
			complaints = append(complaints, fmt.Sprintf("the folder %s is at the top level, which has only %s: move it into the one whose part of docs/architecture.md fits",
				e.Name(), strings.Join(folders, ", ")))
		}
	}
	return complaints, nil
}

var mapRow = regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)`.* \\|")

// checkCodeMap complains of rows of the table in docs/architecture.md that are not in the order of the layers, and of
// layers of the product without a row.
func checkCodeMap(page string, all []layer) (complaints []string) {
	rows, last := map[int]bool{}, 0
	for _, row := range mapRow.FindAllStringSubmatch(page, -1) {
		at := layerOf(all, row[1])
		switch {
		case at < 0:
			complaints = append(complaints, fmt.Sprintf("the code map of docs/architecture.md has %s, which is in no layer: add it to layers in layers_test.go, or take the row out", row[1]))
			continue
		case at < last:
			complaints = append(complaints, fmt.Sprintf("the code map of docs/architecture.md has %s below %s, and layers in layers_test.go has it above: move one of the two", row[1], all[last].dir))
		}
		rows[at], last = true, max(last, at)
	}
	for i, l := range all {
		if !rows[i] && !l.forTests && l.dir != "bench" {
			complaints = append(complaints, "the code map of docs/architecture.md lacks "+l.dir+": add a row where layers in layers_test.go has it")
		}
	}
	return complaints
}

// checkLayers complains of imports that the layers do not allow. It reads the
// import blocks of all Go files, whatever they are built for, and runs nothing.
func checkLayers(tree fs.FS, all []layer) ([]string, error) {
	var complaints []string
	complain := func(format string, args ...any) {
		complaints = append(complaints, fmt.Sprintf(format, args...))
	}
	used, testUsed := map[string]map[string]bool{}, map[string]map[string]bool{} // layer → third-party imports
	err := walkGo(tree, func(file, pkg string, imports []string) {
		dir, isTest := path.Dir(file), strings.HasSuffix(file, "_test.go")
		at := layerOf(all, dir)
		if at < 0 {
			if dir != "." || !isTest {
				complain("%s is in no layer: add its package to layers in layers_test.go, and to the code map of docs/architecture.md", file)
			}
			return
		}
		f := all[at]
		if used[f.dir] == nil {
			used[f.dir], testUsed[f.dir] = map[string]bool{}, map[string]bool{}
		}
		for _, imp := range imports {
			own, ours := strings.CutPrefix(imp, module+"/")
			first, _, _ := strings.Cut(imp, "/")
			p := within(imp, slices.Sorted(maps.Keys(f.not)))
			switch {
			case p != "" && !isTest:
				complain("%s imports %s: %s", file, imp, f.not[p])
			case imp == module:
				complain("%s imports the root package, which holds no code", file)
			case ours:
				to := layerOf(all, own)
				xtest := strings.HasSuffix(pkg, "_test")
				switch {
				case own == dir && xtest:
				case to < 0:
					complain("%s imports %s, which is in no layer: add it to layers in layers_test.go", file, own)
				case all[to].forTests && !isTest && !f.forTests:
					complain("%s imports %s, which is for tests: the product must not need it", file, own)
				case to == at:
					complain("%s imports %s, which is in the same layer; give it a layer of its own in layers_test.go", file, own)
				case to < at && xtest && slices.Contains(f.testsMayUse, all[to].dir):
				case to < at:
					complain("%s imports %s, which is a layer above %s: move what is needed down, or have the caller pass it as a parameter", file, own, f.dir)
				}
			case !strings.Contains(first, "."): // the standard library
			case isTest:
				testUsed[f.dir][imp] = true
			case f.only != nil && within(imp, f.only) == "":
				complain("%s imports %s; %s may only use %s", file, imp, f.dir, strings.Join(f.only, ", "))
			default:
				used[f.dir][imp] = true
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if used[f.dir] == nil {
			continue // no Go in it yet
		}
		for _, imp := range slices.Sorted(maps.Keys(used[f.dir])) {
			if within(imp, f.uses) == "" {
				complain("%s uses %s, which is not in its list: a new dependency is a decision, take it in layers_test.go", f.dir, imp)
			}
		}
		for _, imp := range slices.Sorted(maps.Keys(testUsed[f.dir])) {
			if within(imp, slices.Concat(f.uses, f.testUses)) == "" {
				complain("the tests of %s use %s, which is not in their list: a new dependency is a decision, take it in layers_test.go", f.dir, imp)
			}
		}
		for _, m := range f.uses {
			if !usesModule(used[f.dir], m) {
				complain("%s lists %s, which it does not use: take it out of layers_test.go", f.dir, m)
			}
		}
		for _, m := range f.testUses {
			if !usesModule(testUsed[f.dir], m) {
				complain("the tests of %s list %s, which they do not use: take it out of layers_test.go", f.dir, m)
			}
		}
	}
	return complaints, nil
}

// walkGo calls fn with the package name and the imports of every Go file of
// the module.
func walkGo(tree fs.FS, fn func(file, pkg string, imports []string)) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == "." {
				return nil
			}
			base := d.Name()
			if base == "testdata" || base == "node_modules" || base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
			if _, none := fs.Stat(tree, path.Join(name, "go.mod")); none == nil {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		imports := make([]string, 0, len(f.Imports))
		for _, i := range f.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			imports = append(imports, p)
		}
		fn(name, f.Name.Name, imports)
		return nil
	})
}

// layerOf returns the index of the layer that holds dir, or -1.
func layerOf(all []layer, dir string) int {
	best := -1
	for i, f := range all {
		if isUnder(dir, f.dir) && (best < 0 || len(f.dir) > len(all[best].dir)) {
			best = i
		}
	}
	return best
}

// within returns the first of paths that imp is or lies under.
func within(imp string, paths []string) string {
	for _, p := range paths {
		if isUnder(imp, p) {
			return p
		}
	}
	return ""
}

func usesModule(imports map[string]bool, m string) bool {
	for imp := range imports {
		if isUnder(imp, m) {
			return true
		}
	}
	return false
}

func isUnder(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
