package lsp_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchls/patchls/lsp"
)

var update = flag.Bool("update", false, "rewrite generated files and goldens")

// What is generated from the declaration of the commands must be what is
// committed; `make generate` rewrites it.
func TestReferenceIsUpToDate(t *testing.T) {
	markdown, err := lsp.ReferenceMarkdown()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := lsp.ReferenceSchema()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"commands.md": markdown, "commands.schema.json": string(schema)} {
		path := filepath.Join("..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is stale (%v); run: make generate", name, err)
		}
	}
}
