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

func TestHunks(t *testing.T) {
	const old = "a\nb\nc\nd\n"
	for name, test := range map[string]struct {
		edits edits.Edits
		want  [][4]int // first and last line, old lines, new lines
	}{
		"a line changed, lines put in above it":     {edits.Edits{{Start: 2, End: 2, New: "x\n"}, {Start: 3, End: 3, New: "y"}}, [][4]int{{2, 3, 1, 2}}},
		"a line changed, lines put in below it":     {edits.Edits{{Start: 2, End: 3, New: "y"}, {Start: 4, End: 4, New: "x\n"}}, [][4]int{{2, 3, 1, 2}}},
		"a line changed, the one above removed":     {edits.Edits{{Start: 0, End: 2}, {Start: 3, End: 3, New: "y"}}, [][4]int{{1, 1, 2, 1}}},
		"a line changed, the one below removed":     {edits.Edits{{Start: 0, End: 1, New: "x"}, {Start: 2, End: 4}}, [][4]int{{1, 1, 2, 1}}},
		"two lines changed":                         {edits.Edits{{Start: 0, End: 1, New: "x"}, {Start: 2, End: 3, New: "y"}}, [][4]int{{1, 2, 2, 2}}},
		"a line between them stays":                 {edits.Edits{{Start: 0, End: 1, New: "x"}, {Start: 4, End: 5, New: "y"}}, [][4]int{{1, 1, 1, 1}, {3, 3, 1, 1}}},
		"a line stays, lines are put in at its end": {edits.Edits{{Start: 0, End: 1, New: "x"}, {Start: 3, End: 3, New: "\ny"}}, [][4]int{{1, 1, 1, 1}, {2, 3, 1, 2}}},
	} {
		before := text.New(old)
		var got [][4]int
		for _, h := range Hunks(test.edits, before, test.edits.Apply(before)) {
			got = append(got, [4]int{h.StartLine, h.EndLine, h.OldLines, h.NewLines})
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// TestHunksOfEdits checks the hunks of edits against both texts: replacing the lines of
// the hunks turns one text into the other.
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
		if len(es) > 0 && es[0].Start < len(text.BOM) && (before.BOM()+es.Apply(before).BOM() > 0) {
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
