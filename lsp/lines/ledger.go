package lines

import (
	"cmp"
	"slices"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/workspace/paths"
)

// The limits of a ledger. It drops the texts that were shown longest ago first.
const (
	maxTexts   = 200
	maxBytes   = 256 << 20
	maxPast    = 16 // earlier texts of a page
	maxPastLen = 4 << 20
	maxDropped = 10_000 // names of texts that were dropped
)

// Ledger remembers, for one agent, what it knows of each text. A Ledger is safe for concurrent use,
// and the zero value is empty.
type Ledger struct {
	updates sync.Mutex // held while a page is made, which may take a diff
	shared  bool       // see Share

	mu      sync.Mutex // guards what follows; held only briefly
	pages   []Page     // the text that the agent met longest ago first
	dropped map[paths.Key]bool
}

// Page is what an agent knows of one text.
type Page struct {
	key paths.Key

	// Base is the text as the agent knows it.
	Base

	// Numbers are the lines of At whose numbers the agent knows. At is the text when the agent last met it.
	At      text.Text
	Past    []text.Text // what At was before, the oldest first
	Numbers Spans
	// Unread: the agent has seen nothing of the text, unless in errors.
	Unread bool
	// Moved: lines whose numbers the agent knew have moved or vanished without its knowledge, so their
	// numbers are no longer in Numbers.
	Moved bool
	// told: an error may have shown the agent, or one that shares the ledger, any number of At, also one not in Numbers.
	told bool

	// Of a shared ledger: what was seen at each meeting, the newest last, and the numbers by which one of the agents may mean
	// a line that has another number, or is gone.
	meetings []Base
	disputed Spans
}

// Meeting is one occasion on which an agent sees lines of a text.
type Meeting struct {
	Text  text.Text
	Shown Spans // the lines that the agent was shown with their numbers
	Whole bool  // each of them in full, however long it is
	ends  bool  // and sees where the text ends: no line that the agent knows is below
}

// read returns the lines that the agent was shown in full.
func (m Meeting) read() (read Spans) {
	if m.Whole {
		return m.Shown.Joined()
	}
	for _, s := range m.Shown {
		for i := s.From; i <= s.To; i++ {
			if _, whole := edits.ShownLine(m.Text, i); whole {
				read = append(read, Span{i, i})
			}
		}
	}
	return read.Joined()
}

// Page returns what the agent knows of a text; ok is false if it has never met the text.
func (l *Ledger) Page(key paths.Key) (p Page, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.pages, func(p Page) bool { return p.key == key })
	if i < 0 {
		return Page{Unread: true}, false
	}
	return l.pages[i], true
}

// Met returns the only text with that rev that the agent has met lately. A file that no editor has open has no other history.
func (p Page) Met(rev string) (was text.Text, ok bool) {
	for _, t := range append(slices.Clip(p.Past), p.At) {
		switch {
		case !text.IsHash(t.Hash(), rev):
		case ok && !t.Equal(was):
			return text.Text{}, false
		default:
			was, ok = t, true
		}
	}
	return was, ok
}

// Showed records that the agent was shown lines of a text.
func (l *Ledger) Showed(key paths.Key, m Meeting) {
	m.ends = true // views say how many lines there are
	l.update(key, m, Base{m.Text, m.read()}, func(p Page) Page {
		p = p.numbered(m.Text)
		if p.Base = p.met(m.Text, m.read()); m.Text.Lines() == 0 {
			p.Base = All(m.Text)
		}
		return p
	})
}

