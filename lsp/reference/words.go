package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
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

// advice returns the advice of an error as a further sentence, "" if there is none.
func advice(e *edits.Error) string {
	if e.Advice == "" {
		return ""
	}
	return " " + strings.ToUpper(e.Advice[:1]) + e.Advice[1:] + "."
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
func matchLines(e *edits.Error, most int) (numbers []string, rest int) {
	for _, m := range e.Matches[:min(most, len(e.Matches))] {
		numbers = append(numbers, strconv.Itoa(m.Line))
	}
	return numbers, e.Count - len(numbers)
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
	numbers, rest := matchLines(e, most)
	numbers = slices.Compact(numbers)
	last := len(numbers) - 1
	switch {
	case rest > 0:
		return fmt.Sprintf("lines %s and %d more", strings.Join(numbers, ", "), rest)
	case last == 0:
		return "line " + numbers[0]
	case last < 0:
		return "several lines"
	}
	return fmt.Sprintf("lines %s and %s", strings.Join(numbers[:last], ", "), numbers[last])
}

// The limits of text_editor, as Agent Zero has them by default.
const (
	textEditorCount      = 200  // lines of a read without line_to
	textEditorLineTokens = 500  // a longer line is cropped
	textEditorTokens     = 6000 // of an answer
	textEditorEcho       = 600  // of the answer to write, whose text the agent has just sent
)

// tokens is about how many tokens a model makes of s. Agent Zero counts with
// the tables of cl100k_base; here four ASCII characters count as one token, and
// so does each other character. For English and code that is near enough to
// bound an answer, for other scripts it is on the safe side.
func tokens(s string) int {
	all := utf8.RuneCountInString(s)
	ascii := 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		}
	}
	return (ascii+3)/4 + all - ascii
}

// tokenRows are numbered lines within a budget of tokens.
type tokenRows struct {
	left    int // tokens
	rows    []string
	to      int // the last line that is shown, 0 if none
	cropped []string
	trimmed int // the first line for which nothing was left, 0 if there was enough
}

// add shows the lines [from,to] of t, numbers in width columns. Of a line that is too long it
// shows four fifths of what one may have.
func (r *tokenRows) add(t text.Text, from, to, width int) {
	for i := from; i <= to && r.trimmed == 0; i++ {
		l := t.Line(i - 1)
		line := t.Slice(l.Start, l.End)
		all := tokens(line)
		n := min(all, textEditorLineTokens)
		if n > r.left {
			r.trimmed = i
			return
		}
		r.left -= n
		if all > n {
			runes := []rune(line)
			perToken := max(float64(len(runes))/float64(all), 1)
			line = string(runes[:min(len(runes), int(textEditorLineTokens*perToken*0.8))]) + "..."
			r.cropped = append(r.cropped, fmt.Sprint(i))
		}
		r.rows = append(r.rows, fmt.Sprintf("%*d %s", width, i, line))
		r.to = i
	}
}

// fenced returns head, a warning of what is not shown, and the rows as that tool sets them.
func (r *tokenRows) fenced(head string) string {
	var warnings []string
	if len(r.cropped) > 0 {
		warnings = append(warnings, fmt.Sprintf("long lines %s cropped - use terminal for precise manipulation", strings.Join(r.cropped, " ")))
	}
	if r.trimmed > 0 {
		warnings = append(warnings, fmt.Sprintf("output trimmed at line %d due to token limit - use line_from/line_to for remaining", r.trimmed))
	}
	if len(warnings) > 0 {
		head += "\nwarning: " + strings.Join(warnings, "; ")
	}
	return fmt.Sprintf("%s\n>>>\n%s\n<<<", head, strings.Join(r.rows, "\n"))
}

// changedRows shows what hunks have become in now: each with a line above and
// three below, and "..." for lines between two that are further apart.
func changedRows(now text.Text, hunks []edits.Hunk, budget int) *tokenRows {
	r := &tokenRows{left: budget}
	var around lines.Spans
	for _, h := range hunks {
		around = append(around, lines.Span{From: max(1, h.StartLine-1), To: min(now.Lines(), h.EndLine+3)})
	}
	around = around.Joined()
	for i, s := range around {
		if i > 0 && r.trimmed == 0 {
			r.rows = append(r.rows, "...")
		}
		r.add(now, s.From, s.To, len(fmt.Sprint(around[len(around)-1].To)))
	}
	return r
}
