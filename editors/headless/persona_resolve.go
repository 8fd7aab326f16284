package headless

import (
	"cmp"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// batches turns text edits into the batches that the persona makes of them. base
// is the text that they are of, changes what has happened to it since.
func (q *quirks) batches(t *target, base text.Text, list []TextEdit, changes []edits.Edits) ([]edits.Edits, error) {
	habits := &q.Edits
	if habits.EmptyRefused && len(list) == 0 {
		return nil, errors.New("there are no edits")
	}
	if habits.ByLine {
		return q.byLine(t.b, t.text, list)
	}
	es, err := located(base, q.inside(t.b, base, list), q.e.encoding)
	if err != nil {
		return nil, err
	}
	for i := range es {
		es[i] = carried(es[i], changes)
	}
	if !overlapping(es) {
		return one(joined(es))
	}
	switch habits.Overlap {
	case OverlapDropped:
		return nil, nil
	case OverlapApplied:
		return piled(t.text, es), nil
	case OverlapJoined:
		return one(joined(merged(es)))
	case OverlapRefused:
	}
	return one(joined(es))
}

// inside returns the edits with the text that the editor inserts, and with what is
// past the end brought inside as the editor does.
func (q *quirks) inside(b *Buffer, t text.Text, list []TextEdit) []TextEdit {
	end := position(t, t.Len(), q.e.encoding)
	out := make([]TextEdit, 0, len(list))
	for _, te := range list {
		te.NewText = b.form.insert(te.NewText)
		if te.Range.Start.Line > end.Line || te.Range.End.Line > end.Line {
			switch q.Edits.PastEnd {
			case PastEndSkipped:
				continue
			case PastEndNewLine:
				if te.Range.Start.Line > end.Line && end.Character > 0 {
					te.NewText = "\n" + te.NewText
				}
				te.Range = clamped(te.Range, end)
			case PastEndClamped:
				te.Range = clamped(te.Range, end)
			case PastEndRefused:
			}
		}
		out = append(out, te)
	}
	return out
}

func clamped(r Range, end Position) Range {
	if r.Start.Line > end.Line {
		r.Start = end
	}
	if r.End.Line > end.Line {
		r.End = end
	}
	return r
}

// overlapping reports whether sorted edits overlap.
func overlapping(es []edits.Edit) bool {
	for i := 1; i < len(es); i++ {
		if es[i].Start < es[i-1].End {
			return true
		}
	}
	return false
}

// piled makes overlapping edits from the last to the first, each where it would
// be if the others were not.
func piled(t text.Text, es []edits.Edit) []edits.Edits {
	var out []edits.Edits
	for _, e := range slices.Backward(es) {
		e.Start, e.End = boundary(t, e.Start), boundary(t, e.End)
		if e.Start == e.End && e.New == "" {
			continue
		}
		out = append(out, edits.Edits{e})
		t = out[len(out)-1].Apply(t)
	}
	return out
}

// boundary returns the last code point's start at or before off.
func boundary(t text.Text, off int) int {
	off = min(off, t.Len())
	for off > 0 && off < t.Len() && !utf8.RuneStart(t.String()[off]) {
		off--
	}
	return off
}

// merged makes one edit of each group of edits that overlap; of equal ones it
// takes one.
func merged(es []edits.Edit) []edits.Edit {
	slices.SortStableFunc(es, func(a, b edits.Edit) int { return cmp.Compare(a.Start, b.Start) })
	out := es[:1]
	for _, e := range es[1:] {
		switch last := &out[len(out)-1]; {
		case e == *last:
		case e.Start < last.End:
			last.End = max(last.End, e.End)
			last.New += e.New
		default:
			out = append(out, e)
		}
	}
	return out
}