// Edited records an edit of the agent's own, which turned before into the text of m. The agent knows how far the
// edit moved the lines and, unless the edit took another one back, the lines that it wrote.
func (l *Ledger) Edited(key paths.Key, before text.Text, plan edits.Plan, m Meeting, takesBack bool) {
	var own Spans
	if !takesBack {
		own = lists.Map(plan.Hunks, linesOf)
	}
	m.ends = len(plan.Hunks) > 0 && plan.Hunks[0].EndLine+page.SnippetAround > m.Text.Lines()
	seen := slices.Concat(m.read(), own).Joined()
	l.update(key, m, Base{m.Text, seen}, func(p Page) Page {
		p = p.numbered(before)
		kept := keptLines(before, m.Text, plan.Edits)
		p.Numbers = append(p.Numbers.carried(kept), own...)
		p.disputed = slices.Concat(p.disputed, p.disputed.carried(kept)).Joined()
		p.Base = p.wrote(before, m.Text, plan.Hunks, !takesBack).met(m.Text, seen)
		return p
	})
}

// Wrote records that the agent sent a whole text, which became the text of m.
func (l *Ledger) Wrote(key paths.Key, content string, m Meeting) {
	sent := All(text.New(content))
	base := sent.met(m.Text, m.read())
	seen, end := splice{base: base}, base.Text.Lines() // what was sent, and below that what the answer shows
	for _, at := range m.read() {
		seen.put(Span{end + 1, end}, m.Text, at, true)
	}
	l.update(key, m, seen.result(), func(Page) Page { return Page{At: sent.Text, Numbers: sent.Seen, Base: base}.numbered(m.Text) })
}

// Refused records that the agent was refused, with err, which may show it lines of now. Which text the numbers
// in its next command are of is not known then, so only those that are the same in both texts are.
func (l *Ledger) Refused(key paths.Key, now text.Text, err error) {
	l.updates.Lock()
	defer l.updates.Unlock()
	p, met := l.Page(key)
	if !met {
		p.At, p.Numbers, p.Base = now, All(now).Seen, Base{Text: now}
	}
	was, then := p, p.numbered(now)
	switch {
	case p.At.Equal(now):
		p.told = true
	case l.shared:
		p = then
		p.told, p.Moved = true, true
	default:
		p.Numbers, p.Moved = then.Numbers, true
	}
	l.put(key, l.share(was, p, Base{now, shownBy(err, now)}))
}

// update replaces the page of a text by what change makes of it when the agent meets the text, and has seen or written lines.
func (l *Ledger) update(key paths.Key, m Meeting, seen Base, change func(Page) Page) {
	l.updates.Lock()
	defer l.updates.Unlock()
	was, met := l.Page(key)
	p := was
	if met && p.Unread {
		p.Numbers = nil // an error showed them, or none
	}
	p = change(p)
	p.At, p.Unread, p.Numbers = m.Text, false, slices.Concat(p.Numbers, m.Shown).Joined()
	p.Moved = p.Moved && !(m.ends && p.Numbers.Holds(1, m.Text.Lines()))
	l.put(key, l.share(was, p, seen))
}

// Renamed records that a text has a new name.
func (l *Ledger) Renamed(from, to paths.Key) {
	l.updates.Lock()
	defer l.updates.Unlock()
	if p, ok := l.Page(from); ok {
		l.put(to, p)
		l.Forget(from)
	}
}

// Forget records that a text no longer exists, or that its content is not known any more.
func (l *Ledger) Forget(key paths.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pages = slices.DeleteFunc(l.pages, func(p Page) bool { return p.key == key })
}

// Dropped reports whether the page of a text was dropped because of the limits. It does so once.
func (l *Ledger) Dropped(key paths.Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.dropped[key]
	delete(l.dropped, key)
	return was
}

