package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// TestRefusedCommandsAreSmall has a server refuse commands on documents of two sizes, or the user, and watches
// from outside how much memory that takes: 8 times the document, with the text that was sent for it, and 200 MB more for four at a time.
func TestRefusedCommandsAreSmall(t *testing.T) {
	if os.Getenv("PATCHLS_MEMORY") == "" {
		t.Skip("make memory runs this with nothing beside it")
	}
	if _, err := peak(os.Getpid()); err != nil {
		t.Skip("the most that a process had in memory is read where Linux tells it:", err)
	}
	const (
		most     = 8           // times the document, with the text that was sent for it
		mostFour = 200_000_000 // bytes more, for four commands at a time
		garbage  = 8_000_000   // bytes that Go's runtime lets lie, however small the document
	)
	patch := func(hunks string) map[string]any {
		return map[string]any{"patch": "*** Begin Patch\n*** Update File: big.txt\n" + hunks + "\n*** End Patch\n"}
	}
	replace := func(old, put string) map[string]any {
		return map[string]any{"path": "big.txt", "old_str": old, "new_str": put}
	}
	const guarded = ".vscode/settings.json"
	asks := func(args map[string]any) map[string]any { args["path"] = guarded; return args }
	all := func(args map[string]any) map[string]any { args["replace_all"] = true; return args }
	lenient := func(args map[string]any) map[string]any { args["match"] = "lenient"; return args }
	for _, c := range []struct {
		name, text, command string
		args                map[string]any
	}{
		{"a letter", "a", "str_replace", replace("a", "b")},
		{"a letter in each line", "a\n", "str_replace", lenient(replace("a", "b"))},
		{"all letters, by much text", "a\n", "str_replace", all(replace("a", strings.Repeat("long ", 2000)))},
		{"lines that have moved", "a\n", "edit_lines", map[string]any{"path": "big.txt", "edits": []any{map[string]any{"from": 1 << 30, "to": 1 << 30, "content": "b", "expect": "a"}}}},
		{"lines indented otherwise", "\tx = 1 \n\ty\n", "str_replace", lenient(replace(" x = 1\n y", "z"))},
		{"look-alikes", "say “hi”, and no more\n", "str_replace", lenient(replace(`say "hi"`, "z"))},
		{"not found", "x = 1\n", "str_replace", lenient(replace("nothing of\nthis", "z"))},
		{"a patch", "x = 1\n", "apply_patch", patch("@@\n x = 1\n-x = 1\n+x = 2")},
		{"a patch with an anchor", "x = 1\n", "apply_patch", patch("@@ x = 1\n x = 1\n-x = 1\n+x = 2")},
		{"a patch without a place", "\tx = 1 \n\ty\n", "apply_patch", patch("@@\n x = 7\n-x = 1\n+x = 2")},
		{"undo", "x = 1\n", "undo", map[string]any{"path": "big.txt"}},
		{"a question about a whole text", "  \"files.readonly\": true,\n", "write", asks(map[string]any{"content": "  \"files.readonly\": false,\n"})}, // as often
		{"a question about a new line", "x = 1\n", "insert", asks(map[string]any{"after_line": 1, "content": "y"})},
		{"a question about each line", "x = 1\n", "str_replace", asks(all(replace("x", "y")))},
		{"a question about all lines", "x = 1\n", "delete_lines", asks(map[string]any{"start_line": 1, "end_line": 100_000})},
		{"a question about a patch", "x = 1\n", "apply_patch", map[string]any{"patch": "--- a/" + guarded + "\n+++ b/" + guarded + "\n@@ -1 +1 @@\n-x = 1\n+y = 2\n"}},
	} {
		for _, size := range []int{1_000_000, 8_000_000} {
			for _, editor := range []string{"", "with a plugin"} {
				isAsked := strings.HasPrefix(c.name, "a question")
				if editor != "" && !isAsked {
					continue
				}
				t.Run(fmt.Sprintf("%s in %d bytes %s", c.name, size, editor), func(t *testing.T) {
					liveeditor.Home(t)
					asked := 0
					opts := headless.Options{Settings: map[string]any{"apply_timeout_ms": 120_000}, Answer: func(context.Context, string, json.RawMessage) (any, error) {
						asked++
						return nil, nil // no
					}}
					if editor != "" {
						opts.Capabilities = func(c *protocol.ClientCapabilities) { c.Experimental = protocol.LSPAny(`{"patchls":{"confirm":true}}`) }
					}
					e := startWatched(t, t.TempDir(), opts)
					for _, name := range []string{"big.txt", guarded} {
						if text := strings.Repeat(c.text, size/len(c.text)); isAsked == (name == guarded) {
							if _, err := e.OpenText("file://"+filepath.ToSlash(filepath.Join(e.root, name)), "plaintext", text); err != nil {
								t.Fatal(err)
							}
						}
					}
					args, size := maps.Clone(c.args), size
					if c.command == "write" {
						content := strings.Repeat(args["content"].(string), size/len(c.text))
						args["content"], size = content, size+len(content)
					}
					for _, agents := range []int{1, 4} {
						before := e.shrunk()
						clearPeak(t, e.pid)
						var calls sync.WaitGroup
						for range agents {
							calls.Go(func() {
								if _, err := e.Execute(context.Background(), "patchls."+c.command, args); err == nil {
									t.Error("it was not refused")
								}
							})
						}
						calls.Wait()
						at, err := peak(e.pid)
						if err != nil {
							t.Fatal(err)
						}
						allowed := most*size + garbage
						if agents > 1 {
							allowed += mostFour
						}
						t.Logf("%d at a time: %.1f MB more, %.1f times the document", agents, float64(at-before)/1e6, float64(at-before)/float64(size))
						if at-before > allowed {
							t.Errorf("%d at a time take %d bytes more, %d are allowed", agents, at-before, allowed)
						}
					}
					if isAsked && asked != 5 {
						t.Errorf("the user was asked %d times, want 5", asked)
					}
				})
			}
		}
	}
}
