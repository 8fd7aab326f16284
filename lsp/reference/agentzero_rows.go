package reference

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/lines"
)

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
	from    int // the first line that is shown, 0 if none
	to      int // the last one
	cropped []string
	trimmed int // the first line for which nothing was left, 0 if there was enough
}

// add shows the lines [from,to] of t, numbers in width columns.
func (r *tokenRows) add(t text.Text, from, to, width int) {
	for i := from; i <= to && r.trimmed == 0; i++ {
		l := t.Line(i - 1)
		line := t.Slice(l.Start, l.End)
		n := tokens(line)
		crop := n > textEditorLineTokens
		if crop {
			line = crop80(line, n)
			n = textEditorLineTokens
		}
		if n > r.left {
			r.trimmed = i
			return
		}
		r.left -= n
		if crop {
			r.cropped = append(r.cropped, fmt.Sprint(i))
		}
		r.rows = append(r.rows, fmt.Sprintf("%*d %s", width, i, line))
		if r.from == 0 {
			r.from = i
		}
		r.to = i
	}
}

// crop80 returns the beginning of a line of n tokens, four fifths of what it may
// have.
func crop80(line string, n int) string {
	runes := []rune(line)
	perToken := max(float64(len(runes))/float64(n), 1)
	keep := min(len(runes), int(textEditorLineTokens*perToken*0.8))
	return string(runes[:keep]) + "..."
}

// warnings words what is not shown.
func (r *tokenRows) warnings() string {
	var said []string
	if len(r.cropped) > 0 {
		said = append(said, fmt.Sprintf("long lines %s cropped - use terminal for precise manipulation", strings.Join(r.cropped, " ")))
	}
	if r.trimmed > 0 {
		said = append(said, fmt.Sprintf("output trimmed at line %d due to token limit - use line_from/line_to for remaining", r.trimmed))
	}
	if len(said) == 0 {
		return ""
	}
	return "\nwarning: " + strings.Join(said, "; ")
}

// fenced returns head, the warnings, and the rows as that tool sets them.
func (r *tokenRows) fenced(head string) string {
	return fmt.Sprintf("%s%s\n>>>\n%s\n<<<", head, r.warnings(), strings.Join(r.rows, "\n"))
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