// numbered returns p now that the text has become t without the agent's knowledge. The agent relies on the numbers that it
// saw, so it knows those of the lines that have kept their numbers, and are not beside a change: of equal lines there, any may
// be the one that was kept.
func (p Page) numbered(t text.Text) Page {
	if p.At.Equal(t) {
		return p
	}
	runs := lists.FilterMap(Since(p.At, t).runs, func(r run) (run, bool) {
		above, below := min(1, r.old-1), min(1, p.At.Lines()+1-r.old-r.n)
		return run{r.old + above, r.new + above, r.n - above - below}, r.old == r.new
	})
	kept := p.Numbers.carried(runs)
	if p.told {
		p.Numbers = All(p.At).Seen
	}
	p.disputed = slices.Concat(p.disputed, p.Numbers.without(p.Numbers.carried(runs))).Joined()
	p.At, p.Numbers, p.Moved, p.told = t, kept, p.Moved || !slices.Equal(kept, p.Numbers), p.told && len(p.meetings) > 0
	return p
}

// put stores p as the newest page, and drops the oldest pages if the limits are exceeded.
func (l *Ledger) put(key paths.Key, p Page) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.key = key
	if i := slices.IndexFunc(l.pages, func(p Page) bool { return p.key == key }); i >= 0 {
		if p.Past = l.pages[i].Past; !l.pages[i].At.Equal(p.At) {
			p.Past = append(slices.Clone(p.Past), l.pages[i].At)
		}
		for lists.Sum(p.Past, text.Text.Len) > maxPastLen || len(p.Past) > maxPast {
			p.Past = p.Past[1:]
		}
	}
	l.pages = append(slices.DeleteFunc(l.pages, func(p Page) bool { return p.key == key }), p)
	if !p.Unread {
		delete(l.dropped, key)
	}
	bytes := 0
	for i, page := range slices.Backward(l.pages) {
		bytes += page.At.Len() + lists.Sum(page.Past, text.Text.Len)
		if i < len(l.pages)-1 && (bytes > maxBytes || len(l.pages)-i > maxTexts) {
			l.drop(i + 1)
			return
		}
	}
}

// Drop drops all pages.
func (l *Ledger) Drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(len(l.pages))
}

// drop drops the n oldest pages. It needs the lock.
func (l *Ledger) drop(n int) {
	if l.dropped == nil || len(l.dropped) > maxDropped {
		l.dropped = map[paths.Key]bool{}
	}
	for _, p := range l.pages[:n] {
		l.dropped[p.key] = true
	}
	l.pages = slices.Delete(l.pages, 0, n)
}

// Span is a run of lines, counted from 1 and inclusive. A span whose To is before its From is empty.
type Span struct{ From, To int }

// linesOf returns the lines of a hunk in the new text.
func linesOf(h edits.Hunk) Span { return Span{h.StartLine, h.EndLine} }

// Spans are runs of lines that are sorted, not empty, and do not touch.
type Spans []Span

// Joined sorts and merges spans that may be in any order, empty, or overlapping.
func (s Spans) Joined() Spans {
	all := slices.Clone(s)
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	out := all[:0]
	for _, r := range all {
		switch n := len(out); {
		case r.To < r.From:
		case n > 0 && r.From <= out[n-1].To+1:
			out[n-1].To = max(out[n-1].To, r.To)
		default:
			out = append(out, r)
		}
	}
	return out
}

// meets reports whether a line of [from,to] is in s.
func (s Spans) meets(from, to int) bool {
	return slices.ContainsFunc(s, func(r Span) bool { return r.From <= to && from <= r.To })
}

// Holds reports whether all lines of [from,to] are in s.
func (s Spans) Holds(from, to int) bool {
	return slices.ContainsFunc(s, func(r Span) bool { return r.From <= from && to <= r.To })
}

// carried returns where the lines of s are now. runs must be sorted.
func (s Spans) carried(runs []run) Spans {
	var out Spans
	for i := 0; len(s) > 0 && i < len(runs); {
		r := runs[i]
		from, to := max(s[0].From, r.old), min(s[0].To, r.old+r.n-1)
		if from <= to {
			out = append(out, Span{from + r.new - r.old, to + r.new - r.old})
		}
		if s[0].To < r.old+r.n {
			s = s[1:]
		} else {
			i++
		}
	}
	return out.Joined()
}
