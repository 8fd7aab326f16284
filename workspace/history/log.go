package history

import (
	"slices"
	"sort"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// entry is one step of the log: an agent's edit, or what somebody else did since
// the boundary before.
type entry struct {
	id     string              // "" if it is not an agent's
	change changeset.Changeset // changes of it may touch, see [changeset.Changeset.ThenApart]
	hunks  hunks               // of an agent's edit
	end    *boundary
}

// boundary is a state of the text between two entries.
type boundary struct {
	seq int // of the newest boundary with a number up to here

	// lost says that the boundary cannot be asked for by seq: it has no number of
	// its own, or what the text was then is not known any more.
	lost bool

	// drift makes the text as it was at seq into that which the log has here: the
	// two differ by edits that had been made then, and are undone now.
	drift changeset.Changeset

	marks, pins int
}

// held reports whether somebody needs the boundary.
func (b *boundary) held() bool { return b.marks+b.pins > 0 }

// overhead is what a change takes but for its text, about.
const overhead = 64

func size(c changeset.Changeset) int {
	n := overhead
	for _, ch := range c {
		n += overhead + len(ch.Old) + len(ch.New)
	}
	return n
}

func (e *entry) size() int { return size(e.change) + size(e.end.drift) }

// insert puts entries before log[i].
func (h *History) insert(i int, es ...*entry) {
	if slices.ContainsFunc(es, (*entry).isAgents) && slices.ContainsFunc(h.log[i:], (*entry).isAgents) {
		h.known = pieces{}
	}
	h.log = slices.Insert(h.log, i, es...)
	for _, e := range es {
		h.count(e, 1)
	}
}

// cut takes log[i:j] out.
func (h *History) cut(i, j int) {
	for _, e := range h.log[i:j] {
		h.count(e, -1)
		if e.isAgents() {
			h.known = pieces{}
		}
	}
	h.log = slices.Delete(h.log, i, j)
}

func (h *History) count(e *entry, sign int) {
	h.bytes += sign * e.size()
	if e.isAgents() {
		h.agents += sign
	}
}

func (e *entry) isAgents() bool { return e.id != "" }

// at returns boundary k: 0 is before the log, k after log[k-1].
func (h *History) at(k int) *boundary {
	if k == 0 {
		return h.first
	}
	return h.log[k-1].end
}

// boundary returns which boundary has the number seq, false if it is gone.
func (h *History) boundary(seq int) (int, bool) {
	k := sort.Search(len(h.log), func(k int) bool { return h.at(k).seq >= seq })
	b := h.at(k)
	return k, b.seq == seq && !b.lost
}

// where returns which boundary b is.
func (h *History) where(b *boundary) int {
	k := sort.Search(len(h.log), func(k int) bool { return h.at(k).seq >= b.seq })
	for h.at(k) != b {
		k++
	}
	return k
}

// index returns which entry is the edit id, -1 if none is.
func (h *History) index(id string) int {
	return slices.IndexFunc(h.log, func(e *entry) bool { return e.id == id && id != "" })
}

// textAt returns the text that the log has at boundary k.
func (h *History) textAt(k int) text.Text {
	return applied(fold(h.log[k:]).Invert(), h.text)
}

// applied returns the text after c, whose changes may touch.
func applied(c changeset.Changeset, t text.Text) text.Text { return c.Then(nil).Edits().Apply(t) }

// fold composes entries, halves first, so that many small ones are not copied
// again for each. Changes of it may touch.
func fold(es []*entry) changeset.Changeset {
	switch len(es) {
	case 0:
		return nil
	case 1:
		return es[0].change
	}
	half := len(es) / 2
	return fold(es[:half]).ThenApart(fold(es[half:]))
}
