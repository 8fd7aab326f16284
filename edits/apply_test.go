package edits_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// A few edits of a large text are made in its tree, many by copying it; both give the
// same, and neither changes the text before.
func TestApplyFewAndMany(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	before := strings.Repeat("some text\r\nof two lines\n", 10_000)
	src := text.New(before)
	for _, n := range []int{1, 2, 7, 50, 3_000} {
		var es edits.Edits
		var want strings.Builder
		at := 0
		for range n {
			start := at + 1 + r.IntN(2*(len(before)-at)/(n+1)/3+1)
			end := start + r.IntN(9)
			e := edits.Edit{Start: start, End: end, New: strings.Repeat("x\n", 1+r.IntN(3))}
			if end >= len(before) {
				break
			}
			want.WriteString(before[at:start] + e.New)
			es, at = append(es, e), end
		}
		want.WriteString(before[at:])
		if got := es.Apply(src).String(); got != want.String() {
			t.Errorf("%d edits give another text", n)
		}
	}
	if src.String() != before {
		t.Error("the text itself was changed")
	}
}
