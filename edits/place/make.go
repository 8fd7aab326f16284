package place

import (
	"fmt"
	"slices"
	"sort"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
)

// changesOf returns the changes of those hunks that have a place, in order.
func changesOf(hunks []*hunk) (changes []draft.LineChange) {
	for _, h := range hunks {
		if h.state == hunkPlaced {
			changes = append(changes, h.changes...)
		}
	}
	draft.SortChanges(changes)
	return changes
}

// growth returns by how many lines changes make a text longer.
func growth(changes []draft.LineChange) (grown int) {
	for _, c := range changes {
		grown += len(c.Lines) - (c.To - c.From)
	}
	return grown
}

// separate takes the place of the later one of two hunks whose changes meet, or that add the
// same lines at one place. It may have one in what the other makes, unless it has a number
// alone: of what is made there the number says nothing.
func (p *placer) separate() {
	type owned struct {
		draft.LineChange
		by *hunk
	}
	var all []owned
	for _, h := range p.hunks {
		if h.state == hunkPlaced {
			for _, c := range h.changes {
				all = append(all, owned{c, h})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b owned) int { return draft.CompareChanges(a.LineChange, b.LineChange) })
	for apart := false; !apart; {
		apart = true
		added := map[string]bool{}
		reach := owned{LineChange: draft.LineChange{To: -1}} // the change that goes furthest
		all = slices.DeleteFunc(all, func(c owned) bool { return c.by.state != hunkPlaced })
		for _, c := range all {
			later := c.by
			again := false
			if c.From == c.To && len(c.by.old) > 0 && c.by.inserts() {
				key := fmt.Sprint(c.From, c.by.Lines)
				again, added[key] = added[key], true
			}
			if again || c.From < reach.To && c.by != reach.by {
				if !again && reach.by.number > later.number {
					later = reach.by
				}
				apart, later.state = false, hunkPending
				if len(later.old) == 0 && later.Numbered {
					later.fail(*failure{later.in, later}.meets())
				}
			}
			if c.To > reach.To {
				reach = c
			}
		}
	}
}

// fail says that the changes of a hunk cannot be made, wherever it stands.
func (h *hunk) fail(e edits.Error) {
	e.Hunk = h.number
	h.state, h.failed = hunkPending, &e
	h.reason = func() *edits.Error { return &e }
}

// unsettle takes the places of hunks among whose lines another one changes some, or which
// change some among its own. It was not known when they were chosen.
func (h *hunk) unsettle(others []*hunk) {
	for _, o := range others {
		if h.state != hunkPlaced || o.state != hunkPlaced {
			continue
		}
		from, to := o.changes[0].From-o.head, o.changes[len(o.changes)-1].To+o.tail
		if changesAny(h.changes, from, to) || changesAny(o.changes, h.at, h.at+len(h.old)) {
			o.state = hunkPending
		}
	}
}

// changesAny reports whether there is a change among the lines [from,to), or beside them.
func changesAny(changes []draft.LineChange, from, to int) bool {
	return slices.ContainsFunc(changes, func(c draft.LineChange) bool { return c.From <= to && c.To >= from })
}

// move brings the changes of hunks up to date with others, which are in order, do not meet
// them, and were made.
func move(hunks []*hunk, made []draft.LineChange) {
	grown := make([]int, len(made)+1) // by the changes before each
	for i, c := range made {
		grown[i+1] = grown[i] + len(c.Lines) - (c.To - c.From)
	}
	for _, h := range hunks {
		for k := range h.changes {
			c := &h.changes[k]
			by := grown[above(made, c.From)]
			c.From, c.To = c.From+by, c.To+by
		}
	}
}

// above returns how many of some changes are above a line; what is put in there is.
func above(changes []draft.LineChange, line int) int {
	return sort.Search(len(changes), func(i int) bool {
		return changes[i].From > line || changes[i].From == line && changes[i].To > line
	})
}
