package reference

import (
	"encoding/json"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
)

// parsePatch finds out which form a patch has.
func (t textEditor) parsePatch(g given) (Call, error) {
	lines, context := g.has("edits"), g.has("patch_text")
	replace := g.has("old_text") || g.has("new_text")
	forms := 0
	for _, form := range []bool{lines, context, replace} {
		if form {
			forms++
		}
	}
	switch {
	case forms == 0:
		return nil, t.invalid("edits, patch_text, or old_text/new_text is required for patch")
	case forms > 1:
		return nil, t.invalid("provide exactly one patch form: edits, patch_text, or old_text/new_text")
	case context:
		var patch string
		if err := g.into("patch_text", &patch); err != nil {
			return nil, err
		}
		return t.parseContext(patch)
	case replace:
		return t.parseReplace(g)
	}
	return t.parseEdits(g.values["edits"])
}

// textEditorReplace is a patch by old_text and new_text.
type textEditorReplace struct {
	textEditor
	command.Replace
}

func (t textEditor) parseReplace(g given) (Call, error) {
	c := &textEditorReplace{textEditor: t}
	if err := g.into("old_text", &c.Old); err != nil {
		return nil, err
	}
	if c.Old == "" {
		return nil, t.invalid("old_text is required for exact replace")
	}
	return c, g.into("new_text", &c.New)
}

func (c *textEditorReplace) Target() commands.Target { return commands.Target{Path: c.path()} }

func (c *textEditorReplace) Said(_ string, plan edits.Plan, now text.Text) string {
	return c.patched(plan, now, 1)
}

func (c *textEditorReplace) Refused(e *edits.Error) *edits.Error {
	switch e.Kind {
	case edits.NoMatch:
		why := "old_text not found"
		if near := nearest(e); near != "" {
			why += "." + near
		}
		return c.worded(e, why)
	case edits.MultipleMatches:
		return c.worded(e, fmt.Sprintf("old_text matched %d times; provide a longer exact span (it is at %s)", occurrences(e), atLines(e)))
	case edits.NoChange:
		return c.worded(e, "old_text and new_text are identical")
	}
	e.Message = textNames.Replace(e.Message)
	return c.textEditor.Refused(e)
}

// patched says what a patch of n edits came to.
func (t textEditor) patched(plan edits.Plan, now text.Text, n int) string {
	head := fmt.Sprintf("%s patched %d edits applied %d lines now", t.file, n, now.Lines())
	return changedRows(now, plan.Hunks, textEditorTokens).fenced(head)
}

// parseEdits reads the list of line edits.
func (t textEditor) parseEdits(raw json.RawMessage) (Call, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return nil, t.invalid("edits array is required")
	}
	c := &textEditorLines{textEditor: t, edits: make([]numberedEdit, len(list))}
	for i, entry := range list {
		var err error
		if c.edits[i], err = t.parseEdit(i, entry); err != nil {
			return nil, err
		}
	}
	err := c.sort()
	return c, err
}

func (t textEditor) parseEdit(i int, entry json.RawMessage) (numberedEdit, error) {
	shown := echo(string(entry))
	g := given{command: "text_editor"}
	if json.Unmarshal(entry, &g.values) != nil || g.values == nil {
		return numberedEdit{}, t.invalid("invalid edit entry: %s", shown)
	}
	g, err := g.checked(fmt.Sprintf("edits[%d].", i), textEditorEdits)
	if err != nil {
		return numberedEdit{}, err
	}
	from, ok := schema.WholeNumber(softNumber(g.values["from"]))
	if !ok || from < 1 {
		return numberedEdit{}, t.invalid("edit missing or invalid from (must be >= 1): %s", shown)
	}
	e := numberedEdit{from: int(from), to: int(from) - 1}
	if g.has("to") {
		to, ok := schema.WholeNumber(softNumber(g.values["to"]))
		if !ok {
			return e, t.invalid("edit with invalid to (must be a line number): %s", shown)
		}
		e.to = max(int(to), e.to)
	}
	if g.has("content") {
		content, ok := g.isString("content")
		if !ok {
			return e, t.invalid("edit with invalid content (must be a string): %s", shown)
		}
		e.content = &content
	}
	if e.inserts() && e.content == nil {
		return e, t.invalid("edit has neither a line to replace (to) nor content: %s", shown)
	}
	return e, nil
}
