package edits

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Source is the text that a command is planned on, and the path that messages call it by.
type Source struct {
	Path string
	Text text.Text
	// Candidates and Matches bound how many places an error offers and lists; 0 is 3 and 100.
	Candidates, Matches int
	Work                *Work // bounds the planning
	// Shown, if not nil, returns the text that the line numbers in a command are of; nil if that is Text.
	Shown func() *Shown
}

// Shown is a text that an agent was shown, and that may have changed since.
type Shown struct {
	Texts []text.Text // that text, those that the agent was shown before, and the text as the agent knows it
	// Now returns the number that line from has now. It reports false if one of the lines [from,to], or a line
	// beside them, has changed, or if the agent may mean other lines by these numbers.
	Now func(from, to int) (now int, ok bool)
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

// Edit replaces the bytes [Start,End) of a text by New.
type Edit struct {
	Start, End int
	New        string
}

// Delta returns by how many bytes the edit makes a text longer.
func (e Edit) Delta() int { return len(e.New) - (e.End - e.Start) }

// Edits are the edits of one text. They are sorted, none is empty, and no two touch: at least
// one unchanged byte lies between them. The zero value changes nothing.
type Edits []Edit

// Validate reports whether es are Edits of a text of n bytes.
func (es Edits) Validate(n int) error {
	at := -1 // end of the previous edit
	for i, e := range es {
		switch {
		case e.Start < 0 || e.End < e.Start || e.End > n:
			return fmt.Errorf("edit %d: [%d,%d) is not in a text of %d bytes", i, e.Start, e.End, n)
		case e.Start == e.End && e.New == "":
			return fmt.Errorf("edit %d at %d is empty", i, e.Start)
		case e.Start <= at:
			return fmt.Errorf("edit %d: [%d,%d) meets the edit before it, which ends at %d", i, e.Start, e.End, at)
		}
		at = e.End
	}
	return nil
}

// Apply returns the text after the edits. They must be valid for t.
func (es Edits) Apply(t text.Text) text.Text {
	if len(es) == 0 {
		return t
	}
	if err := es.Validate(t.Len()); err != nil {
		panic("edits.Apply: " + err.Error())
	}
	if len(es) < t.Len()/applyBytes {
		b, grown := text.NewBuffer(t), 0
		for _, e := range es {
			b.Replace(e.Start+grown, e.End+grown, e.New)
			grown += e.Delta()
		}
		return b.Snapshot() // the snapshot shares the unchanged parts with t
	}
	var b strings.Builder
	b.Grow(t.Len() + es.Delta())
	at := 0
	for _, e := range es {
		b.WriteString(t.Slice(at, e.Start))
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(t.Slice(at, t.Len()))
	return text.New(b.String())
}

// applyBytes is how many bytes of a text can be copied in the time that one edit in place takes.
// It does not count the time to find the lines of the copy.
const applyBytes = 4 << 10

// Delta returns by how many bytes the edits make a text longer.
func (es Edits) Delta() int { return lists.Sum(es, Edit.Delta) }

// Shifted returns the edits with all offsets moved forward by the number of bytes in by.
func (es Edits) Shifted(by int) Edits {
	return lists.Map(es, func(e Edit) Edit { return Edit{e.Start + by, e.End + by, e.New} })
}

// Coalesce joins edits that touch. The result reuses the memory of es.
func Coalesce(es Edits) Edits {
	out := es[:0]
	for len(es) > 0 {
		n := 1
		for n < len(es) && es[n].Start == es[n-1].End {
			n++
		}
		put := lists.Map(es[:n], func(e Edit) string { return e.New })
		out, es = append(out, Edit{es[0].Start, es[n-1].End, strings.Join(put, "")}), es[n:]
	}
	return out
}

// WholeLineEnds returns edits of t with the same result, none of which begins or ends between
// "\r" and "\n": editors take such a place for another (hazard: overlapping-edits).
func (es Edits) WholeLineEnds(t text.Text) Edits {
	within := func(at int) bool { return at > 0 && at < t.Len() && t.Slice(at-1, at+1) == "\r\n" }
	if !slices.ContainsFunc(es, func(e Edit) bool { return within(e.Start) || within(e.End) }) {
		return es
	}
	out := slices.Clone(es)
	for i, e := range out {
		if within(e.Start) {
			out[i].Start, out[i].New = e.Start-1, "\r"+out[i].New
		}
		if within(e.End) {
			out[i].End, out[i].New = e.End+1, out[i].New+"\n"
		}
	}
	return Coalesce(out)
}

// BeforeEnd returns edits of t with the same result, of which none begins or ends after the final
// line end, if that is possible: appending "c\n" to "b\n" becomes "\nc" at the end of "b".
// Editors disagree on what a position there means (hazard: past-the-end).
func (es Edits) BeforeEnd(t text.Text) Edits {
	n := len(es)
	if n == 0 || es[n-1].End < t.Len() {
		return es
	}
	end := t.Terminator()
	last, k := es[n-1], len(end)
	switch {
	case k == 0:
		return es
	case last.Start == last.End && text.Terminator(last.New) == end:
		last = Edit{last.Start - k, last.End - k, end + last.New[:len(last.New)-k]}
	case last.New == "" && text.Terminator(t.Slice(0, last.Start)) == end:
		last = Edit{last.Start - k, last.End - k, ""}
	default:
		return es
	}
	moved := Coalesce(append(append(Edits(nil), es[:n-1]...), last))
	// Joined to the edit before it, the last edit may replace a text with the same text.
	if m := len(moved) - 1; m > 0 && t.Slice(moved[m].Start, moved[m].End) == moved[m].New {
		moved = moved[:m]
	}
	return moved
}
