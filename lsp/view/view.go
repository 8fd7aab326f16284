package view

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// maxBytes is the maximum size of the text of one view. Agents show their models only a part of a larger answer, and
// choose the part themselves. Copilot CLI does so from 20,000 characters on, counting what precedes the text.
const maxBytes = 19 << 10

// Args are the arguments of the command view.
type Args struct {
	Path      string `json:"path" jsonschema:"the file or directory: relative to a workspace folder, absolute, or a URI"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"the first line, from 1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"the last line; -1 is the last one of the text"`
}

// SetDefaults sets the values of arguments that are not sent.
func (a *Args) SetDefaults() { a.StartLine, a.EndLine = 1, -1 }

// View is the answer to the command view (docs/contract.md).
type View struct {
	Path         string   `json:"path"`
	URI          string   `json:"uri"`
	Rev          string   `json:"rev"`
	Version      int32    `json:"version"`
	Open         bool     `json:"open"`
	Dirty        bool     `json:"dirty"`
	EOL          string   `json:"eol"`
	FinalNewline bool     `json:"final_newline"`
	TotalLines   int      `json:"total_lines"`
	StartLine    int      `json:"start_line"`
	EndLine      int      `json:"end_line"`
	NextLine     int      `json:"next_line,omitempty"` // the line to continue with, if the view was cut
	Text         string   `json:"text"`
	Notes        []string `json:"notes"`
}

// Show implements the command view.
func Show(_ context.Context, s *transaction.Session, args Args) (any, error) {
	w := s.Workspace()
	place, err := w.Resolve(args.Path)
	if err != nil {
		return nil, err
	}
	snap, err := s.Engine.Read(w, place)
	if edits.IsKind(err, paths.IsDirectory) {
		return directory(w, place)
	}
	if err != nil {
		return nil, err
	}
	t := snap.Text
	v := &View{
		Path: snap.Path, URI: snap.URI, Rev: t.Hash(), Open: snap.Doc != nil,
		EOL: t.LineEnds(), FinalNewline: t.Terminator() != "", TotalLines: t.Lines(), Notes: []string{},
	}
	if snap.Doc != nil {
		v.Version = snap.Doc.Version
		v.Dirty = paths.IsDirty(snap.Target, t)
	}
	if err := v.show(t, args); err != nil {
		return nil, workspace.About(err, snap)
	}
	s.Ledger.Showed(snap.Key, t, v.StartLine, v.EndLine)
	return v, nil
}

// show fills in the requested lines, up to maxBytes.
func (v *View) show(t text.Text, args Args) error {
	n := t.Lines()
	start, end := args.StartLine, args.EndLine
	if end == -1 {
		end = n
	}
	switch {
	case n == 0 && start <= 1:
		v.StartLine, v.EndLine = 1, 0
		return nil
	case start < 1:
		return schema.Invalid(`"start_line" must be 1 or more: lines are counted from 1`)
	case start > n:
		return edits.Errorf(edits.LineOutOfRange, "Line %d does not exist in file with %s: %s.", start, edits.Count(n, "line"), v.Path)
	case end < start:
		return edits.Errorf(edits.InvalidRange, "end_line must be >= start_line: %d is before %d.", end, start)
	case end > n:
		v.note("end_line %d is past the end; the text has %s.", end, edits.Count(n, "line"))
		end = n
	}
	var b strings.Builder
	line := start
	for ; line <= end; line++ {
		row := v.row(t, line)
		if b.Len()+1+len(row) > maxBytes {
			break
		}
		if line > start {
			b.WriteByte('\n')
		}
		b.WriteString(row)
	}
	v.StartLine, v.EndLine, v.Text = start, line-1, b.String()
	if v.EndLine < end {
		v.NextLine = line
	}
	return nil
}

// row returns a numbered line.
func (v *View) row(t text.Text, line int) string {
	l := t.Line(line - 1)
	if n := utf8.RuneCountInString(t.Slice(l.Start, l.End)); n > edits.MaxShownLine {
		v.note("Line %d has %d characters and is cropped at %d.", line, n, edits.MaxShownLine)
	}
	return edits.Numbered(t, line, line)
}

func (v *View) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

func directory(w *workspace.Workspace, place paths.Target) (any, error) {
	list, err := w.Policy.List(place)
	if err != nil {
		return nil, err
	}
	v := &View{
		Path: place.Path, URI: place.URI, EOL: "none", TotalLines: len(list.Entries),
		StartLine: 1, EndLine: len(list.Entries), Text: strings.Join(list.Entries, "\n"), Notes: []string{},
	}
	v.note("%s is a directory; these are its entries, two levels deep, hidden ones left out.", place.Path)
	if list.Truncated {
		v.note("There are more entries than the %d shown; view a directory below.", len(list.Entries))
	}
	return v, nil
}
