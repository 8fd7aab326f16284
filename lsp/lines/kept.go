package lines

import (
	"sort"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// run says that the n lines of a text from line old stand in another from
// line new on; lines are from 1.
type run struct{ old, new, n int }

// keptLines returns the lines of before that stand unchanged in after, which is
// before with es applied, in order.
func keptLines(before, after text.Text, es edits.Edits) []run {
	var runs []run
	at, shift := 0, 0 // where the bytes that stay begin, and how far they moved
	for i := 0; i <= len(es); i++ {
		end := before.Len()
		if i < len(es) {
			end = es[i].Start
		}
		if r, ok := runWithin(before, after, at, end, shift); ok {
			// An empty line beside one that came in can be either of the two.
			if n := len(runs); n > 0 && r.old < runs[n-1].old+runs[n-1].n {
				r = run{r.old + 1, r.new + 1, r.n - 1}
			}
			if r.n > 0 {
				runs = append(runs, r)
			}
		}
		if i < len(es) {
			at = es[i].End
			shift += len(es[i].New) - (es[i].End - es[i].Start)
		}
	}
	return runs
}

// runWithin returns the lines whose content lies in the bytes [from,to) of
// before, which stand shift further on in after. The first and the last of them
// may go on in after, and then they are not the same.
func runWithin(before, after text.Text, from, to, shift int) (run, bool) {
	n := before.Lines()
	first := sort.Search(n, func(i int) bool { return before.Line(i).Start >= from })
	last := sort.Search(n, func(i int) bool { return before.Line(i).End > to }) - 1
	same := func(i int) (int, bool) {
		l := before.Line(i)
		k := after.LineAt(l.Start + shift)
		if k >= after.Lines() {
			return 0, false
		}
		m := after.Line(k)
		return k, m.Start == l.Start+shift && m.End == l.End+shift
	}
	for ; first <= last; first++ {
		if k, ok := same(first); ok {
			for ; last > first; last-- {
				if _, ok := same(last); ok {
					break
				}
			}
			return run{first + 1, k + 1, last - first + 1}, true
		}
	}
	return run{}, false
}

// keptSince returns the lines of before that stand in after, however it came to
// be, by a line diff. Kinds of line ends do not count.
func keptSince(before, after text.Text) []run {
	whole := func(t text.Text) string { return text.Plain(t.Slice(0, t.Len())) } // String would live as long as t
	a, b := text.New(whole(before)), text.New(whole(after))
	es := diff.Rewrite(a, 0, a.Len(), b.String())
	if !becomes(es, a.String(), b.String()) {
		return nil // nothing can be said, so nothing is
	}
	return keptLines(a, b, es)
}

// becomes reports whether before with es applied, which are in order, is after.
func becomes(es edits.Edits, before, after string) bool {
	at := 0
	for _, e := range es {
		for _, piece := range []string{before[at:e.Start], e.New} {
			rest, ok := strings.CutPrefix(after, piece)
			if !ok {
				return false
			}
			after = rest
		}
		at = e.End
	}
	return before[at:] == after
}

// after returns where the lines [from,to] have gone, in one piece.
func after(runs []run, from, to int) (int, bool) {
	i := sort.Search(len(runs), func(i int) bool { return runs[i].old+runs[i].n > from })
	if i == len(runs) || from < runs[i].old || to >= runs[i].old+runs[i].n {
		return 0, false
	}
	return from + runs[i].new - runs[i].old, true
}
