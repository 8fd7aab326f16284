package lines

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// The limits of the meetings with one text that a shared ledger remembers. It forgets the oldest first.
const (
	maxMeetings     = 64 // bits of a word, see BaseOf
	maxMeetingBytes = 16 << 20
)

// Share says that several agents that cannot be told apart may use l, such as the sub-agents of a program. What one of
// them was shown, another one may not know. Therefore
//
//   - an agent that sends a whole text is taken to have seen only what the lines of that text prove, see [Page.BaseOf],
//   - a number that has been that of different lines, other than by an edit of the agents, counts as unknown.
func (l *Ledger) Share() {
	l.updates.Lock()
	defer l.updates.Unlock()
	l.shared = true
}

// share returns p, what an agent knows of a text now that it has seen lines of it, as what agents that share a ledger
// know. was is what they knew before.
func (l *Ledger) share(was, p Page, seen Base) Page {
	if !l.shared {
		return p
	}
	isIt := func(b Base) bool { return b.Text.Equal(seen.Text) && slices.Equal(b.Seen, seen.Seen) }
	if p.meetings = slices.DeleteFunc(slices.Clone(was.meetings), isIt); len(seen.Seen) > 0 {
		p.meetings = append(p.meetings, seen)
	}
	for i, bytes := len(p.meetings)-1, 0; i > 0; i-- {
		if bytes += p.meetings[i].Text.Len(); bytes > maxMeetingBytes || len(p.meetings)-i == maxMeetings {
			p.meetings = p.meetings[i:]
			break
		}
	}
	p.Numbers, p.Moved = p.Numbers.without(p.disputed), p.Moved || len(p.disputed) > 0
	return p
}

// BaseOf returns the text on which content is based. Of agents that share the ledger, the one that sends content has
// surely seen a line that was seen each time, and one without which another line that content has was never seen.
func (p Page) BaseOf(content string) Base {
	if len(p.meetings) == 0 {
		return p.Base
	}
	at, ever := map[string]uint64{}, map[string]uint64{} // the meetings at which a line was seen, at since it was not there
	for i, m := range p.meetings {
		there := maps.Collect(All(m.Text).rows())
		maps.DeleteFunc(at, func(row string, _ uint64) bool { return there[row] == 0 })
		for row := range m.rows() {
			at[row] |= 1 << i
			ever[row] |= 1 << i
		}
	}
	sent := []uint64{1<<len(p.meetings) - 1} // it was at one of them
	for row := range All(text.New(content)).rows() {
		if ever[row] != 0 {
			sent = append(sent, ever[row])
		}
	}
	sent = slices.Compact(slices.Sorted(slices.Values(sent)))
	b := Base{Text: p.Text}
	for row, i := range p.rows() {
		if slices.ContainsFunc(sent, func(met uint64) bool { return met&^at[row] == 0 }) {
			b.Seen = append(b.Seen, Span{i, i})
		}
	}
	b.Seen = b.Seen.Joined()
	return b
}

// rows returns the lines that the agent has seen, without the blanks around them, with their numbers.
func (b Base) rows() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, s := range b.Seen {
			for i := s.From; i <= s.To; i++ {
				if !yield(strings.TrimSpace(text.Plain(b.Text.Slice(b.Text.LineStart(i-1), b.Text.LineStart(i)))), i) {
					return
				}
			}
		}
	}
}

// shownBy returns the lines of t that an error shows with their numbers.
func shownBy(err error, t text.Text) (all Spans) {
	if e, ok := errors.AsType[*edits.Error](err); ok {
		for row := range strings.SplitSeq(e.Snippet, "\n") {
			number, _, _ := strings.Cut(row, "\t")
			if n, _ := strconv.Atoi(strings.TrimSpace(number)); 0 < n && n <= t.Lines() && row == edits.Numbered(t, n, n) {
				all = append(all, Span{n, n})
			}
		}
	}
	return all.Joined()
}

// without returns the lines of s that are not in others.
func (s Spans) without(others Spans) (left Spans) {
	for _, r := range s {
		for _, o := range others {
			if o.From <= r.To && r.From <= o.To {
				left = append(left, Span{r.From, o.From - 1})
				r.From = o.To + 1
			}
		}
		left = append(left, r)
	}
	return left.Joined()
}
