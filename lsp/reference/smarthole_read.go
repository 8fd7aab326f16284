package reference

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/workspace"
)

// ReadFileArgs declares the arguments of SmartHole's read_file.
type ReadFileArgs struct {
	Path      string `json:"path" jsonschema:"the file to read"`
	StartLine *int   `json:"start_line,omitempty" jsonschema:"the first line, from 1; absent is the first"`
	EndLine   *int   `json:"end_line,omitempty" jsonschema:"the last line; absent is the last"`
}

// readFile is a call of read_file.
type readFile struct {
	file       string
	ranged     bool // some line was asked for
	start, end int
}

// ParseReadFile reads a call of read_file.
func ParseReadFile(arguments []json.RawMessage) (Call, error) {
	g, err := givenArguments[ReadFileArgs]("read_file", arguments)
	if err != nil {
		return nil, err
	}
	c := &readFile{start: 1, end: math.MaxInt, ranged: g.has("start_line") || g.has("end_line")}
	if c.file, err = vaultPath(g); err != nil {
		return nil, err
	}
	if err := g.into("start_line", &c.start); err != nil {
		return nil, err
	}
	return c, g.into("end_line", &c.end)
}

func (c *readFile) Read(s Session) (*Reading, error) {
	w := s.Workspace()
	place, err := vaultPlace(w, c.file, true)
	if err != nil {
		return nil, err
	}
	snap, err := s.Read(w, place)
	if err != nil {
		return nil, err
	}
	n := snap.Text.Lines()
	start, end := max(1, c.start), min(n, c.end)
	switch {
	case n == 0 && start == 1:
		return s.reading(snap, 1, 0, c.footer("", 1, 0, 0, 0)), nil
	case start > n:
		return nil, workspace.About(&edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf("start_line (%d) exceeds total lines (%d) in file.", start, n)}, snap)
	case end < start:
		return nil, workspace.About(&edits.Error{Kind: edits.InvalidRange, Message: fmt.Sprintf("end_line (%d) must be greater than or equal to start_line (%d).", end, start)}, snap)
	}
	rows, notes := viewRows(start, min(end, start+commands.MaxViewLines-1), commands.MaxViewCharacters+1, utf8.RuneCountInString, func(line int) string {
		l := snap.Text.Line(line - 1)
		return fmt.Sprintf("%d: %s", line, snap.Text.Slice(l.Start, l.End))
	})
	shown := start + len(rows) - 1
	r := s.reading(snap, start, shown, c.footer(strings.Join(rows, "\n"), start, shown, end, n))
	r.Notes = append(r.Notes, notes...)
	return r, nil
}

// footer returns the rows from start to shown, of which those to end were asked
// for, with what that tool says below them.
func (c *readFile) footer(rows string, start, shown, end, total int) string {
	switch {
	case shown < end:
		asked := ""
		if c.ranged {
			asked = fmt.Sprintf(" of requested range %d-%d", start, end)
		}
		return fmt.Sprintf("%s\n\n[... truncated, showing lines %d-%d%s, total lines in file: %d]", rows, start, shown, asked, total)
	case c.ranged:
		return fmt.Sprintf("%s\n\n[Showing lines %d-%d of %d total]", rows, start, end, total)
	}
	return rows
}

func (c *readFile) Refused(e *edits.Error) *edits.Error { return vaultError(e, c.file) }
