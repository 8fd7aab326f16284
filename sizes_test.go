package patchls_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The maximum size of a package of the product, so that a newcomer can read it in an hour,
// and the maximum number of methods of a type.
const (
	maxPackageLines = 2600
	maxPackageFiles = 40
	maxMethods      = 30
)

// larger is what some packages have instead: it only ever gets less.
var larger = map[string]int{}

func TestSizes(t *testing.T) { repositoryPasses(t, checkSizes) }

// TestSizesComplain shows that TestSizes can fail.
func TestSizesComplain(t *testing.T) {
	var methods, many strings.Builder
	methods.WriteString("package lsp\n\ntype t struct{}\n")
	for i := range maxMethods + 1 {
		fmt.Fprintf(&methods, "func (x *t) m%d() {}\n", i)
	}
	many.WriteString("package lsp\n" + strings.Repeat("\n", maxPackageLines))
	for _, tt := range []struct{ name, file, data, want string }{
		{"all is well", "lsp/a.go", "package lsp\n", ""},
		{"a type", "lsp/a.go", methods.String(), "lsp.t has 31 methods"},
		{"a type of a test", "lsp/a_test.go", methods.String(), ""},
		{"a package", "lsp/a.go", many.String(), "lsp has 2601 lines"},
		{"a tool", "bench/a.go", many.String(), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := checkSizes(fstest.MapFS{tt.file: {Data: []byte(tt.data)}})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, tt.want)
		})
	}
}

// checkSizes returns a complaint for each package and type of the product that is too large.
func checkSizes(tree fs.FS) ([]string, error) {
	lines, files, methods := map[string]int{}, map[string]int{}, map[string]int{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		dir := path.Dir(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || slices.Contains([]string{"bench", "editors/e2e", "internal/testkit"}, name)):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		lines[dir] += strings.Count(string(src), "\n")
		files[dir]++
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv != nil {
				methods[dir+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	var complaints []string
	check := func(sizes map[string]int, most int, what string) {
		for _, name := range slices.Sorted(maps.Keys(sizes)) {
			if may := max(most, larger[name]); sizes[name] > may {
				complaints = append(complaints, fmt.Sprintf("%s has %d %s, and may have %d: part it by what it holds, and give the parts names", name, sizes[name], what, may))
			}
		}
	}
	check(lines, maxPackageLines, "lines")
	check(files, maxPackageFiles, "files")
	check(methods, maxMethods, "methods")
	return complaints, err
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
