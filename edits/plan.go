package edits

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

// Source is what a command is planned on: a text, and what messages call it.
type Source struct {
	Path string
	Text text.Text
	// Candidates and Matches bound how many places an error offers and lists; 0 is 3 and 100.
	Candidates, Matches int
	Work                *Work // what may be done to plan it
}

// Tier names the way in which a place was found (docs/matching.md).
type Tier string

// Anchor is the tier of a place that is told by text around it.
const Anchor Tier = "anchor"

// Exact is the tier of text that is there byte for byte, a line end in a
// command standing for whatever line end the document has.
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

// Plan is what a command comes to on one text.
type Plan struct {
	Edits   Edits
	Hunks   []Hunk   // by place
	Places  int      // of a replacement, the occurrences; several may share a Hunk
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

// MaxShownLine is how many characters of a line agents are shown; a longer one is cropped.
const MaxShownLine = 2000

// Numbered returns the lines [from,to] of t, from 1 and inclusive, as agents
// read them: number in six columns, tab, line, cropped at [MaxShownLine]; joined by "\n",
// without any terminator or "\r" of it.
func Numbered(t text.Text, from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		if i > from {
			b.WriteByte('\n')
		}
		l := t.Line(i - 1)
		line := t.Slice(l.Start, min(l.End, l.Start+utf8.UTFMax*(MaxShownLine+1)))
		chars := 0
		for at := range line {
			if chars++; chars > MaxShownLine {
				line = line[:at] + "…"
				break
			}
		}
		fmt.Fprintf(&b, "%6d\t%s", i, line)
	}
	return b.String()
}

// Work is what may be done to plan one command, on however many texts. Planning stops
// when the command has ended; it fails then, whatever it has found. A nil Work bounds
// nothing. It is not safe for concurrent use.
type Work struct {
	ended func() error
	near  int // of maxNear, used
}

// MaxNear bounds what a command does to find what comes near, for all its hunks and files
// together, in bytes that are searched and pairs that are compared. The first search is
// made in any case. It is counted and not timed, so that answers are the same each time.
const MaxNear = 64 << 20

// NewWork returns the work of a command. ended says why it has ended for good, nil until then.
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

// Search reports whether n bytes may be searched for what comes near.
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

// Compared takes note of what was done beside searching.
func (w *Work) Compared(n int) {
	if w != nil {
		w.near += n
	}
}
