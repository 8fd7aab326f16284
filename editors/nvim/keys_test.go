//go:build unix

package nvim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	suggested = regexp.MustCompile(`keymap\.set\(\s*(?:"(\w*)"|\{([^}]*)\}),\s*"([^"]+)"|\b([nvxoict])(?:nore)?map\s+(?:<(?:silent|expr|buffer|nowait|unique)>\s*)*(\S+)`)
	indexed   = regexp.MustCompile(`^\|[^|]+\|\s+(?:\["x\])?([^\s{]+)\s`)
)

// taken says what a key is in Neovim without mappings of the user's, "" for nothing: a mapping
// or a command of its own, one that begins with it, or one that it begins with.
func (e *editor) taken(mode, lhs string) string {
	e.t.Helper()
	if mapped := e.eval(fmt.Sprintf(`vim.fn.mapcheck(%q, %q)`, lhs, mode)).(string); mapped != "" {
		return mapped
	}
	index, err := os.ReadFile(e.eval(`vim.env.VIMRUNTIME .. "/doc/index.txt"`).(string))
	if err != nil {
		e.t.Fatal(err)
	}
	_, normal, _ := strings.Cut(string(index), "*normal-index*")
	normal, _, ok := strings.Cut(normal, "*visual-index*")
	if !ok {
		e.t.Fatal("Neovim's index has no list of commands in normal mode")
	}
	for line := range strings.Lines(normal) {
		command := indexed.FindStringSubmatch(line)
		if len(command) > 1 && command[1] != "]" && command[1] != "[" && (strings.HasPrefix(lhs, command[1]) || strings.HasPrefix(command[1], lhs)) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// What the documentation suggests to map shadows nothing that Neovim has.
func TestSuggestedKeysAreFree(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}})
	e.attached("a.txt")
	for _, lhs := range []string{"]p", "[p", "]d", "]q", "]a", "gra", "grn", "gc", "K", "dd", "z", "]"} {
		if e.taken("n", lhs) == "" {
			t.Errorf("%s passes for free", lhs)
		}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range append(pages, "../../docs/editors/neovim.md", "../../README.md", "../vscode/README.md", "doc/patchls.txt") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range suggested.FindAllStringSubmatch(string(text), -1) {
			modes, lhs := m[1]+m[4], m[3]+m[5]
			if m[2] != "" {
				modes = strings.NewReplacer(`"`, "", ",", "", " ", "").Replace(m[2])
			}
			if modes != "n" {
				t.Errorf("%s maps %s in the modes %q: this test knows the commands of normal mode alone", page, lhs, modes)
			} else if what := e.taken(modes, lhs); what != "" {
				t.Errorf("%s suggests to map %s, which is %s", page, lhs, what)
			}
			seen++
		}
	}
	if seen < 4 {
		t.Errorf("there are %d suggestions", seen)
	}
}
