package lines

import (
	"cmp"
	"slices"
)

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
