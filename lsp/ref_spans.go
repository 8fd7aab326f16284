package lsp

import (
	"cmp"
	"slices"
)

// span is a run of lines, from 1 and inclusive; one whose to is before its from
// holds none.
type span struct{ from, to int }

// spans are runs of lines that are sorted, not empty, and do not touch.
type spans []span

// with returns the lines of both.
func (s spans) with(more span) spans { return append(slices.Clip(s), more).joined() }

// joined returns runs that were put together in any order as spans.
func (s spans) joined() spans {
	all := slices.Clone(s)
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := all[:0]
	for _, r := range all {
		switch n := len(out); {
		case r.to < r.from:
		case n > 0 && r.from <= out[n-1].to+1:
			out[n-1].to = max(out[n-1].to, r.to)
		default:
			out = append(out, r)
		}
	}
	return out
}

// holds reports whether all lines of [from,to] are in s.
func (s spans) holds(from, to int) bool {
	return slices.ContainsFunc(s, func(r span) bool { return r.from <= from && to <= r.to })
}

// count is the number of lines in s.
func (s spans) count() int {
	n := 0
	for _, r := range s {
		n += r.to - r.from + 1
	}
	return n
}

// carried returns where the lines of s have gone, those alone that stay where
// they are if inPlace. runs are sorted.
func (s spans) carried(runs []lineRun, inPlace bool) spans {
	var out spans
	for i := 0; len(s) > 0 && i < len(runs); {
		r := runs[i]
		from, to := max(s[0].from, r.old), min(s[0].to, r.old+r.n-1)
		if from <= to && (!inPlace || r.old == r.new) {
			out = append(out, span{from + r.new - r.old, to + r.new - r.old})
		}
		if s[0].to < r.old+r.n {
			s = s[1:]
		} else {
			i++
		}
	}
	return out.joined()
}
