package mcp

import (
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchls/patchls/lsp"
)

// The tools of the reference dialects are commands of their own, which answer in
// the words that the models know. Their schemas are the commands', without the
// arguments that are ours.

// ours are the arguments that our commands take and the tools that they imitate do
// not.
var ours = []string{"rev", "dry_run", "label", "confirm"}

// imitation returns the tool that a command imitates, under that one's name.
func imitation(command, name, title, doc string) (tool, *jsonschema.Schema, error) {
	i := slices.IndexFunc(lsp.Commands, func(c lsp.Command) bool { return c.Name == command })
	if i < 0 {
		return tool{}, nil, fmt.Errorf("there is no command %s", command)
	}
	t, schema, err := toolOf(&lsp.Commands[i], name, title, doc)
	if err != nil {
		return t, nil, err
	}
	withoutArguments(schema, ours...)
	return t, schema, nil
}

func withoutArguments(schema *jsonschema.Schema, names ...string) {
	for _, name := range names {
		delete(schema.Properties, name)
	}
	schema.PropertyOrder = slices.DeleteFunc(schema.PropertyOrder, func(name string) bool { return slices.Contains(names, name) })
}

// claudeTools are Anthropic's text_editor_20250728.
func claudeTools() ([]tool, error) {
	t, schema, err := imitation("str_replace_editor", "str_replace_based_edit_tool", "View, create and edit files",
		"Views, creates and edits text files as they are in the user's editor, unsaved changes included. "+
			"`view` shows a file with line numbers, or the entries of a directory two levels deep. "+
			"`create` makes a file that is not there yet. "+
			"`str_replace` replaces `old_str`, which must stand in the file exactly once, by `new_str`. "+
			"`insert` puts `insert_text` after the line `insert_line`; 0 is the top.")
	if err != nil {
		return nil, err
	}
	// Of an older tool, which Anthropic's newer one has left out.
	command := schema.Properties["command"]
	command.Enum = slices.DeleteFunc(command.Enum, func(word any) bool { return word == "undo_edit" })
	return []tool{t}, nil
}

// agentZeroTools are Agent Zero's.
func agentZeroTools() ([]tool, error) {
	t, schema, err := imitation("text_editor", "text_editor", "Read, write and patch files",
		"Reads, writes and patches text files as they are in the user's editor, unsaved changes included. "+
			"`read` shows lines with their numbers; `write` makes the whole text; "+
			"`patch` takes exactly one of `edits` (by the line numbers that you were last shown), `patch_text` (hunks with context) and `old_text` with `new_text`.")
	if err != nil {
		return nil, err
	}
	withoutArguments(schema, "open_canvas", "open_document") // other spellings, which it takes as well
	return []tool{t}, nil
}

// smartHoleTools are SmartHole's.
func smartHoleTools() ([]tool, error) {
	var tools []tool
	for _, of := range []struct{ name, title, doc string }{
		{"edit_file", "Edit a file", "Edits a text file as it is in the user's editor, unsaved changes included: " +
			"either replaces `old_text` by `new_text`, or does one line operation, which is `insert_after_line` or `insert_before_line` with `content`, or `delete_lines`."},
		{"read_file", "Read a file", "Reads a text file as it is in the user's editor, unsaved changes included, and shows its lines with their numbers."},
		{"write_file", "Write a file", "Makes a text file read as `content`, in the user's editor; makes the file and its folders if they are not there."},
	} {
		t, _, err := imitation(of.name, of.name, of.title, of.doc)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}
