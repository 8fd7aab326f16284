package diff

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// hunksBetween is [Hunks] by the lines of both texts.
func hunksBetween(es edits.Edits, before, after text.Text) []edits.Hunk {
	var hs []edits.Hunk
	shift := 0
	for i := 0; i < len(es); {
		first := i
		delta := 0
		for ; i < len(es) && (i == first || before.LineAt(es[i].Start) == before.LineAt(es[i-1].End)); i++ {
			delta += len(es[i].New) - (es[i].End - es[i].Start)
		}
		hs = append(hs, hunkOf(before, after, es[first].Start, es[i-1].End, shift, delta, edits.Exact))
		shift += delta
	}
	return hs
}

// TestHunksOfEdits holds the hunks that follow from the text before the edits to
// those that both texts show.
func TestHunksOfEdits(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	some := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString([]string{"\n", "\n", "\r\n", "x = 1", "y", " ", "\r", text.BOM}[r.IntN(7+r.IntN(2))])
		}
		return b.String()
	}
	for range 20_000 {
		s := some(r.IntN(1 << r.IntN(7)))
		if r.IntN(4) == 0 {
			s = text.BOM + s
		}
		var es edits.Edits
		for at := r.IntN(len(s) + 1); at <= len(s); at += 1 + r.IntN(1<<r.IntN(6)) {
			e := edits.Edit{Start: at, End: min(len(s), at+r.IntN(1<<r.IntN(5))), New: some(r.IntN(3))}
			if e.Start < e.End || e.New != "" {
				es = append(es, e)
				at = e.End
			}
		}
		before := text.New(s)
		got, want := Hunks(es, before), hunksBetween(es, before, es.Apply(before))
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %+v of %q are the hunks %+v, not %+v", seed, es, s, got, want)
		}
		if len(es) > 0 && es[0].Start < len(text.BOM) && (HasBOM(before) || HasBOM(es.Apply(before))) {
			continue // no command reaches into a byte order mark
		}
		var of []int
		for i, n := 0, 0; i < len(es); i++ {
			if i == 0 || before.LineAt(es[i].Start) != before.LineAt(es[i-1].End) {
				n++
			}
			of = append(of, n)
		}
		if numbers := HunkNumbers(PlanOf(before, es), before); !slices.Equal(numbers, of) {
			t.Fatalf("seed %d: %+v of %q are of the hunks %v, not %v", seed, es, s, numbers, of)
		}
	}
}

// hunkOf widens [start,end) to whole lines. In after the range begins shift bytes
// later and is delta bytes longer.
func hunkOf(before, after text.Text, start, end, shift, delta int, tier edits.Tier) edits.Hunk {
	first := before.LineAt(start)
	from := min(before.LineStart(first), start)
	whole := func(t text.Text, off int) bool {
		return off == t.LineStart(t.LineAt(off))
	}
	if start != from || !whole(before, end) || !whole(after, end+shift+delta) {
		if last := before.LineAt(end); last < before.Lines() {
			end = before.Line(last).Next
		}
	}
	lines := func(t text.Text, start, end int) int {
		if start >= end {
			return 0
		}
		return t.LineAt(end-1) - t.LineAt(start) + 1
	}
	h := edits.Hunk{
		StartLine: after.LineAt(from+shift) + 1,
		OldLines:  lines(before, from, end),
		NewLines:  lines(after, from+shift, end+shift+delta),
		Match:     tier,
	}
	h.EndLine = h.StartLine + h.NewLines - 1
	return h
}
