package lsp

import (
	"slices"
	"sync"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/paths"
)

// What a ledger keeps at most; the texts that were shown longest ago go first.
const (
	ledgerTexts = 200
	ledgerBytes = 256 << 20
)

// ledger remembers, for the agent of this connection, each text as it was last
// shown to it or made by it, and which of its lines the agent knows: those are
// the lines that its line numbers can be about. It is safe for concurrent use.
type ledger struct {
	updates sync.Mutex // held while a page is made, which may take a diff

	mu    sync.Mutex // guards the rest, for no longer than a look
	pages map[paths.Key]page
	order []paths.Key // the one that was shown longest ago first
}

// page is what an agent knows of one text.
type page struct {
	text text.Text
	seen spans // lines that it was shown or has written, by their numbers in text
	// lost: since it last looked, lines that it knew have moved or gone without
	// its knowing, so that they are in seen no longer.
	lost bool
}

// page returns what the agent knows of a text, ok is false if nothing.
func (l *ledger) page(key paths.Key) (p page, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok = l.pages[key]
	return p, ok
}

// showed takes in that the lines [from,to] of t were shown, and with them their
// numbers.
func (l *ledger) showed(key paths.Key, t text.Text, from, to int) {
	l.updates.Lock()
	defer l.updates.Unlock()
	p, _ := l.page(key)
	p = p.onto(t)
	p.seen, p.lost = p.seen.with(span{from, to}), false
	l.put(key, p)
}

// edited takes in an edit of the agent's own, after which the text was now: it
// knows what it wrote, what its result shows, and how far that moved the rest.
// whole: it sent the whole text.
func (l *ledger) edited(j *job, now text.Text, whole bool) {
	l.updates.Lock()
	defer l.updates.Unlock()
	p, _ := l.page(j.Key)
	p = p.onto(j.Text)
	seen := p.seen.carried(keptLines(j.Text, j.after, j.plan.Edits), false)
	for i, h := range j.plan.Hunks {
		around := 0
		if i == 0 {
			around = snippetAround
		}
		seen = append(seen, span{max(1, h.StartLine-around), min(j.after.Lines(), h.EndLine+around)})
	}
	if whole {
		seen = append(seen, span{1, j.after.Lines()})
	}
	p.text, p.seen = j.after, seen.joined()
	l.put(j.Key, p.onto(now))
}

// renamed takes in that a text has another name now.
func (l *ledger) renamed(from, to paths.Key) {
	l.updates.Lock()
	defer l.updates.Unlock()
	if p, ok := l.page(from); ok {
		l.put(to, p)
		l.forget(from)
	}
}

// forget takes in that nobody knows how the text reads now, or that it is gone.
func (l *ledger) forget(key paths.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(key)
}

// onto returns the page as the agent's knowledge of t, to which the text has
// come without its knowing: it goes on believing in the numbers that it saw, so
// only lines that kept theirs are still known.
func (p page) onto(t text.Text) page {
	if p.text.Equal(t) {
		return p
	}
	if len(p.seen) == 0 {
		return page{text: t, lost: p.lost}
	}
	seen := p.seen.carried(keptSince(p.text, t), true)
	return page{text: t, seen: seen, lost: p.lost || seen.count() < p.seen.count()}
}

// put makes p the newest page.
func (l *ledger) put(key paths.Key, p page) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(key)
	if l.pages == nil {
		l.pages = map[paths.Key]page{}
	}
	l.pages[key] = p
	l.order = append(l.order, key)
	bytes := 0
	for i, k := range slices.Backward(l.order) {
		bytes += l.pages[k].text.Len()
		if i < len(l.order)-1 && (bytes > ledgerBytes || len(l.order)-i > ledgerTexts) {
			for _, old := range slices.Clone(l.order[:i+1]) {
				l.remove(old)
			}
			return
		}
	}
}

// remove needs the lock.
func (l *ledger) remove(key paths.Key) {
	if _, ok := l.pages[key]; ok {
		delete(l.pages, key)
		l.order = slices.DeleteFunc(l.order, func(k paths.Key) bool { return k == key })
	}
}
