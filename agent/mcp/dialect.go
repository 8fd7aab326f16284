package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
)

// native is the dialect of patchls' own commands.
const native = "native"

// Dialects returns the names of the dialects, which are sets of tools, the default first.
func Dialects() []string { return []string{native, "claude", "codex", "agent-zero", "smarthole"} }

// dialectTools returns the tools of a dialect.
func dialectTools(name string, opts Options) ([]tool, error) {
	hint := ""
	if near := edits.NearestName(name, Dialects()); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	switch {
	case !slices.Contains(Dialects(), name):
		return nil, fmt.Errorf("unknown dialect %q%s (the dialects are %s)", name, hint, strings.Join(Dialects(), ", "))
	case name == native:
		return nativeTools(opts), nil
	case opts.Structured || opts.ReviewTools:
		return nil, fmt.Errorf("structured answers and review tools are for the dialect %s, not for %s", native, name)
	case name == "codex":
		return []tool{codexTool()}, nil
	}
	return lists.Map(imitations[name], toolOf), nil
}

// instructions tells a model how to use the tools of a dialect. Some clients show only the first 240
// characters, and only the tools that the model searches for.
func instructions(dialect string) string {
	const tools = "View and edit files with patchls' tools, not with your own or a shell: they work in the user's open editor, unsaved text included. " +
		"If they are not listed, search for patchls view, str_replace, apply_patch, create, save, undo. "
	const all = "What is read from disk lacks the unsaved text, and what is written to disk collides with it. " +
		"An error says where the nearest text is and what to send instead: correct the call by it rather than repeat it."
	if dialect != "" && dialect != native {
		return "View and edit files with these tools, not with your own or a shell: they work in the user's open editor, unsaved text included. " + all
	}
	return tools + all + " Lines are counted from 1. Pass the rev of the answer that line numbers come from, and they stay right while the user types. " +
		"Shells and other programs see an edit once it is saved (the tool save). The tool list says which documents are open; undo takes an edit back."
}

// loaded are the tools that a client should show its model from the start, even if it loads other tools only when
// the model searches for them. Without these tools models use a shell.
var loaded = []string{"view", "str_replace", "apply_patch", "create", "undo", "save"}

// nativeTools returns patchls' own commands as tools, under their names.
func nativeTools(opts Options) (tools []tool) {
	for i := range lsp.Commands {
		c := &lsp.Commands[i]
		if c.Imitates() || c.ForEditors || !opts.ReviewTools && (c.Name == "keep" || c.Name == "revert") {
			continue
		}
		t := toolOf(imitation{c.Name, c.Name, c.Title, c.Doc, nil})
		if slices.Contains(loaded, c.Name) {
			t.Meta = sdk.Meta{"anthropic/alwaysLoad": true} // Claude Code's
		}
		t.structured = opts.Structured
		switch {
		case c.Edits():
			t.say = words.EditText
		case c.Name == "view":
			t.say = sayView
		}
		tools = append(tools, t)
	}
	return tools
}

// imitation is a tool that models know from elsewhere. The command that imitates it answers in that tool's words.
type imitation struct {
	command, name, title, doc string
	lacks                     []string // arguments, and words of the argument command, that the tool does not have
}

// imitations are the tools of the other dialects but Codex's.
var imitations = map[string][]imitation{
	"claude": {{ // text_editor_20250728; undo_edit belongs to an older tool
		"str_replace_editor", "str_replace_based_edit_tool", "View, create and edit files",
		"Views, creates and edits text files as they are in the user's editor, unsaved changes included. " +
			"`view` shows a file with line numbers, or the entries of a directory two levels deep. " +
			"`create` makes a file that is not there yet. " +
			"`str_replace` replaces `old_str`, which must stand in the file exactly once, by `new_str`. " +
			"`insert` puts `insert_text` after the line `insert_line`; 0 is the top." + lsp.ByLine,
		[]string{"undo_edit"},
	}},
	"agent-zero": {{
		"text_editor", "text_editor", "Read, write and patch files",
		"Reads, writes and patches text files as they are in the user's editor, unsaved changes included. " +
			"`read` shows lines with their numbers; `write` makes the whole text; " +
			"`patch` takes exactly one of `edits` (by line numbers), `patch_text` (hunks with context) and `old_text` with `new_text`." +
			lsp.ByLine + " In a text that you write, what" + lsp.Whole,
		[]string{"open_canvas", "open_document"}, // other spellings, which the command takes as well
	}},
	"smarthole": {
		{
			"edit_file", "edit_file", "Edit a file", "Edits a text file as it is in the user's editor, unsaved changes included: " +
				"either replaces `old_text` by `new_text`, or does one line operation, which is `insert_after_line` or `insert_before_line` with `content`, or `delete_lines`." + lsp.ByLine, nil,
		},
		{"read_file", "read_file", "Read a file", "Reads a text file as it is in the user's editor, unsaved changes included, and shows its lines with their numbers.", nil},
		{"write_file", "write_file", "Write a file", "Makes a text file read as `content`, in the user's editor; makes the file and its folders if they are not there. What" + lsp.Whole, nil},
	},
}

