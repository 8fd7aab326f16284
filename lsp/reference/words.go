package reference

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/page"
)

// echoed is the maximum number of characters of an agent's own text that a message repeats.
const echoed = 120

// echo returns s shortened for a message. The original tools repeat all of it, however long.
func echo(s string) string {
	n := utf8.RuneCountInString(s)
	if n <= echoed {
		return s
	}
	return fmt.Sprintf("%s… (%d characters more)", string([]rune(s)[:echoed]), n-echoed)
}

// words are what a tool says of errors, by their kinds, as the original does. In them stand
//
//	{path}, {name}        the path that was sent, and its last name
//	{old}                 the text or the anchor that was looked for
//	{count}, {at}         how often it occurs, and where: "lines 1 and 4"
//	{numbers}             the numbers of these lines, each as often as the text is in it
//	{message}, {short}    the message of the native command, and the same without the path at its end
//	{more}, {.more}       what helps to correct the call, as further sentences, or nothing; {.more} first ends the sentence before
type words map[edits.Kind]string

// of returns the message of e.
func (w words) of(e *edits.Error, file, old string) string {
	said, ok := w[e.Kind]
	if !ok {
		return e.Message
	}
	more, stop := further(e), ""
	if more != "" {
		stop = "."
	}
	return strings.NewReplacer(
		"{path}", edits.Printable(file), "{name}", edits.Printable(path.Base(file)), "{old}", old,
		"{count}", strconv.Itoa(e.Count), "{at}", cmp.Or(e.At, "several lines"), "{numbers}", lineNumbers(e),
		"{message}", e.Message, "{short}", strings.Replace(e.Message, ": "+e.Path+".", ".", 1), "{more}", more, "{.more}", stop+more,
	).Replace(said)
}

// further returns the nearest path of an error, or the place that is most similar to a text that was not found, as further sentences.
func further(e *edits.Error) string {
	switch {
	case e.Advice != "":
		return " " + strings.ToUpper(e.Advice[:1]) + e.Advice[1:] + "."
	case len(e.Candidates) > 0:
		c := e.Candidates[0]
		return fmt.Sprintf(" The nearest text is at lines %d-%d and differs in %s:\n%s", c.StartLine, c.EndLine, c.Difference, c.Text)
	}
	return ""
}

// lineNumbers lists the lines of up to 100 places where an ambiguous text occurs.
func lineNumbers(e *edits.Error) string {
	var numbers []string
	for _, m := range e.Matches[:min(100, len(e.Matches))] {
		numbers = append(numbers, strconv.Itoa(m.Line))
	}
	if rest := e.Count - len(numbers); rest > 0 {
		numbers = append(numbers, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(numbers, ", ")
}

// rows returns the rows of the lines from the first to the last, as many as have room. If they are fewer than those up to
// the line asked, a note says so: it comes first, and the original tools say it at the end, which is cut off.
func (r *Reading) rows(first, last, asked, room int, row func(line int) (row, note string)) []string {
	rows, notes := page.Rows(first, last, room, row)
	r.StartLine, r.EndLine, r.Notes = first, first+len(rows)-1, append(r.Notes, notes...)
	if r.EndLine < asked {
		r.Notes = append(r.Notes, fmt.Sprintf("Only the lines %d-%d of %d are shown.", first, r.EndLine, r.TotalLines))
	}
	return rows
}

// The limits of text_editor, which are the defaults of Agent Zero.
const (
	textEditorCount      = 200  // lines of a read without line_to
	textEditorLineTokens = 500  // tokens of a line; a longer one is cropped
	textEditorTokens     = 6000 // tokens of an answer
	textEditorEcho       = 600  // tokens of the answer to write, whose text the agent has just sent
)

// tokens estimates how many tokens s has. Agent Zero counts with the tables of cl100k_base. Here four ASCII characters count
// as one token, and so does each non-ASCII character. For English and code that is close enough to bound an answer; for
// other scripts it errs on the safe side.
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
	budget  int // tokens
	room    int // bytes, as [page.Fit] counts them
	rows    []string
	to      int // the last line that is shown, 0 if none
	shown   lines.Spans
	cropped []string
	trimmed int // the first line for which nothing was left, 0 if there was enough
}

// add shows the lines [from,to] of t, with numbers in width columns. It crops a line that is too
// long to about four fifths of the limit.
func (r *tokenRows) add(t text.Text, from, to, width int) {
	for i := from; i <= to && r.trimmed == 0; i++ {
		l := t.Line(i - 1)
		line := t.Slice(l.Start, l.End)
		all := tokens(line)
		n := min(all, textEditorLineTokens)
		if all > n {
			runes := []rune(line)
			perToken := max(float64(len(runes))/float64(all), 1)
			line = string(runes[:min(len(runes), int(textEditorLineTokens*perToken*0.8))]) + "..."
		}
		row := fmt.Sprintf("%*d %s", width, i, line)
		_, left := page.Fit(row+"\n", r.room)
		if n > r.budget || left < 0 {
			r.trimmed = i
			return
		}
		if all > n {
			r.cropped = append(r.cropped, fmt.Sprint(i))
		} else {
			r.shown = append(r.shown, lines.Span{From: i, To: i})
		}
		r.budget, r.room = r.budget-n, left
		r.rows = append(r.rows, row)
		r.to = i
	}
}

// fenced returns head, a warning of what is not shown, and the rows, in the original tool's layout. It also
// returns which lines it shows.
func (r *tokenRows) fenced(head string) (string, lines.Spans) {
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
	return fmt.Sprintf("%s\n>>>\n%s\n<<<", head, strings.Join(r.rows, "\n")), r.shown
}

// changedRows returns the rows of the hunks in now, each hunk with one line above and
// three below. It puts "..." where lines between two hunks are left out.
func changedRows(now text.Text, hunks []edits.Hunk, budget, room int) *tokenRows {
	r := &tokenRows{budget: budget, room: room}
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
