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

// The limits of a ledger. It drops the texts that were shown longest ago first.
const (
	maxTexts = 200
	maxBytes = 256 << 20
)

// Ledger remembers, for one agent, each text as the agent last saw or made it, and
// which lines of the text the agent knows. The agent's line numbers can refer only to
// these lines. A Ledger is safe for concurrent use, and the zero value is empty.
type Ledger struct {
	updates sync.Mutex // held while a page is made, which may take a diff

	mu    sync.Mutex // guards pages; held only briefly
	pages []Page     // the text that was shown longest ago first
}

// Page is what an agent knows of one text.
type Page struct {
	key   paths.Key
	Text  text.Text
	Lines Spans // lines that the agent was shown or has written, by their numbers in Text
	// Stale: since the agent was last shown the text, lines that it knew have moved or
	// vanished without its knowledge, so they are no longer in Lines.
	Stale bool
}

// Page returns what the agent knows of a text; ok is false if it knows nothing.
func (l *Ledger) Page(key paths.Key) (p Page, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.pages, func(p Page) bool { return p.key == key })
	if i < 0 {
		return Page{}, false
	}
	return l.pages[i], true
}

// Showed records that the agent was shown the lines [from,to] of t with their
// numbers.
func (l *Ledger) Showed(key paths.Key, t text.Text, from, to int) {
	l.updates.Lock()
	defer l.updates.Unlock()
	p, _ := l.Page(key)
	p = p.onto(t)
	p.Lines, p.Stale = append(slices.Clip(p.Lines), Span{from, to}).Joined(), false
	l.put(key, p)
}

// Edited records an edit of the agent's own that turned before into after. The agent knows the
// lines that it wrote, the lines that the answer shows, and how far the edit moved the others.
// whole: the agent sent the whole text.
func (l *Ledger) Edited(key paths.Key, before, after text.Text, plan edits.Plan, whole bool) {
	l.updates.Lock()
	defer l.updates.Unlock()
	p, _ := l.Page(key)
	p = p.onto(before)
	seen := p.Lines.carried(keptLines(before, after, plan.Edits), false)
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
	p.Text, p.Lines = after, seen.Joined()
	l.put(key, p)
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

// onto returns what the agent still knows now that the text has become t without its
// knowledge. The agent relies on the numbers that it saw, so it knows only the lines
// that have kept their numbers.
func (p Page) onto(t text.Text) Page {
	if p.Text.Equal(t) {
		return p
	}
	if len(p.Lines) == 0 {
		return Page{Text: t, Stale: p.Stale}
	}
	seen := p.Lines.carried(Since(p.Text, t).runs, true)
	return Page{Text: t, Lines: seen, Stale: p.Stale || !slices.Equal(seen, p.Lines)}
}

// put stores p as the newest page, and drops the oldest pages if the limits are exceeded.
func (l *Ledger) put(key paths.Key, p Page) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.key = key
	l.pages = append(slices.DeleteFunc(l.pages, func(p Page) bool { return p.key == key }), p)
	bytes := 0
	for i, page := range slices.Backward(l.pages) {
		bytes += page.Text.Len()
		if i < len(l.pages)-1 && (bytes > maxBytes || len(l.pages)-i > maxTexts) {
			l.pages = slices.Delete(l.pages, 0, i+1)
			return
		}
	}
}

// Span is a run of lines, counted from 1 and inclusive. A span whose To is before its
// From is empty.
type Span struct{ From, To int }

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

// Holds reports whether all lines of [from,to] are in s.
func (s Spans) Holds(from, to int) bool {
	return slices.ContainsFunc(s, func(r Span) bool { return r.From <= from && to <= r.To })
}

// carried returns where the lines of s are now. With inPlace it returns only the
// lines that have kept their numbers. runs must be sorted.
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

// The limits of what answers and errors show of a text.
const (
	SnippetAround = 4  // lines on either side of a hunk
	MaxSnippet    = 60 // lines of a hunk
)

// Snippet returns the first hunk in the new text, with the lines around it, numbered.
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
