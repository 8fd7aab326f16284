package reference

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

// TextEditorArgs declares the arguments of Agent Zero's text_editor.
type TextEditorArgs struct {
	Action       string           `json:"action" enum:"read,write,patch" jsonschema:"what to do"`
	Path         string           `json:"path" jsonschema:"the file; ~ is the home folder"`
	LineFrom     int              `json:"line_from,omitempty" jsonschema:"read: the first line, from 1"`
	LineTo       *int             `json:"line_to,omitempty" jsonschema:"read: the last line; absent is line_from + 199"`
	Content      string           `json:"content,omitempty" jsonschema:"write: the whole text"`
	Edits        []textEditorEdit `json:"edits,omitempty" jsonschema:"patch: the edits; all numbers are those of the text as this agent last saw it"`
	PatchText    *string          `json:"patch_text,omitempty" jsonschema:"patch: a context patch of this file, in any dialect of apply_patch; hunks may stand without an envelope"`
	OldText      *string          `json:"old_text,omitempty" jsonschema:"patch: the text to replace, which must be there once"`
	NewText      *string          `json:"new_text,omitempty" jsonschema:"patch: the text to put there; absent deletes"`
	OpenInCanvas bool             `json:"open_in_canvas,omitempty" jsonschema:"taken and not used: the editor shows its texts itself"`
	OpenCanvas   bool             `json:"open_canvas,omitempty" jsonschema:"as open_in_canvas"`
	OpenDocument bool             `json:"open_document,omitempty" jsonschema:"as open_in_canvas"`
	commands.EditOptions
}

type textEditorEdit struct {
	From    int     `json:"from" jsonschema:"the first line, from 1; without to, the line to insert before"`
	To      *int    `json:"to,omitempty" jsonschema:"the last line to replace or delete; absent, negative or below from inserts"`
	Content *string `json:"content,omitempty" jsonschema:"the new lines; absent deletes"`
}

// SetDefaults sets what the arguments are where they are not sent.
func (a *TextEditorArgs) SetDefaults() { a.LineFrom = 1 }

// textEditor is what the calls of text_editor have in common.
type textEditor struct {
	doing string // "reading"
	file  string
	commands.EditOptions
}

// textEditorTakes are the arguments of each action, besides those of all.
var textEditorTakes = map[string][]string{
	"read":  {"line_from", "line_to"},
	"write": {"content", "rev", "dry_run", "label"},
	"patch": {"edits", "patch_text", "old_text", "new_text", "rev", "dry_run", "label"},
}

// ParseTextEditor reads a call of text_editor.
func ParseTextEditor(arguments []json.RawMessage) (Call, error) {
	g, err := givenArguments[TextEditorArgs]("text_editor", arguments)
	if err != nil {
		return nil, err
	}
	said, ok := g.isString("action")
	action := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(said)), "-", "_")
	takes := textEditorTakes[action]
	switch {
	case !ok || action == "":
		return nil, schema.Invalid("action is required (read, write, or patch)")
	case takes == nil:
		return nil, schema.Invalid("unknown action '%s'. Supported actions: read, write, patch", echo(said))
	}
	if err := g.only("action", action, takes, "action", "path", "open_in_canvas", "open_canvas", "open_document"); err != nil {
		return nil, err
	}
	t := textEditor{doing: map[string]string{"read": "reading", "write": "writing", "patch": "patching"}[action]}
	if err := g.into("path", &t.file); err != nil {
		return nil, err
	}
	if strings.TrimSpace(t.file) == "" {
		return nil, t.invalid("path is required")
	}
	if t.EditOptions, err = g.options(); err != nil {
		return nil, err
	}
	switch action {
	case "read":
		return t.parseRead(g)
	case "write":
		c := &textEditorWrite{textEditor: t}
		return c, g.into("content", &c.content)
	}
	return t.parsePatch(g)
}

// invalid is an error of the call itself.
func (t textEditor) invalid(format string, args ...any) *edits.Error {
	return t.worded(&edits.Error{Kind: edits.InvalidParams}, fmt.Sprintf(format, args...))
}

// worded returns e with what that tool would say.
func (t textEditor) worded(e *edits.Error, why string) *edits.Error {
	e.Message = fmt.Sprintf("error %s %s: %s", t.doing, t.file, why)
	return e
}

func (t textEditor) Refused(e *edits.Error) *edits.Error {
	why := e.Message
	switch e.Kind {
	case paths.FileNotFound:
		why = further("file not found", otherPaths(e))
	case paths.BinaryFile:
		why = "file appears binary, use terminal instead"
	case edits.LineOutOfRange:
		why = withoutPath(e)
	}
	return t.worded(e, why)
}

// Path returns the path of the call, with ~ for the home folder as that tool
// has it.
func (t textEditor) path() string {
	rest, ok := strings.CutPrefix(t.file, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return t.file
	}
	return filepath.Join(home, rest)
}
