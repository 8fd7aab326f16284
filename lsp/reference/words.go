package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/workspace/paths"
)

// echoed is how many characters of an agent's own text a message repeats.
const echoed = 120

// echo returns s for a message. The tools repeat it whole, however long it is.
func echo(s string) string {
	n := utf8.RuneCountInString(s)
	if n <= echoed {
		return s
	}
	return fmt.Sprintf("%s… (%d characters more)", string([]rune(s)[:echoed]), n-echoed)
}

// further returns what was said, which has no full stop, and a sentence behind it if there is one.
func further(said, sentence string) string {
	if sentence == "" {
		return said
	}
	return said + "." + sentence
}

// viewRows returns the rows of lines, as many as have room, the first one in any case; and notes on
// those that are cropped, as each of them alone is more than an answer may have.
func viewRows(from, to, room int, size func(row string) int, row func(line int) string) (rows, notes []string) {
	for line := from; line <= to; line++ {
		shown, note := row(line), []string(nil)
		if n := utf8.RuneCountInString(shown); n > commands.MaxViewCharacters {
			shown = string([]rune(shown)[:commands.MaxViewCharacters]) + "…"
			note = []string{fmt.Sprintf("A line of %d characters is cropped at %d.", n, commands.MaxViewCharacters)}
		}
		if room -= size(shown) + 1; room < 0 && line > from {
			break
		}
		rows, notes = append(rows, shown), append(notes, note...)
	}
	return rows, notes
}

// nearest words the place that comes nearest to a text that was not found, as a
// further sentence, "" if there is none.
func nearest(e *edits.Error) string {
	if len(e.Candidates) == 0 {
		return ""
	}
	c := e.Candidates[0]
	return fmt.Sprintf(" The nearest text is at lines %d-%d and differs in %s:\n%s", c.StartLine, c.EndLine, c.Difference, c.Text)
}

// matchLines are the lines of the places of an ambiguous text, a line for each
// place, as the error lists them; they are cut at most.
func matchLines(e *edits.Error, most int) (lines []string, rest int) {
	for i, m := range e.Matches {
		if i == most {
			break
		}
		lines = append(lines, strconv.Itoa(m.Line))
	}
	return lines, occurrences(e) - len(lines)
}

// occurrences is how often an ambiguous text occurs; the error lists the first
// hundred and says the rest.
func occurrences(e *edits.Error) int {
	n := 0
	if _, err := fmt.Sscanf(e.Message, "Text occurs %d times", &n); err != nil {
		return len(e.Matches)
	}
	return n
}

// otherPaths returns what an error about a missing file says after "File not
// found: P", a sentence for the path that is there, "" if it says nothing.
func otherPaths(e *edits.Error) string {
	if e.Kind != paths.FileNotFound {
		return ""
	}
	_, tail, ok := strings.Cut(strings.TrimPrefix(e.Message, "File not found: "+e.Path), "; ")
	if !ok || tail == "" {
		return ""
	}
	return " " + strings.ToUpper(tail[:1]) + tail[1:]
}

// withoutPath returns a message about a line that does not exist without the
// path at its end, which the tools do not name there.
func withoutPath(e *edits.Error) string {
	if head, ok := strings.CutSuffix(e.Message, ": "+e.Path+"."); ok {
		return head + "."
	}
	return e.Message
}

// atLines words the lines of an ambiguous text: "lines 1, 4 and 9".
func atLines(e *edits.Error) string {
	const most = 10
	lines, rest := matchLines(e, most)
	lines = slices.Compact(lines)
	last := len(lines) - 1
	switch {
	case rest > 0:
		return fmt.Sprintf("lines %s and %d more", strings.Join(lines, ", "), rest)
	case last == 0:
		return "line " + lines[0]
	case last < 0:
		return "several lines"
	}
	return fmt.Sprintf("lines %s and %s", strings.Join(lines[:last], ", "), lines[last])
}
