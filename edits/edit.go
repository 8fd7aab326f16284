package edits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

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
	out := make(Edits, len(es))
	for i, e := range es {
		out[i] = Edit{e.Start + by, e.End + by, e.New}
	}
	return out
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
