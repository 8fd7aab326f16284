package reference

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

// StrReplaceEditorArgs declares the arguments of the str_replace_editor of
// sidecar and Anthropic.
type StrReplaceEditorArgs struct {
	Command    string  `json:"command" enum:"view,create,str_replace,insert,undo_edit" jsonschema:"what to do"`
	Path       string  `json:"path" jsonschema:"the file, or for view a directory"`
	ViewRange  []int   `json:"view_range,omitempty" jsonschema:"view: [first line, last line], from 1; -1 is the last line of the text"`
	FileText   *string `json:"file_text,omitempty" jsonschema:"create: the whole text"`
	OldStr     *string `json:"old_str,omitempty" jsonschema:"str_replace: the text to replace, which must be there once"`
	NewStr     *string `json:"new_str,omitempty" jsonschema:"str_replace: the text to put there, absent deletes; insert: the lines"`
	InsertLine *int    `json:"insert_line,omitempty" jsonschema:"insert: the line to insert after; 0 is the top"`
	InsertText *string `json:"insert_text,omitempty" jsonschema:"insert: as new_str"`
	commands.EditOptions
}

// strReplaceEditorTakes are the arguments of each command, besides those of all.
var strReplaceEditorTakes = map[string][]string{
	"view":        {"view_range"},
	"create":      {"file_text", "rev", "dry_run", "label"},
	"str_replace": {"old_str", "new_str", "rev", "dry_run", "label"},
	"insert":      {"insert_line", "insert_text", "new_str", "rev", "dry_run", "label"},
	"undo_edit":   {"dry_run", "label"},
}

// strReplaceEditorNeeds are those of them that must be sent; of new_str and insert_text one.
var strReplaceEditorNeeds = map[string][]string{
	"create":      {"file_text"},
	"str_replace": {"old_str"},
	"insert":      {"insert_line", "new_str"},
}

// ParseStrReplaceEditor reads a call of str_replace_editor.
func ParseStrReplaceEditor(arguments []json.RawMessage) (Call, error) {
	g, err := givenArguments[StrReplaceEditorArgs]("str_replace_editor", arguments)
	if err != nil {
		return nil, err
	}
	if raw, ok := g.values["view_range"]; ok {
		var pair []int
		if json.Unmarshal(raw, &pair) != nil || len(pair) != 2 {
			return nil, schema.Invalid("View command error `view_range` should be a list of two integers")
		}
	}
	c := strReplaceEditor{}
	if err := schema.Decode("str_replace_editor", arguments, &c.StrReplaceEditorArgs); err != nil {
		return nil, err
	}
	if err := g.only("command", c.Command, strReplaceEditorTakes[c.Command], "command", "path"); err != nil {
		return nil, err
	}
	if c.InsertText != nil && c.NewStr != nil {
		return nil, schema.Invalid("insert takes new_str or insert_text, which mean the same, not both")
	}
	for _, name := range strReplaceEditorNeeds[c.Command] {
		if !g.has(name) && !(name == "new_str" && g.has("insert_text")) {
			return nil, &edits.Error{Kind: edits.InvalidParams, Message: fmt.Sprintf("Missing input parameters Parameter `%s` required for `%s`", name, c.Command)}
		}
	}
	switch c.Command {
	case "view":
		return &strReplaceEditorView{c}, nil
	case "undo_edit":
		return &strReplaceEditorUndo{c}, nil
	case "create":
		return &strReplaceEditorEdit{c, commands.Create{Content: *c.FileText}}, nil
	case "insert":
		return &strReplaceEditorEdit{c, commands.Insert{AfterLine: c.InsertLine, Content: *cmp.Or(c.InsertText, c.NewStr)}}, nil
	}
	r := commands.StrReplace{OldStr: *c.OldStr}
	if c.NewStr != nil {
		r.NewStr = *c.NewStr
	}
	return &strReplaceEditorEdit{c, r}, nil
}

// strReplaceEditor is what the calls of str_replace_editor have in common.
type strReplaceEditor struct{ StrReplaceEditorArgs }

func (c strReplaceEditor) Refused(e *edits.Error) *edits.Error {
	switch e.Kind {
	case paths.FileNotFound:
		e.Message = fmt.Sprintf(`The path "%s" does not exist.`, c.Path) + otherPaths(e)
	case paths.IsDirectory:
		e.Message = fmt.Sprintf("The path \"%s\" is a directory and only `view` can be used on directories.", c.Path)
	case paths.AlreadyExists:
		e.Message = fmt.Sprintf("File already exists at: \"%s\". Cannot overwrite files using command `create`; use str_replace or insert to change it.", c.Path)
	case paths.BinaryFile, paths.NotUTF8, paths.TooLarge:
		e.Message = "Error reading file " + e.Message
	case commands.NothingToUndo:
		e.Message = fmt.Sprintf("No edit history found for %s. %s", c.Path, e.Message)
	case edits.NoMatch:
		e.Message = fmt.Sprintf("No occurrence of `%s` found in \"%s\".", echo(*c.OldStr), c.Path) + nearest(e)
	case edits.MultipleMatches:
		lines, rest := matchLines(e, 100)
		if rest > 0 {
			lines = append(lines, fmt.Sprintf("and %d more", rest))
		}
		e.Message = fmt.Sprintf("Multiple occurrences of `%s` found in lines [%s]. Please ensure uniqueness.", echo(*c.OldStr), strings.Join(lines, ", "))
	}
	return e
}
