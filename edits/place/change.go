package place

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/reindent"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// changes returns the changes that a hunk makes at line at, from 0: one for each run of deleted and added lines, so that
// context is never rewritten. It returns false if the fold that found the hunk is too wide to derive the new lines.
func (t *target) changes(h *hunk, at int) ([]draft.LineChange, bool) {
	var a *adapter // nil if new lines are written as they were sent
	if h.fold.Trailing && h.tier != edits.TrailingSpace {
		a = t.newAdapter(h, at)
	}
	ends := meansEnds(t.src.Text, h, at)
	var out []draft.LineChange
	var made []string // the new side of the hunk, if lines are adapted
	for i, line, above := 0, at, 0; i < len(h.Lines); {
		if h.Lines[i].Kind == patch.KeptLine {
			if a != nil {
				made = append(made, a.there[line-at])
			}
			i, line, above = i+1, line+1, above+1
			continue
		}
		var old, put, putEnds []string
		for ; i < len(h.Lines) && h.Lines[i].Kind != patch.KeptLine; i++ {
			switch l := h.Lines[i]; {
			case l.Kind == patch.DeletedLine:
				old = append(old, l.Text)
			case l.CR:
				put, putEnds = append(put, l.Text), append(putEnds, "\r\n")
			default:
				put, putEnds = append(put, l.Text), append(putEnds, "\n")
			}
		}
		c := draft.LineChange{From: line, To: line + len(old), Lines: put}
		if a != nil {
			var ok bool
			if c.Lines, ok = a.adapt(old, put, line-at, above); !ok {
				return nil, false
			}
		}
		if ends {
			c.Ends = putEnds
		}
		line, above = c.To, above+len(put)
		out = append(out, c)
		made = append(made, c.Lines...)
	}
	if a != nil && h.fold.Indent && len(made) == len(h.put) && !a.keepsOrder(made) {
		return nil, false
	}
	if n := len(out); n > 0 && h.tail == 0 {
		switch {
		case h.NewOpen && !h.OldOpen:
			out[n-1].End = draft.NoFinalEnd
		case h.OldOpen && !h.NewOpen:
			out[n-1].End = draft.WithFinalEnd
		}
	}
	return out, true
}

// meansEnds reports whether the patch determines the line ends of its new lines: it shows more than
// one kind or the text is empty, and the old lines have the line ends that the patch shows.
func meansEnds(t text.Text, h *hunk, at int) bool {
	if !h.Ends {
		return false
	}
	mixed, line := t.Lines() == 0, at // an empty text has no line ends to take over
	for _, l := range h.Lines {
		mixed = mixed || l.CR != h.Lines[0].CR
		if l.Kind == patch.AddedLine {
			continue
		}
		there := t.Line(line)
		if end := t.Slice(there.End, there.Next); end != "" && (end == "\r\n") != l.CR {
			return false
		}
		line++
	}
	return mixed
}

// adapter adapts the new lines of a hunk to the text at its place.
type adapter struct {
	h         *hunk
	there     []string      // the lines of the text where the old ones stand
	indents   *reindent.Map // nil if the indentations contradict each other
	continues []bool        // for each new line, whether it continues the one above
}

// newAdapter returns the adapter of a hunk that stands at line at.
func (t *target) newAdapter(h *hunk, at int) *adapter {
	a := &adapter{h: h, there: t.src.LinesAt(at, len(h.old))}
	if h.fold.Indent {
		pairs, gone := a.pairs()
		if t.unit == "" {
			t.unit, t.other = reindent.Unit(diff.Contents(t.before), "")
		}
		a.indents = reindent.Learn(pairs, gone, t.unit, t.other, h.put)
		a.continues = reindent.Continued(h.put)
	}
	return a
}

// adapt returns put, which replaces old, as it is to read in the text. oldAbove and newAbove are
// how many lines of the hunk's old and new side are above them.
func (a *adapter) adapt(old, put []string, oldAbove, newAbove int) ([]string, bool) {
	f := a.h.fold
	switch {
	case len(old) == 0 && !f.Indent, len(put) == 0 && !f.Unicode:
		return put, true
	case f.Indent && a.indents == nil:
		return nil, len(put) == 0
	}
	there := a.there[oldAbove : oldAbove+len(old)]
	tr := reindent.NewTransplant(strings.Join(old, "\n"), strings.Join(put, "\n"), f)
	if f.Indent {
		tr.Map, tr.Continues = a.indents, a.continues[newAbove:]
	}
	want, ok := tr.Carry(strings.Join(there, "\n"))
	if !ok || len(put) == 0 {
		return nil, ok
	}
	stays := make(map[string]bool, len(there))
	for _, l := range there {
		stays[l] = true
	}
	lines := strings.Split(want, "\n")
	for i, l := range lines { // blanks at the ends of lines that stay are the text's
		if i < len(put) && !stays[l] {
			lines[i] = strings.TrimRight(l, " \t") + put[i][len(strings.TrimRight(put[i], " \t")):]
		}
	}
	return lines, true
}

