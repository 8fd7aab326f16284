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

// versioned returns the text that the edits of a document are of, and what
// happened to it since. drop says that they are not to be made and nobody is to be
// told. An error is a no.
func (q *quirks) versioned(p *plan, t *target, id DocumentID) (base text.Text, changes []edits.Edits, drop bool, err error) {
	err = q.checkVersion(p, t, id)
	var stale *staleError
	if !errors.As(err, &stale) {
		return t.text, nil, false, err
	}
	switch q.Edits.Stale {
	case StaleDropped:
		return t.text, nil, true, nil
	case StaleApplied:
		return t.text, nil, false, nil
	case StaleRebased:
		if base, changes, ok := docOf(t.b).since(stale.want); ok {
			return base, changes, false, nil
		}
	case StaleRefused, StaleError:
	}
	return t.text, nil, false, err
}

// checkVersion is target.checkVersion, without what the persona leaves out.
func (q *quirks) checkVersion(p *plan, t *target, id DocumentID) error {
	habits := &q.Edits
	switch {
	case id.unversioned && habits.VersionNeeded:
		return errors.New("attempt to compare number with nil")
	case habits.FirstOnly && p.index > 0,
		id.Version == nil && habits.NullUnchecked,
		t.isNew && habits.ClosedUnchecked,
		id.Version != nil && *id.Version == 0 && habits.ZeroUnchecked,
		id.Version != nil && *id.Version >= t.b.now.Load().version && habits.OlderOnly:
		return nil
	}
	return t.checkVersion(id)
}

// past is one change that a buffer has had, and what was before it.
type past struct {
	version int32
	text    text.Text
	es      edits.Edits
}

// maxPast is how many changes Zed keeps for edits that come late.
const maxPast = 10

// remember keeps a change of t for edits of the version that t has. It needs e.mu.
func (d *document) remember(t text.Text, es edits.Edits) {
	if d.q.Edits.Stale != StaleRebased {
		return
	}
	d.past = append(d.past, past{d.b.now.Load().version, t, es})
	if len(d.past) > maxPast {
		d.past = d.past[1:]
	}
}

// since returns the text that had a version and the changes that it has had since
// then. It is false for a version that is not kept. It needs e.mu.
func (d *document) since(version int32) (text.Text, []edits.Edits, bool) {
	s := d.b.now.Load()
	if version == s.version {
		return s.text, nil, true
	}
	i := slices.IndexFunc(d.past, func(p past) bool { return p.version == version })
	if i < 0 {
		return text.Text{}, nil, false
	}
	var changes []edits.Edits
	for _, p := range d.past[i:] {
		changes = append(changes, p.es)
	}
	return d.past[i].text, changes, true
}

// carried returns where the range of e is after the changes. What was inserted at
// either end of the range is outside of it, as with Zed's anchors.
func carried(e edits.Edit, changes []edits.Edits) edits.Edit {
	insert := e.Start == e.End
	for _, es := range changes {
		e.Start, e.End = anchor(e.Start, es, true), anchor(e.End, es, insert)
	}
	e.End = max(e.Start, e.End)
	return e
}

// anchor returns where off is after es; right says that it goes behind what is
// inserted at it, and behind what takes the place of the text around it.
func anchor(off int, es edits.Edits, right bool) int {
	shift := 0
	for _, e := range es {
		switch {
		case off < e.Start, off == e.Start && (e.End > off || !right):
			return off + shift
		case off >= e.End:
			shift += len(e.New) - (e.End - e.Start)
		case right:
			return e.Start + shift + len(e.New)
		default:
			return e.Start + shift
		}
	}
	return off + shift
}
