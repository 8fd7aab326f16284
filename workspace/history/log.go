package history

import (
	"slices"
	"sort"
	"sync"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// log is what happened to a text: entries, one after the other, and the boundaries between them.
type log struct {
	text    text.Text // as of the last boundary
	seq     int       // changes recorded
	first   *boundary // before the first entry
	entries []*entry
	agents  int // entries with an id
	bytes   int // that the entries take
	loose   int // changes recorded since the log was compacted
}

// entry is one step of the log: an agent's edit, or what others did since the boundary before.
type entry struct {
	id     string              // "" if it is not an agent's
	change changeset.Changeset // its changes may touch, see [changeset.Changeset.ThenApart]
	hunks  hunks               // of an agent's edit
	undone bool                // an agent's edit that the editor's undo has taken back
	end    *boundary
}

// boundary is a state of the text between two entries.
type boundary struct {
	seq int // the number of the newest numbered boundary up to here

	// unavailable says that the boundary cannot be looked up: it has no number of its own, its
	// text is not known any more, or it is no longer in the log.
	unavailable bool

	// drift turns the text as it was at seq into the text that the log has here. The
	// two differ by edits that had been made then, and are undone now.
	drift changeset.Changeset

	marks, pins int
}

func (e *entry) isAgents() bool { return e.id != "" }

// held reports whether a mark or a pin needs the boundary.
func (b *boundary) held() bool { return b.marks+b.pins > 0 }

// at returns boundary k: 0 is before the log, k after entry k-1.
func (l *log) at(k int) *boundary {
	if k == 0 {
		return l.first
	}
	return l.entries[k-1].end
}

// boundary returns the index of the boundary with the number seq, and false if that is lost.
func (l *log) boundary(seq int) (int, bool) {
	k := sort.Search(len(l.entries), func(k int) bool { return l.at(k).seq >= seq })
	b := l.at(k)
	return k, b.seq == seq && !b.unavailable
}

// index returns the index of the entry of the edit id, or -1 if there is none.
func (l *log) index(id string) int {
	return slices.IndexFunc(l.entries, func(e *entry) bool { return e.id == id && id != "" })
}

// textAt returns the text that the log has at boundary k.
func (l *log) textAt(k int) text.Text {
	return apply(fold(l.entries[k:]).Invert(), l.text)
}

// since returns all that happened to the text since boundary seq, and false if that boundary is lost.
func (l *log) since(seq int) (changeset.Changeset, bool) {
	k, ok := l.boundary(seq)
	if !ok {
		return nil, false
	}
	return l.at(k).drift.Then(fold(l.entries[k:])), true
}

// apply returns the text after c, whose changes may touch.
func apply(c changeset.Changeset, t text.Text) text.Text { return c.Then(nil).Edits().Apply(t) }

// fold composes entries, each half first, so that small ones are not copied again
// for every entry. Changes of the result may touch.
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

// record appends consecutive changes that led to the text now, and recognises what they
// undo. Of the boundaries after them, only the last one has a number.
func (l *log) record(now text.Text, changes ...changeset.Changeset) {
	k := len(l.entries)
	for _, c := range changes {
		l.insert(len(l.entries), &entry{change: c, end: &boundary{seq: l.seq, unavailable: true}})
	}
	l.text = now
	l.seq += len(changes)
	l.loose += len(changes)
	*l.at(len(l.entries)) = boundary{seq: l.seq}
	l.recognizeUndone(k)
}

// insert puts entries before entry i.
func (l *log) insert(i int, es ...*entry) {
	l.entries = slices.Insert(l.entries, i, es...)
	for _, e := range es {
		l.count(e, 1)
	}
}

// cut takes the entries from i to before j out.
func (l *log) cut(i, j int) {
	for _, e := range l.entries[i:j] {
		l.count(e, -1)
	}
	l.entries = slices.Delete(l.entries, i, j)
}

// count adds an entry to the totals, or takes it out of them if sign is -1.
func (l *log) count(e *entry, sign int) {
	l.bytes += sign * (size(e.change) + size(e.end.drift))
	if e.isAgents() {
		l.agents += sign
	}
}

// overhead is about how many bytes a change takes in addition to its text.
const overhead = 64

func size(c changeset.Changeset) int { return overhead*(1+len(c)) + c.Size() }

// release makes an agent's edit a change like any other. It returns the id that it had.
func (l *log) release(e *entry) (id string) {
	l.count(e, -1)
	id, e.id, e.hunks = e.id, "", hunks{}
	l.count(e, 1)
	return id
}

// compact composes neighbours that are not an agent's where the boundary between them is not held. It drops entries that no
// edit and no held boundary precedes, since nothing is ever carried over those.
func (l *log) compact() {
	out := l.entries[:0]
	for rest := l.entries; len(rest) > 0; {
		n := 1
		for n < len(rest) && !rest[n-1].isAgents() && !rest[n].isAgents() && !rest[n-1].end.held() {
			n++
		}
		if len(out) > 0 && isTakenBack([]*entry{out[len(out)-1], rest[0]}) {
			n = 1 // composed with others, the undo would not be recognised
		}
		out = append(out, l.compose(rest[:n]))
		rest = rest[n:]
	}
	clear(l.entries[len(out):])
	l.entries = out
	for len(l.entries) > 0 && !l.entries[0].isAgents() && !l.first.held() {
		l.dropFirst()
	}
	l.loose = 0
}

// compose returns one entry that does what es do. The first of them may be large, since it
// was composed before, so it is copied only once.
func (l *log) compose(es []*entry) *entry {
	if len(es) == 1 {
		return es[0]
	}
	for _, e := range es {
		l.count(e, -1)
	}
	e := &entry{change: es[0].change.ThenApart(fold(es[1:])), end: es[len(es)-1].end}
	l.count(e, 1)
	return e
}

// shrink keeps the log within its limits, as far as pins allow. It returns the ids of the edits that it forgets.
func (l *log) shrink(to Limits) (forgotten []string) {
	if l.loose >= to.Loose || l.bytes > to.Bytes {
		l.compact()
	}
	enough := to.Bytes
	if l.bytes > to.Bytes {
		enough = to.Bytes / 4 * 3 // so that the log need not shrink again soon
	}
	for (l.bytes > enough || l.agents > to.Edits) && len(l.entries) > 0 && l.first.pins == 0 {
		if id := l.dropFirst(); id != "" {
			forgotten = append(forgotten, id)
		}
	}
	return forgotten
}

// dropFirst forgets the oldest entry. It returns its id.
func (l *log) dropFirst() (id string) {
	e := l.entries[0]
	id = l.release(e)
	l.count(e, -1)
	l.first.unavailable = true
	l.first, l.entries[0] = e.end, nil
	l.entries = l.entries[1:]
	return id
}

// clone returns an independent copy of the log in which no boundary is held.
func (l *log) clone() log {
	c := *l
	c.first, c.entries = l.first.unheld(), make([]*entry, len(l.entries))
	for i, e := range l.entries {
		own := *e
		own.end = e.end.unheld()
		c.entries[i] = &own
	}
	return c
}

func (b *boundary) unheld() *boundary {
	return &boundary{seq: b.seq, unavailable: b.unavailable, drift: b.drift}
}

// marks say which revs of the text were given to agents, in that order.
type marks []mark

// mark says that an agent was given rev for the text at a boundary.
type mark struct {
	rev string
	at  *boundary
}

// find returns the index of the only mark whose rev is rev or is abbreviated by it, or -1.
func (ms *marks) find(rev string) int {
	found := -1
	for i, m := range *ms {
		switch {
		case m.at.unavailable || !text.IsHash(m.rev, rev):
		case found >= 0:
			return -1
		default:
			found = i
		}
	}
	return found
}

func (ms *marks) drop(i int) {
	(*ms)[i].at.marks--
	*ms = slices.Delete(*ms, i, i+1)
}

// Mark says that an agent was given rev for the text as of seq. It does nothing if
// that boundary is lost. If a rev is marked twice, the newer boundary counts.
func (h *History) Mark(seq int, rev string) {
	h.mu.Lock()
	defer h.unlock()
	k, ok := h.log.boundary(seq)
	if !ok {
		return
	}
	if i := h.marks.find(rev); i >= 0 {
		if h.marks[i].at.seq > seq {
			return
		}
		h.marks.drop(i)
	}
	h.log.at(k).marks++
	h.marks = append(h.marks, mark{rev, h.log.at(k)})
}

// Since returns all that happened to the text since the newest boundary that was
// marked with rev, and false if none is remembered.
func (h *History) Since(rev string) (changeset.Changeset, bool) {
	h.mu.Lock()
	defer h.unlock()
	if i := h.marks.find(rev); i >= 0 {
		return h.log.since(h.marks[i].at.seq)
	}
	return nil, false
}

// SinceSeq returns all that happened to the text since boundary seq, and false if that boundary is lost.
func (h *History) SinceSeq(seq int) (changeset.Changeset, bool) {
	h.mu.Lock()
	defer h.unlock()
	return h.log.since(seq)
}

// Pin keeps the boundary at seq until unpin is called. unpin may be called more
// than once. ok is false if the boundary is lost already.
func (h *History) Pin(seq int) (unpin func(), ok bool) {
	h.mu.Lock()
	defer h.unlock()
	k, ok := h.log.boundary(seq)
	if !ok {
		return func() {}, false
	}
	b := h.log.at(k)
	b.pins++
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.unlock()
		b.pins--
	}), true
}

// Pins holds the boundaries of histories that a command still needs. It is safe for concurrent use.
type Pins struct {
	mu     sync.Mutex
	unpins []func()
}

// Pin keeps a boundary until [Pins.Release]. It returns false if the boundary is lost already.
func (p *Pins) Pin(of *History, seq int) bool {
	unpin, ok := of.Pin(seq)
	if ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unpins = append(p.unpins, unpin)
	}
	return ok
}

// Release unpins all boundaries.
func (p *Pins) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, unpin := range p.unpins {
		unpin()
	}
	p.unpins = nil
}
