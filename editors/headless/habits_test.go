package headless

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoPersonaInTheEditor: what is not of a persona names nothing that is, so that the
// linker leaves personas out of a program that sets none, and no save asks one.
func TestNoPersonaInTheEditor(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	ofPersonas, editor := map[string]bool{}, map[string]*ast.File{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		switch {
		case err != nil:
			t.Fatal(err)
		case strings.HasSuffix(name, "_test.go"):
		case strings.HasPrefix(name, "persona"):
			for _, declared := range declaredIn(f) {
				ofPersonas[declared] = true
			}
		default:
			editor[name] = f
		}
	}
	if !ofPersonas["Persona"] || !ofPersonas["quirks"] || len(editor) == 0 {
		t.Fatalf("of personas are %v", ofPersonas)
	}
	for name, f := range editor {
		for _, used := range usedIn(f) {
			if ofPersonas[used] {
				t.Errorf("%s names %s, which is a persona's", name, used)
			}
		}
	}
}

// declaredIn returns the names that a file declares for its package.
func declaredIn(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// usedIn returns the names in a file that may be of its package: not those of fields and
// methods.
func usedIn(f *ast.File) (names []string) {
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, look)
			return false
		case *ast.Field:
			ast.Inspect(n.Type, look)
			return false
		case *ast.KeyValueExpr:
			ast.Inspect(n.Value, look)
			return false
		case *ast.FuncDecl:
			for _, part := range []ast.Node{n.Type, n.Body} {
				ast.Inspect(part, look)
			}
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	}
	ast.Inspect(f, look)
	return names
}
