package lines

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/paths"
)

// What a ledger keeps at most; the texts that were shown longest ago go first.
const (
	maxTexts = 200
	maxBytes = 256 << 20
)

// Ledger remembers, for one agent, each text as it was last
// shown to it or made by it, and which of its lines the agent knows: those are
// the lines that its line numbers can be about. It is safe for concurrent use, and the zero value is empty.
type Ledger struct {
	updates sync.Mutex // held while a page is made, which may take a diff

	mu    sync.Mutex // guards the rest, for no longer than a look
	pages map[paths.Key]Page
	order []paths.Key // the one that was shown longest ago first
}

// Page is what an agent knows of one text.
type Page struct {
	Text text.Text
	Seen Spans // lines that it was shown or has written, by their numbers in text
	// Lost: since it last looked, lines that it knew have moved or gone without
	// its knowing, so that they are in seen no longer.
	Lost bool
}

// Page returns what the agent knows of a text, ok is false if nothing.
func (l *Ledger) Page(key paths.Key) (p Page, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok = l.pages[key]
	return p, ok
}

// Showed records that the lines [from,to] of t were shown, and with them their
// numbers.
func (l *Ledger) Showed(key paths.Key, t text.Text, from, to int) {
	l.updates.Lock()
	defer l.updates.Unlock()
	p, _ := l.Page(key)
	p = p.onto(t)
	p.Seen, p.Lost = p.Seen.with(Span{from, to}), false
	l.put(key, p)
}

// Edited records an edit of the agent's own, by which before became after: it knows what it
// wrote, what its result shows, and how far that moved the rest. whole: it sent the whole
// text.
func (l *Ledger) Edited(key paths.Key, before, after text.Text, plan edits.Plan, whole bool) {
	l.updates.Lock()
	defer l.updates.Unlock()
	p, _ := l.Page(key)
	p = p.onto(before)
	seen := p.Seen.carried(keptLines(before, after, plan.Edits), false)
	for i, h := range plan.Hunks {
		around := 0
		if i == 0 {
			around = SnippetAround
		}
		seen = append(seen, Span{max(1, h.StartLine-around), min(after.Lines(), h.EndLine+around)})
	}
	if whole {
		seen = append(seen, Span{1, after.Lines()})
	}
	p.Text, p.Seen = after, seen.Joined()
	l.put(key, p)
}

// Renamed records that a text has another name now.
func (l *Ledger) Renamed(from, to paths.Key) {
	l.updates.Lock()
	defer l.updates.Unlock()
	if p, ok := l.Page(from); ok {
		l.put(to, p)
		l.Forget(from)
	}
}

// Forget records that the text is gone, or that it is not known how it reads now.
func (l *Ledger) Forget(key paths.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(key)
}

// onto returns the page as the agent's knowledge of t, to which the text has
// come without its knowing: it goes on believing in the numbers that it saw, so
// only lines that kept theirs are still known.
func (p Page) onto(t text.Text) Page {
	if p.Text.Equal(t) {
		return p
	}
	if len(p.Seen) == 0 {
		return Page{Text: t, Lost: p.Lost}
	}
	seen := p.Seen.carried(keptSince(p.Text, t), true)
	return Page{Text: t, Seen: seen, Lost: p.Lost || seen.count() < p.Seen.count()}
}

// put makes p the newest page.
func (l *Ledger) put(key paths.Key, p Page) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(key)
	if l.pages == nil {
		l.pages = map[paths.Key]Page{}
	}
	l.pages[key] = p
	l.order = append(l.order, key)
	bytes := 0
	for i, k := range slices.Backward(l.order) {
		bytes += l.pages[k].Text.Len()
		if i < len(l.order)-1 && (bytes > maxBytes || len(l.order)-i > maxTexts) {
			for _, old := range slices.Clone(l.order[:i+1]) {
				l.remove(old)
			}
			return
		}
	}
}

// remove needs the lock.
func (l *Ledger) remove(key paths.Key) {
	if _, ok := l.pages[key]; ok {
		delete(l.pages, key)
		l.order = slices.DeleteFunc(l.order, func(k paths.Key) bool { return k == key })
	}
}

// Span is a run of lines, from 1 and inclusive; one whose To is before its From
// holds none.
type Span struct{ From, To int }

// Spans are runs of lines that are sorted, not empty, and do not touch.
type Spans []Span

// with returns the lines of both.
func (s Spans) with(more Span) Spans { return append(slices.Clip(s), more).Joined() }

// Joined returns runs that were put together in any order as spans.
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

// Holds reports whether all lines of [from,to] are in s.
func (s Spans) Holds(from, to int) bool {
	return slices.ContainsFunc(s, func(r Span) bool { return r.From <= from && to <= r.To })
}

// count is the number of lines in s.
func (s Spans) count() int {
	n := 0
	for _, r := range s {
		n += r.To - r.From + 1
	}
	return n
}

// carried returns where the lines of s have gone, those alone that stay where
// they are if inPlace. runs are sorted.
func (s Spans) carried(runs []run, inPlace bool) Spans {
	var out Spans
	for i := 0; len(s) > 0 && i < len(runs); {
		r := runs[i]
		from, to := max(s[0].From, r.old), min(s[0].To, r.old+r.n-1)
		if from <= to && (!inPlace || r.old == r.new) {
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

// What answers and errors show of a text.
const (
	SnippetAround = 4  // lines on either side of a hunk
	MaxSnippet    = 60 // lines of a hunk
)

// Snippet shows the first hunk in the new text, with the lines around it, numbered.
func Snippet(t text.Text, hunks []edits.Hunk) string {
	if len(hunks) == 0 || t.Lines() == 0 {
		return ""
	}
	h := hunks[0]
	from := max(1, h.StartLine-SnippetAround)
	last := min(t.Lines(), h.EndLine+SnippetAround)
	if most := h.StartLine + MaxSnippet - 1; h.EndLine > most {
		return edits.Numbered(t, from, most) + fmt.Sprintf("\n   ... %d more", last-most)
	}
	return edits.Numbered(t, from, last)
}
