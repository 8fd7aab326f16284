package reference

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// strReplaceEditorLines is how many lines view shows at a time.
const strReplaceEditorLines = 200

// clipped is what that tool says after the last line that it shows.
const clipped = "... <response clipped><NOTE>To save on context only part of this file has been shown to you. You should retry this tool with line numbers of what you are looking for.</NOTE>"

// strReplaceEditorView is a call with the command view.
type strReplaceEditorView struct{ strReplaceEditor }

func (c *strReplaceEditorView) Read(s Session) (*Reading, error) {
	w := s.Workspace()
	place, err := w.Resolve(c.Path)
	if err != nil {
		return nil, err
	}
	snap, err := s.Read(w, place)
	if edits.IsKind(err, paths.IsDirectory) {
		return c.readDirectory(w, place)
	}
	if err != nil {
		return nil, err
	}
	from, to, err := c.lines(snap.Text.Lines())
	if err != nil {
		return nil, workspace.About(err, snap)
	}
	rows, notes := viewRows(from, min(to, from+strReplaceEditorLines-1), commands.MaxViewCharacters,
		func(row string) int { return len(row) }, func(line int) string { return edits.Numbered(snap.Text, line, line) })
	last := from + len(rows) - 1
	if last < to {
		rows = append(rows, clipped)
	}
	rows = append(rows, "")
	r := s.reading(snap, from, last, fmt.Sprintf("Here's the result of `cat -n` on \"%s\":\n%s", c.Path, strings.Join(rows, "\n")))
	r.Notes = append(r.Notes, notes...)
	return r, nil
}

// lines returns the lines that are asked for, of a text that has n.
func (c *strReplaceEditorView) lines(n int) (from, to int, err error) {
	if len(c.ViewRange) == 0 {
		return 1, n, nil
	}
	from, to = c.ViewRange[0], c.ViewRange[1]
	if from < 1 || from > n {
		return 0, 0, &edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf(
			"View command error Invalid start line %d for range. Should be between 1 and %d.", from, n)}
	}
	if to == -1 {
		return from, n, nil
	}
	if to < from || to > n {
		kind := edits.LineOutOfRange
		if to < from {
			kind = edits.InvalidRange
		}
		return 0, 0, &edits.Error{Kind: kind, Message: fmt.Sprintf(
			"View command error Invalid end line %d for range. Should be >= %d and <= %d or -1.", to, from, n)}
	}
	return from, to, nil
}

// readDirectory lists a directory, as view does.
func (c *strReplaceEditorView) readDirectory(w *workspace.Workspace, place paths.Target) (*Reading, error) {
	if len(c.ViewRange) > 0 {
		return nil, schema.Invalid("View command error The `view_range` is not allowed for directories")
	}
	list, err := w.Policy.List(place)
	if err != nil {
		return nil, err
	}
	n := len(list.Entries)
	r := &Reading{
		Message: strings.Join(list.Entries, "\n"), Path: place.Path, URI: place.URI,
		TotalLines: n, StartLine: 1, EndLine: n, Notes: []string{},
	}
	if list.Cut {
		r.Notes = append(r.Notes, fmt.Sprintf("There are more entries than the %d shown; view a directory below.", n))
	}
	return r, nil
}
