package personas

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// batches turns text edits into the batches that the persona applies to t. The edits refer
// to the text base; changes lead from base to t.
func (d *document) batches(t, base text.Text, list []headless.TextEdit, changes []edits.Edits) ([]edits.Edits, error) {
	habits := &d.q.Edits
	if habits.EmptyRefused && len(list) == 0 {
		return nil, errors.New("there are no edits")
	}
	if habits.ByLine {
		return d.byLine(t, list)
	}
	es, err := headless.Locate(base, d.inside(base, list), d.q.encoding())
	if err != nil {
		return nil, err
	}
	for i := range es {
		es[i] = carried(es[i], changes)
	}
	if !overlapping(es) {
		return joined(es)
	}
	switch habits.Overlap {
	case OverlapDropped:
		return nil, nil
	case OverlapApplied:
		return piled(t, es), nil
	case OverlapJoined:
		return joined(merged(es))
	case OverlapRefused:
	}
	return joined(es)
}

// joined is the batch of all edits, if there are any.
func joined(es []edits.Edit) ([]edits.Edits, error) {
	batch, err := headless.Join(es)
	if len(batch) == 0 {
		return nil, err
	}
	return []edits.Edits{batch}, err
}

// inside returns the edits with their text as the editor inserts it, and with ranges past
// the end moved inside as the editor does it.
func (d *document) inside(t text.Text, list []headless.TextEdit) []headless.TextEdit {
	last := t.Position(t.Len(), d.q.encoding())
	end := headless.Position{Line: uint32(last.Line), Character: uint32(last.Character)}
	out := make([]headless.TextEdit, 0, len(list))
	for _, te := range list {
		te.NewText = d.insert(te.NewText)
		if te.Range.Start.Line > end.Line || te.Range.End.Line > end.Line {
			switch d.q.Edits.PastEnd {
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

func clamped(r headless.Range, end headless.Position) headless.Range {
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

// piled applies overlapping edits from the last to the first, each at its own offsets.
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

// Place implements [headless.Document].
func (d *document) Place(t text.Text, closed bool, c *headless.DocumentChange) ([]edits.Edits, error) {
	e := d.q.edit
	first, versioned := e.index == 0, hasVersion(e.raw, e.texts)
	e.index, e.texts = e.index+1, e.texts+1
	e.placed = d
	base, changes := t, []edits.Edits(nil)
	err := d.checkVersion(c.TextDocument, closed, first, versioned)
	var stale *staleError
	if isStale := errors.As(err, &stale); isStale {
		switch d.q.Edits.Stale {
		case StaleDropped:
			return nil, nil
		case StaleApplied:
			err = nil
		case StaleRebased:
			if was, since, ok := d.since(stale.want); ok {
				base, changes, err = was, since, nil
			}
		case StaleRefused, StaleError:
		}
	}
	if err != nil {
		return nil, err
	}
	batches, err := d.batches(t, base, c.Edits, changes)
	d.parts = len(batches)
	return batches, err
}

// checkVersion is State.CheckVersion, without what the persona leaves out.
func (d *document) checkVersion(id headless.DocumentID, closed, first, versioned bool) error {
	habits := &d.q.Edits
	switch {
	case !versioned && habits.VersionNeeded:
		return errors.New("attempt to compare number with nil")
	case habits.FirstOnly && !first,
		id.Version == nil && habits.NullUnchecked,
		closed && habits.ClosedUnchecked,
		id.Version != nil && *id.Version == 0 && habits.ZeroUnchecked,
		id.Version != nil && *id.Version >= d.b.Version() && habits.OlderOnly:
		return nil
	}
	s := d.b.State()
	err := s.CheckVersion(id, closed)
	if err != nil && id.Version != nil && !closed {
		return &staleError{err, *id.Version, s.Version}
	}
	return err
}

// staleError says that an edit is for another version than the buffer's.
type staleError struct {
	error
	want, have int32 // of the edit, of the buffer
}

// hasVersion reports whether the i-th text document edit has the member version, even if
// it is null.
func hasVersion(raw json.RawMessage, i int) bool {
	var edit struct {
		DocumentChanges []struct{ TextDocument map[string]json.RawMessage }
	}
	_ = json.Unmarshal(raw, &edit)
	for _, c := range edit.DocumentChanges {
		if c.TextDocument == nil {
			continue
		}
		if i == 0 {
			_, has := c.TextDocument["version"]
			return has
		}
		i--
	}
	return false
}

// past is one change that a buffer has had, and what was before it.
type past struct {
	version int32
	text    text.Text
	es      edits.Edits
}

// maxPast is how many changes Zed keeps for edits that come late.
const maxPast = 10

// remember keeps a change of t for edits of the version that t has.
func (d *document) remember(t text.Text, es edits.Edits) {
	if d.q.Edits.Stale != StaleRebased {
		return
	}
	d.past = append(d.past, past{d.b.Version(), t, es})
	if len(d.past) > maxPast {
		d.past = d.past[1:]
	}
}

// since returns the text of a version and the changes since. It is false if the version is
// not kept.
func (d *document) since(version int32) (text.Text, []edits.Edits, bool) {
	if s := d.b.State(); version == s.Version {
		return s.Text, nil, true
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

// carried returns e with its range moved by the changes. Text inserted at either end of
// the range is outside of it, as with Zed's anchors.
func carried(e edits.Edit, changes []edits.Edits) edits.Edit {
	insert := e.Start == e.End
	for _, es := range changes {
		e.Start, e.End = anchor(e.Start, es, true), anchor(e.End, es, insert)
	}
	e.End = max(e.Start, e.End)
	return e
}

// anchor returns the offset of off after es. If right is set, the result is behind text
// inserted at off, and behind text that replaces the surrounding text.
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