// ours are the arguments that patchls' commands take, and that the imitated tools do not.
var ours = []string{"rev", "dry_run", "label", "save", "confirm"}

// toolOf returns a tool, with the hints of its command.
func toolOf(im imitation) tool {
	c := &lsp.Commands[slices.IndexFunc(lsp.Commands, func(c lsp.Command) bool { return c.Name == im.command })]
	takes := c.Schema()
	if c.Imitates() {
		im.lacks = slices.Concat(ours, im.lacks)
	}
	isLeftOut := func(name string) bool { return slices.Contains(im.lacks, name) }
	takes.PropertyOrder = slices.DeleteFunc(takes.PropertyOrder, isLeftOut)
	takes.Title, takes.Description = "", "" // the tool has them
	for name, p := range takes.Properties {
		if isLeftOut(name) {
			delete(takes.Properties, name)
		}
		p.Default = nil // its description says it; OpenAI refuses the keyword where a model is to keep to the schema
		p.Enum = slices.DeleteFunc(p.Enum, func(word any) bool { return isLeftOut(fmt.Sprint(word)) })
	}
	return tool{
		Tool:    &sdk.Tool{Name: im.name, Title: im.title, Description: im.doc, InputSchema: takes, Annotations: annotations(c)},
		command: c, takes: takes, unlisted: im.lacks, say: words.AnswerText,
	}
}

// codexInput declares the argument of Codex's tool.
type codexInput struct {
	Input string `json:"input" jsonschema:"the entire contents of the apply_patch command"`
}

// codexTool returns Codex's one tool, which takes one string.
func codexTool() tool {
	t := toolOf(imitation{
		"apply_patch", "apply_patch", "Apply a patch",
		"Edits files as they are in the user's editor, unsaved changes included. " +
			"The input is one patch: a line `*** Begin Patch`, then for each file `*** Add File: <path>` with lines that begin with +, " +
			"`*** Delete File: <path>`, or `*** Update File: <path>`, which may be followed by `*** Move to: <new path>`, with hunks; " +
			"then a line `*** End Patch`. A hunk begins with @@, which a line above the change may follow, such as that of its function; " +
			"its lines begin with a blank (context), - or +. Give three lines of context above and below each change. Paths are relative.",
		nil,
	})
	t.takes = schema.Of(reflect.ValueOf(codexInput{}))
	t.InputSchema, t.arguments, t.say = t.takes, codexArguments, sayCodex
	return t
}

// codexArguments converts {"input"} to {"patch"}.
func codexArguments(given json.RawMessage) (json.RawMessage, error) {
	var a codexInput
	if _, err := schema.Decode([]jsontext.Value{jsontext.Value(given)}, &a); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]string{"patch": a.Input})
}

// sayCodex renders an answer as Codex does: the files that were added, then those modified, then those deleted.
func sayCodex(answer json.RawMessage) string {
	var r transaction.Result
	if json.Unmarshal(answer, &r) != nil {
		return string(answer)
	}
	if !r.Applied { // an editor that is only told what to do
		return words.Joined(r.Message, words.Noted(r.Notes))
	}
	lines := map[string]string{}
	for _, f := range r.Files {
		letter := cmp.Or(map[string]string{editor.Create: "A", editor.Delete: "D"}[f.Change], "M")
		lines[letter] += letter + " " + cmp.Or(f.NewPath, f.Path) + "\n"
	}
	said := "Success. Updated the following files:\n" + lines["A"] + lines["M"] + lines["D"] + words.Noted(r.Notes)
	return strings.TrimSuffix(said, "\n") + "\n"
}
