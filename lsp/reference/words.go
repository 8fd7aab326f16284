package reference

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
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
//	{more}, {.more}       further sentences that help to correct the call, if any; {.more} first ends the one before
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

// further returns the advice of an error about a path, or the place that is most similar to a text that was not found, as
// further sentences; "" if there is none.
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
	numbers := lists.Map(e.Matches[:min(100, len(e.Matches))], func(m edits.Match) string { return strconv.Itoa(m.Line) })
	if rest := e.Count - len(numbers); rest > 0 {
		numbers = append(numbers, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(numbers, ", ")
}

// rows returns the rows of the lines from the first to the last, as many as have room. If they do not reach up to the line
// asked, a note says so: notes come first, and the original tools say it at the end.
func (r *Reading) rows(first, last, asked, room int, row func(line int) (row, note string)) []string {
	rows, notes := page.Rows(first, last, room, row)
	r.StartLine, r.EndLine, r.Notes = first, first+len(rows)-1, append(r.Notes, notes...)
	if r.EndLine < asked {
		r.Notes = append(r.Notes, fmt.Sprintf("Only the lines %d-%d of %d are shown.", first, r.EndLine, r.TotalLines))
	}
	return rows
}
