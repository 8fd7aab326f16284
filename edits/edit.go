package edits

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Edit replaces the bytes [Start,End) of a text by New.
type Edit struct {
	Start, End int
	New        string
}

// Edits are edits of one text: sorted, none of them empty, and no two of them
// touch, so at least one byte that stays is between them. The zero value
// changes nothing.
type Edits []Edit

// Validate reports whether es are Edits of a text of n bytes.
func (es Edits) Validate(n int) error {
	at := -1 // end of the edit before
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
	if len(es) == 1 {
		return t.Replace(es[0].Start, es[0].End, es[0].New)
	}
	if len(es) < t.Len()/applyBytes {
		return es.applyInPlace(t)
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

// applyBytes is how many bytes of a text are copied in the time in which one edit is
// made in place. Of a copy the lines have yet to be found, which is left out here.
const applyBytes = 4 << 10

// applyInPlace is Apply for few edits of a long text: the rest of it is shared.
func (es Edits) applyInPlace(t text.Text) text.Text {
	b := text.NewBuffer(t)
	shift := 0
	for _, e := range es {
		b.Replace(e.Start+shift, e.End+shift, e.New)
		shift += len(e.New) - (e.End - e.Start)
	}
	return b.Snapshot()
}

// Delta returns by how many bytes the edits make a text longer.
func (es Edits) Delta() int {
	n := 0
	for _, e := range es {
		n += len(e.New) - (e.End - e.Start)
	}
	return n
}

// Shifted returns the edits, by bytes further on.
func (es Edits) Shifted(by int) Edits {
	out := make(Edits, len(es))
	for i, e := range es {
		out[i] = Edit{e.Start + by, e.End + by, e.New}
	}
	return out
}

// Invert returns the edits that turn es.Apply(t) back into t.
func (es Edits) Invert(t text.Text) Edits {
	inv := make(Edits, len(es))
	shift := 0
	for i, e := range es {
		inv[i] = Edit{e.Start + shift, e.Start + shift + len(e.New), t.Slice(e.Start, e.End)}
		shift += len(e.New) - (e.End - e.Start)
	}
	return inv
}

// Coalesce joins edits that touch, in the memory of es.
func Coalesce(es Edits) Edits {
	out := es[:0]
	for _, e := range es {
		if n := len(out); n > 0 && out[n-1].End == e.Start {
			out[n-1].End = e.End
			out[n-1].New += e.New
			continue
		}
		out = append(out, e)
	}
	return out
}
