package reference

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace"
)

// StrReplaceEditorArgs declares the arguments of the str_replace_editor of sidecar and Anthropic.
type StrReplaceEditorArgs struct {
	Command    string `json:"command" enum:"view,create,str_replace,insert,undo_edit" jsonschema:"what to do"`
	Path       string `json:"path" jsonschema:"the file, or for view a directory"`
	ViewRange  []int  `json:"view_range,omitempty" jsonschema:"view: [first line, last line], from 1; -1 is the last line of the text"`
	FileText   string `json:"file_text,omitempty" jsonschema:"create: the whole text"`
	OldStr     string `json:"old_str,omitempty" jsonschema:"str_replace: the text to replace, which must occur once"`
	NewStr     string `json:"new_str,omitempty" jsonschema:"str_replace: the text to put there, absent deletes; insert: the lines"`
	InsertLine int    `json:"insert_line,omitempty" jsonschema:"insert: the line to insert after; 0 is the top"`
	InsertText string `json:"insert_text,omitempty" jsonschema:"insert: as new_str"`
	commands.Based
	commands.EditOptions
}

// strReplaceEditorTakes lists the arguments of each command, besides those of every command and every edit.
var strReplaceEditorTakes = map[string][]string{
	"view":        {"view_range"},
	"create":      {"file_text"},
	"str_replace": {"old_str", "new_str"},
	"insert":      {"insert_line", "insert_text", "new_str", "rev"},
}

// strReplaceEditorNeeds lists the required arguments of each command; insert_text may stand in for new_str.
var strReplaceEditorNeeds = map[string][]string{
	"create":      {"file_text"},
	"str_replace": {"old_str"},
	"insert":      {"insert_line", "new_str"},
}

// ParseStrReplaceEditor reads a call of str_replace_editor.
func ParseStrReplaceEditor(arguments []jsontext.Value) (*Call, error) {
	var a StrReplaceEditorArgs
	g, err := schema.Decode(arguments, &a)
	if err != nil {
		return nil, err
	}
	if err := only(g, "command", a.Command, strReplaceEditorTakes[a.Command], a.Command != "view"); err != nil {
		return nil, err
	}
	if a.InsertText != "" && a.NewStr != "" {
		return nil, schema.Invalid("insert takes new_str or insert_text, which mean the same, not both")
	}
	for _, name := range strReplaceEditorNeeds[a.Command] {
		if g[name] == nil && !(name == "new_str" && g["insert_text"] != nil) {
			return nil, edits.Errorf(edits.InvalidParams, "Missing input parameters Parameter `%s` required for `%s`", name, a.Command)
		}
	}
	var native commands.Edit
	switch a.Command {
	case "view":
		if cmp.Or(a.ViewRange...) == 0 {
			a.ViewRange = nil // some clients send every argument, and 0 for those that are not set
		}
		if n := len(a.ViewRange); n != 0 && n != 2 {
			return nil, schema.Invalid("View command error `view_range` should be a list of two integers")
		}
		return a.viewing(), nil
	case "undo_edit":
		return &Call{run: a.undo, refused: a.refused}, nil
	case "create":
		native = commands.Create{Path: a.Path, Write: command.Write{Content: a.FileText}, EditOptions: a.EditOptions}
	case "insert":
		if a.InsertLine < 0 {
			return nil, edits.Errorf(edits.LineOutOfRange, "`insert_line` %d out of range: 0 is the top.", a.InsertLine)
		}
		native = commands.Insert{Path: a.Path, Insert: command.Insert{AfterLine: &a.InsertLine, Content: cmp.Or(a.InsertText, a.NewStr)}, Based: a.Based, EditOptions: a.EditOptions}
	case "str_replace":
		native = commands.StrReplace{Path: a.Path, OldStr: a.OldStr, NewStr: a.NewStr, EditOptions: a.EditOptions}
	}
	return editing(native, a.report, a.refused), nil
}

func (a StrReplaceEditorArgs) report(_ string, plan edits.Plan, now text.Text, room int) (string, lines.Spans) {
	rows, first, last := page.Snippet(now, plan.Hunks)
	shown := lines.Spans{{From: first, To: last}}
	if _, left := page.Fit(rows, room); left < 0 {
		shown = nil // the end of the answer is cut off
	}
	switch a.Command {
	case "create":
		return fmt.Sprintf(`File created successfully at: "%s"`, edits.Printable(a.Path)), nil
	case "insert":
		return fmt.Sprintf("The file \"%s\" has been edited. Here's the result of `cat -n` on a snippet of the edited file:\n%s\n"+
			"Review the changes and make sure they are correct (indentation, no duplicates, etc).", edits.Printable(a.Path), rows), shown
	}
	return fmt.Sprintf("The file \"%s\" has been edited. Here's the result of `cat -n` on a snippet of \"%s\":\n%s\nReview the changes if necessary.", edits.Printable(a.Path), edits.Printable(a.Path), rows), shown
}

