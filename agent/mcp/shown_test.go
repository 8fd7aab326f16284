package mcp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits/diff"
)

// TestCasesOfShownTexts runs those of testdata/edits in which the agent was shown a text, and the user has changed it since,
// by the tools.
func TestCasesOfShownTexts(t *testing.T) {
	names, err := filepath.Glob("../../testdata/edits/shown-*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			is := map[string]string{}
			for _, f := range archive.Files {
				is[f.Name] = string(f.Data)
			}
			w := newWorld(t, "", "a.txt", is["shown"])
			b, err := w.editor.Open(filepath.Join(w.root, "a.txt"))
			if err != nil {
				t.Fatal(err)
			}
			view, err := w.CallTool(t.Context(), &sdk.CallToolParams{Name: "view", Arguments: map[string]any{"path": "a.txt"}})
			if err != nil {
				t.Fatal(err)
			}
			head, tail := diff.CommonEnds(is["shown"], is["before"])
			if err := b.Replace(head, len(is["shown"])-tail, is["before"][head:len(is["before"])-tail]); err != nil {
				t.Fatal(err)
			}
			command, arguments, _ := strings.Cut(is["command"], " ")
			a := map[string]any{}
			if err := json.Unmarshal([]byte(arguments), &a); err != nil {
				t.Fatal(err)
			}
			if a["path"] = "a.txt"; is["patch"] != "" {
				a["patch"] = strings.ReplaceAll(is["patch"], "$", "a.txt")
			}
			if a["rev"] == "$" {
				a["rev"] = view.StructuredContent.(map[string]any)["rev"]
			}
			got, err := w.CallTool(t.Context(), &sdk.CallToolParams{Name: command, Arguments: a})
			if err != nil {
				t.Fatal(err)
			}
			want, refused := is["after"], is["error"] != ""
			if refused {
				want = is["before"]
			}
			if b.Text() != want || got.IsError != refused {
				t.Errorf("%q, %v, want %q", b.Text(), got.Content, want)
			}
		})
	}
}
