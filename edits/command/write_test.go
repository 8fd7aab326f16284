package command

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestWriteElided wants a write to be refused if and only if elidedText, which reads
// all of both texts, finds something left out.
func TestWriteElided(t *testing.T) {
	seed := chance.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	random := func() string {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString([]string{"", "\t", "  "}[rng.IntN(3)])
			b.WriteString([]string{
				"a", "b", "c", "d", "def f():", "# say", "", "...", "# ...", "// ... existing code ...", "# unchanged", "x\r# unchanged", "---",
			}[rng.IntN(13)])
			b.WriteString([]string{"\n", "\n", "\r\n"}[rng.IntN(3)])
		}
		return b.String() + []string{"", "", "// rest of the code"}[rng.IntN(3)]
	}
	refused := 0
	for range 5000 {
		old, want := random(), random()
		if rng.IntN(2) == 0 { // most of it stays
			at := rng.IntN(len(old) + 1)
			at = strings.LastIndexByte(old[:at], '\n') + 1
			want = old[:at] + random() + old[at:]
		}
		_, err := Write{Content: want}.Plan(edits.Source{Path: "a", Text: text.New(old)})
		_, elided := elision.Find(func() string { return "" }, old, want)
		e := &edits.Error{}
		if errors.As(err, &e) && e.Kind == edits.Placeholder {
			refused++
		}
		if got := e.Kind == edits.Placeholder; got != (elided && old != "") {
			t.Fatalf("seed %d: write of %q over %q: %v, elided is %v", seed, want, old, err, elided)
		}
	}
	if refused == 0 {
		t.Error("no write was refused")
	}
}
