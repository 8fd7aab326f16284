package mcp

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
)

// native is the dialect of patchls' own commands.
const native = "native"

// dialects are the sets of tools that can be offered, each by the name that
// --dialect takes.
var dialects = []struct {
	name  string
	tools func() ([]tool, error)
}{
	{native, nativeTools},
	{"claude", claudeTools},
	{"codex", codexTools},
	{"agent-zero", agentZeroTools},
	{"smarthole", smartHoleTools},
}

// Dialects returns the names of the dialects, the default first.
func Dialects() []string {
	names := make([]string, len(dialects))
	for i, d := range dialects {
		names[i] = d.name
	}
	return names
}

// dialectTools returns the tools of a dialect.
func dialectTools(name string) ([]tool, error) {
	for _, d := range dialects {
		if d.name == name {
			return d.tools()
		}
	}
	hint := ""
	if near := edits.NearestName(name, Dialects()); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	return nil, fmt.Errorf("unknown dialect %q%s (the dialects are %s)", name, hint, strings.Join(Dialects(), ", "))
}

// instructions tell a model how to use the tools of a dialect.
func instructions(dialect string) string {
	const all = "These tools work on texts as the user has them open in the editor, unsaved changes included, " +
		"and put edits into the editor's own buffers, where the user sees them at once. " +
		"Use them for every file that may be open, in place of your own file tools: what those read from disk lacks the unsaved changes, " +
		"and what they write to disk collides with them. " +
		"An error says where the nearest text is and what to send instead: mend the call by it rather than repeat it."
	if dialect != "" && dialect != native {
		return all
	}
	return all + " Lines are counted from 1. Pass the rev of the answer that line numbers come from, and they stay right while the user types. " +
		"Shells and other programs see an edit once it is saved (the tool save). The tool list says which documents are open; undo takes an edit back."
}
