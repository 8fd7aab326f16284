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
	lines, context, replace := g.has("edits"), g.has("patch_text"), g.has("old_text") || g.has("new_text")
	switch {
	case !lines && !context && !replace:
		return nil, t.invalid("edits, patch_text, or old_text/new_text is required for patch")
	case lines && context || lines && replace || context && replace:
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
		return c.worded(e, further("old_text not found", nearest(e)))
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
	c := &textEditorLines{textEditor: t}
	for i, entry := range list {
		e, err := t.parseEdit(i, entry)
		if err != nil {
			return nil, err
		}
		c.lines.Edits = append(c.lines.Edits, e)
	}
	err := c.sort()
	return c, err
}

func (t textEditor) parseEdit(i int, entry json.RawMessage) (e commands.LineEdit, err error) {
	shown := echo(string(entry))
	g := given{command: "text_editor"}
	if json.Unmarshal(entry, &g.values) != nil || g.values == nil {
		return e, t.invalid("invalid edit entry: %s", shown)
	}
	if g, err = g.checked(fmt.Sprintf("edits[%d].", i), textEditorEdits); err != nil {
		return e, err
	}
	from, ok := schema.WholeNumber(softNumber(g.values["from"]))
	if !ok || from < 1 {
		return e, t.invalid("edit missing or invalid from (must be >= 1): %s", shown)
	}
	e.From = int(from)
	if g.has("to") {
		to, ok := schema.WholeNumber(softNumber(g.values["to"]))
		if !ok {
			return e, t.invalid("edit with invalid to (must be a line number): %s", shown)
		}
		if last := int(to); last >= e.From {
			e.To = &last
		}
	}
	if g.has("content") {
		content, ok := g.isString("content")
		if !ok {
			return e, t.invalid("edit with invalid content (must be a string): %s", shown)
		}
		e.Content = &content
	}
	if e.To == nil && e.Content == nil {
		return e, t.invalid("edit has neither a line to replace (to) nor content: %s", shown)
	}
	return e, nil
}