// undo takes back the newest edit of the text.
func (a StrReplaceEditorArgs) undo(ctx context.Context, s *transaction.Session, turn *workspace.Turn, name string) (any, error) {
	return s.UndoAs(ctx, turn, name, transaction.UndoArgs{Path: a.Path, EditOptions: a.EditOptions}, func(r *transaction.Result, _ []review.Part) string {
		said := fmt.Sprintf("Last edit to %s undone successfully.", edits.Printable(a.Path))
		if rows := r.Files[0].Snippet; rows != "" { // the file exists
			said += " Here's the result of `cat -n` on a snippet of the file:\n" + rows
		}
		return said
	})
}

// strReplaceEditorWords are what the tool says of errors.
var strReplaceEditorWords = words{
	edits.FileNotFound:    `The path "{path}" does not exist.{more}`,
	edits.IsDirectory:     "The path \"{path}\" is a directory and only `view` can be used on directories.",
	edits.AlreadyExists:   "File already exists at: \"{path}\". Cannot overwrite files using command `create`; use str_replace or insert to change it.",
	edits.BinaryFile:      "Error reading file {message}",
	edits.NotUTF8:         "Error reading file {message}",
	edits.TooLarge:        "Error reading file {message}",
	edits.LineOutOfRange:  "{short}",
	edits.NothingToUndo:   "No edit history found for {path}. {message}",
	edits.NoMatch:         "No occurrence of `{old}` found in \"{path}\".{more}",
	edits.MultipleMatches: "Multiple occurrences of `{old}` found in lines [{numbers}]. Please ensure uniqueness.",
}

func (a StrReplaceEditorArgs) refused(e *edits.Error) {
	e.Message = strReplaceEditorWords.of(e, a.Path, echo(a.OldStr))
	if e.Kind == edits.LineOutOfRange && a.Command == "insert" {
		e.Message = fmt.Sprintf("`insert_line` %d out of range: %s", a.InsertLine, e.Message)
	}
}

// strReplaceEditorLines is the maximum number of lines that view shows at a time.
const strReplaceEditorLines = 200

// viewing returns the call that shows a text or a directory.
func (a StrReplaceEditorArgs) viewing() *Call {
	c := reading(a.Path, a.view, a.refused)
	read := c.run
	c.run = func(ctx context.Context, s *transaction.Session, turn *workspace.Turn, name string) (any, error) {
		r, err := read(ctx, s, turn, name)
		if !edits.IsKind(err, edits.IsDirectory) {
			return r, err
		}
		if len(a.ViewRange) > 0 {
			return nil, schema.Invalid("View command error The `view_range` is not allowed for directories")
		}
		v, err := view.Show(ctx, s, view.Args{Path: a.Path})
		if err != nil {
			return nil, err
		}
		if v.EndLine < v.TotalLines {
			v.Notes = append(v.Notes, fmt.Sprintf("There are more entries than the %d shown; view a directory below.", v.EndLine))
		}
		return &Reading{Message: v.Text, Shown: v.Shown}, nil
	}
	return c
}

func (a StrReplaceEditorArgs) view(r *Reading, t text.Text, room int) error {
	n := t.Lines()
	from, to := 1, n
	if len(a.ViewRange) > 0 {
		if from, to = a.ViewRange[0], a.ViewRange[1]; to == -1 {
			to = n
		}
		switch {
		case from < 1 || from > n:
			return edits.Errorf(edits.LineOutOfRange, "View command error Invalid start line %d for range. Should be between 1 and %d.", from, n)
		case to < from:
			return edits.Errorf(edits.InvalidRange, "View command error Invalid end line %d for range. Should be >= %d and <= %d or -1.", to, from, n)
		case to > n:
			return edits.Errorf(edits.LineOutOfRange, "View command error Invalid end line %d for range. Should be >= %d and <= %d or -1.", to, from, n)
		}
	}
	rows := r.rows(from, min(to, from+strReplaceEditorLines-1), to, room, page.Numbered(t))
	if r.EndLine < to {
		rows = append(rows, "... <response clipped><NOTE>To save on context only part of this file has been shown to you. You should retry this tool with line numbers of what you are looking for.</NOTE>")
	}
	r.Message = fmt.Sprintf("Here's the result of `cat -n` on \"%s\":\n%s", edits.Printable(a.Path), strings.Join(append(rows, ""), "\n"))
	return nil
}
