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

// exchanged returns before with the lines of the hunks as they are in after, byte order
// marks apart.
func exchanged(before, after text.Text, hunks []edits.Hunk) string {
	lines := func(t text.Text) []string { return strings.SplitAfter(strings.TrimPrefix(t.String(), text.BOM), "\n") }
	was, is := lines(before), lines(after)
	var b strings.Builder
	at, grown := 0, 0 // lines of before
	for _, h := range hunks {
		from := h.StartLine - 1 - grown
		b.WriteString(strings.Join(was[at:from], ""))
		b.WriteString(strings.Join(is[h.StartLine-1:h.StartLine-1+h.NewLines], ""))
		at, grown = from+h.OldLines, grown+h.NewLines-h.OldLines
	}
	return b.String() + strings.Join(was[at:], "")
}

// TestHunksOfEdits holds the hunks of edits to the lines of both texts: with the lines of the
// hunks exchanged, one is the other.
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
		if len(es) > 0 && es[0].Start < len(text.BOM) && (HasBOM(before) || HasBOM(es.Apply(before))) {
			continue // no command reaches into a byte order mark
		}
		after := es.Apply(before)
		hunks := Hunks(es, before, after)
		if got := exchanged(before, after, hunks); got != strings.TrimPrefix(after.String(), text.BOM) {
			t.Fatalf("seed %d: %+v of %q are the hunks %+v, which give %q", seed, es, s, hunks, got)
		}
		numbers := HunkNumbers(PlanOf(before, es), before)
		for i, n := range numbers {
			from := hunks[n-1].StartLine - 1 // in before
			for _, h := range hunks[:n-1] {
				from -= h.NewLines - h.OldLines
			}
			if first, last := before.LineAt(es[i].Start), before.LineAt(es[i].End); first < from || last > from+hunks[n-1].OldLines {
				t.Fatalf("seed %d: %+v of %q is not of hunk %d of %+v", seed, es[i], s, n, hunks)
			}
		}
		if len(slices.Compact(slices.Clone(numbers))) != len(hunks) {
			t.Fatalf("seed %d: %+v of %q are of the hunks %v, not of all of %+v", seed, es, s, numbers, hunks)
		}
	}
}
