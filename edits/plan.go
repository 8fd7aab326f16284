package edits

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

// Source is the text that a command is planned on, and the path that messages call it by.
type Source struct {
	Path string
	Text text.Text
	// Candidates and Matches bound how many places an error offers and lists; 0 is 3 and 100.
	Candidates, Matches int
	Work                *Work // bounds the planning
}

// Tier names the way in which a place was found (docs/matching.md).
type Tier string

// Anchor is the tier of a place that the text around it determines.
const Anchor Tier = "anchor"

// Exact is the tier of text that occurs byte for byte, except that a line end in
// a command matches any line end of the document.
const Exact Tier = "exact"

// The tiers below Exact, in the order in which they are tried.
const (
	LineEnds      Tier = "line-ends"
	TrailingSpace Tier = "trailing-space"
	Indentation   Tier = "indentation"
	Unicode       Tier = "unicode"
	LineNumbers   Tier = "line-numbers"
	Escapes       Tier = "escapes"
	BlankLines    Tier = "blank-lines"
)

// Plan is the result of planning a command on one text.
type Plan struct {
	Edits   Edits
	Hunks   []Hunk   // in the order of their places
	Places  int      // for a replacement, the number of occurrences; several may share a Hunk
	Notes   []string // every leniency that was used
	Message string   // one sentence, as the contract words it
}

// Hunk is one change of a plan in whole lines. StartLine and EndLine are those of the new text,
// from 1 and inclusive; EndLine is StartLine-1 where lines were only deleted.
type Hunk struct {
	StartLine int  `json:"start_line"`
	EndLine   int  `json:"end_line"`
	OldLines  int  `json:"old_lines"`
	NewLines  int  `json:"new_lines"`
	Match     Tier `json:"match"`
}

// MaxShownLine is how many characters of a line agents are shown; a longer line is cropped.
const MaxShownLine = 2000

// Numbered returns the lines [from,to] of t, counted from 1 and inclusive, in the form that
// agents read: the number in six columns, a tab, and the line, cropped at [MaxShownLine].
// The lines are joined by "\n" and have no terminators of their own.
func Numbered(t text.Text, from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		if i > from {
			b.WriteByte('\n')
		}
		line, _ := ShownLine(t, i)
		fmt.Fprintf(&b, "%6d\t%s", i, line)
	}
	return b.String()
}

// ShownLine returns a line without its end, from 1, as agents are shown it: whole, or cropped at [MaxShownLine].
func ShownLine(t text.Text, line int) (shown string, whole bool) {
	l := t.Line(line - 1)
	shown = t.Slice(l.Start, min(l.End, l.Start+utf8.UTFMax*(MaxShownLine+1)))
	chars := 0
	for at := range shown {
		if chars++; chars > MaxShownLine {
			return shown[:at] + "…", false
		}
	}
	return shown, true
}

// Work bounds the planning of one command, over all its texts. Planning stops when the command has ended, and then fails
// even if it has found a place. A nil Work bounds nothing. A Work is not safe for concurrent use.
type Work struct {
	ended func() error
	near  int // how much of MaxNear is used
}

// MaxNear bounds the search for near places by one command, over all its hunks and files
// together: the bytes searched, plus what is passed to [Work.Compared]. The first search is
// always made. Work is counted and not timed, so that answers are the same each time.
const MaxNear = 64 << 20

// MaxNew bounds the bytes that the edits of one text insert. All of them are sent to the editor,
// and a text that stands often may be replaced by a long one.
const MaxNew = 64 << 20

// NewWork returns the Work of a command. ended returns why the command has ended, nil until then.
func NewWork(ended func() error) *Work { return &Work{ended: ended} }

// Err returns why planning must stop, nil if it need not.
func (w *Work) Err() error {
	if w == nil {
		return nil
	}
	return w.ended()
}

// Over reports whether planning must stop.
func (w *Work) Over() bool { return w.Err() != nil }

// Search reports whether n more bytes may be searched for near places, and counts them if so.
func (w *Work) Search(n int) bool {
	switch {
	case w == nil:
		return true
	case w.near > 0 && w.near+n > MaxNear || w.Over():
		return false
	}
	w.near += n
	return true
}

// Compared counts n bytes that were compared, in addition to those searched.
func (w *Work) Compared(n int) {
	if w != nil {
		w.near += n
	}
}
