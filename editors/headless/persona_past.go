package headless

import (
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// past is one change that a buffer has had, and what was before it.
type past struct {
	version int32
	text    text.Text
	es      edits.Edits
}

// mostPast is how many changes Zed keeps for edits that come late.
const mostPast = 10

// remember keeps a change of t for edits of the version that t has. It needs e.mu.
func (d *document) remember(t text.Text, es edits.Edits) {
	if d.q.Edits.Stale != StaleRebased {
		return
	}
	d.past = append(d.past, past{d.b.now.Load().version, t, es})
	if len(d.past) > mostPast {
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
