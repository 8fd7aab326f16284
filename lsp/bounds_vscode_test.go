package lsp_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/patchls/patchls/lsp/bounds"
)

// VS Code lists settings one by one, so its extension must have all bounds that are settings.
func TestVSCodeHasAllBounds(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "editors", "vscode", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct {
			Configuration struct {
				Properties map[string]struct {
					Properties map[string]struct{ Minimum int64 }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	got := manifest.Contributes.Configuration.Properties["patchls.bounds"].Properties
	want := map[string]int64{}
	for _, b := range bounds.All {
		if b.Setting && b.Name != "apply_timeout_ms" && b.Name != "max_document_bytes" { // which have settings of their own
			want[b.Name] = b.Least
		}
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
		t.Errorf("patchls.bounds has %q", names)
	}
	for name, least := range want {
		if got[name].Minimum != least {
			t.Errorf("the least of %s is %d, want %d", name, got[name].Minimum, least)
		}
	}
}