// keepsOrder reports whether each line that the hunk puts in is deeper than the lines above and below it, as deep or less
// deep, as it was sent. made is the new side of the hunk in the text. The first line tells nothing unless it opens a block,
// since it may have been sent without its indentation, nor does a line that continues a statement.
func (a *adapter) keepsOrder(made []string) bool {
	above, stayed, i := -1, false, -1
	for _, l := range a.h.Lines {
		if l.Kind == patch.DeletedLine {
			continue
		}
		i++
		stays := l.Kind == patch.KeptLine
		_, core, _ := text.CutBlanks(l.Text)
		if core == "" || l.Elided || a.continues[i] || i == 0 && !strings.HasSuffix(core, ":") && !strings.HasSuffix(core, "{") {
			continue
		}
		deeper := func(of []string) int { return cmp.Compare(match.IndentWidth(of[i]), match.IndentWidth(of[above])) }
		if above >= 0 && !(stays && stayed) && deeper(made) != deeper(a.h.put) {
			return false
		}
		above, stayed = i, stays
	}
	return true
}

// pairs returns the indentations of the old lines, as sent and as the text has them. The first
// gone pairs are of deleted lines, the others of context.
func (a *adapter) pairs() (pairs []reindent.Pair, gone int) {
	var context []reindent.Pair
	continues, k := reindent.Continued(a.h.old), 0
	for _, l := range a.h.Lines {
		if l.Kind == patch.AddedLine {
			continue
		}
		sent, core, _ := text.CutBlanks(l.Text)
		found, _, _ := text.CutBlanks(a.there[k])
		pair := reindent.Pair{Sent: sent, Found: found, Continues: continues[k], First: k == 0}
		k++
		switch {
		case core == "" || l.Elided:
		case l.Kind == patch.DeletedLine:
			pairs = append(pairs, pair)
		default:
			context = append(context, pair)
		}
		// What stands beside a dash is as deep as the words after it.
		if rest, isItem := strings.CutPrefix(core, "- "); isItem && !l.Elided {
			beside := strings.Repeat(" ", 2+elision.IndentOf(rest))
			context = append(context, reindent.Pair{Sent: sent + beside, Found: found + beside, Continues: continues[k-1], Beside: true})
		}
	}
	return append(pairs, context...), len(pairs)
}

// changesOf returns the changes of the hunks that have a place, in order.
func changesOf(hunks []*hunk) (changes []draft.LineChange) {
	for _, h := range hunks {
		if h.state == Placed {
			changes = append(changes, h.changes...)
		}
	}
	slices.SortStableFunc(changes, draft.CompareChanges)
	return changes
}

// growth returns by how many lines changes make a text longer.
func growth(changes []draft.LineChange) int {
	return lists.Sum(changes, func(c draft.LineChange) int { return len(c.Lines) - (c.To - c.From) })
}

// owned is a change, or the lines of one, with its hunk.
type owned struct {
	draft.LineChange
	by *hunk
}

func (c owned) compare(d owned) int { return draft.CompareChanges(c.LineChange, d.LineChange) }

// separate unplaces the later one of two hunks whose changes overlap, or which add the same lines
// at one place. It may still have a place in the text that the other hunk makes, unless it has
// only a line number: the number says nothing about lines that another hunk has made.
func (p *placer) separate() {
	all := lists.FlatMap(p.hunks, func(h *hunk) []owned {
		return lists.Map(h.changes, func(c draft.LineChange) owned { return owned{c, h} })
	})
	slices.SortStableFunc(all, owned.compare)
	for apart := false; !apart; {
		apart = true
		added := map[string]bool{}
		reach := owned{LineChange: draft.LineChange{To: -1}} // the change that ends furthest down
		all = slices.DeleteFunc(all, func(c owned) bool { return c.by.state != Placed })
		for _, c := range all {
			later, again := c.by, false
			if c.From == c.To && len(c.by.old) > 0 {
				key := fmt.Sprint(c.From, c.by.Lines)
				again, added[key] = added[key], true
			}
			if again || c.From < reach.To && c.by != reach.by {
				if !again && reach.by.number > later.number {
					later = reach.by
				}
				apart, later.state = false, Unplaced
				if len(later.old) == 0 && later.Numbered {
					later.fail(*later.elsewhere(edits.Overlapping, later.places, "where another hunk changes lines: a line may be changed by one hunk only; send them as one"))
				}
			}
			if c.To > reach.To {
				reach = c
			}
		}
	}
}

// fail records that the changes of the hunk cannot be made at any place.
func (h *hunk) fail(e edits.Error) {
	e.Hunk = h.number
	h.state, h.failed = Unplaced, &e
	h.reason = func() *edits.Error { return &e }
}

// unsettle unplaces those of the others whose lines h changes, or which change lines of h. The
// place of h was not known when theirs were chosen.
func (h *hunk) unsettle(others []*hunk) {
	for _, o := range others {
		if h.state != Placed || o.state != Placed || len(o.changes) == 0 {
			continue
		}
		from, to := o.changes[0].From-o.head, o.changes[len(o.changes)-1].To+o.tail
		if changesAny(h.changes, from, to) || changesAny(o.changes, h.at, h.at+len(h.old)) {
			o.state = Unplaced
		}
	}
}

// changesAny reports whether any change touches the lines [from,to) or is next to them.
func changesAny(changes []draft.LineChange, from, to int) bool {
	return slices.ContainsFunc(changes, func(c draft.LineChange) bool { return c.From <= to && c.To >= from })
}

// move shifts the changes of hunks by those in made, which are in order and were made.
func move(hunks []*hunk, made []draft.LineChange) {
	grown := make([]int, len(made)+1) // lines that the changes before each one add
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

// above returns how many of the changes, which are in order, are above a line; insertions at it count.
func above(changes []draft.LineChange, line int) int {
	return sort.Search(len(changes), func(i int) bool {
		return changes[i].From > line || changes[i].From == line && changes[i].To > line
	})
}
