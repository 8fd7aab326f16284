package hostile

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
)

const (
	// usualCases is how many cases a hunt plays, unless its game or PATCHLS_HOSTILE says otherwise.
	usualCases = 200
	shrinking  = 20 * time.Second
)

// Game is a kind of hostile peer with the checks that must hold whatever the peer does.
type Game struct {
	Kind   string // a folder of the corpus
	Corpus string // the folder testdata/corpus, as seen from the test
	Cases  int    // of a hunt; 0 stands for the usual number
	Draw   func(d *Dice) []Step
	// Play returns what did not hold. It may be called any number of times.
	Play func(t *testing.T, steps []Step) error
}

// Hunt plays random cases, the same each time. A failing case is shortened, reported, and
// stored in the corpus, where [Game.Replay] runs it from then on. PATCHLS_SEED chooses
// other cases, and with PATCHLS_HOSTILE, such as 60s, it plays until that time is up.
func (g Game) Hunt(t *testing.T) {
	t.Helper()
	dice, count, began := ByChance(chance.Seed(t)), 0, time.Now()
	cases := 0
	most, end := g.bounds(t, began)
	for ; cases < most && time.Now().Before(end); cases++ {
		steps := g.Draw(dice)
		count += len(steps)
		if err := g.Play(t, steps); err != nil {
			g.report(t, steps, err)
			return
		}
	}
	t.Logf("hostile %s: %d cases, %d steps, %.1f s", g.Kind, cases, count, time.Since(began).Seconds())
}

// report prints a case that failed, as short as it can be made, and keeps it.
func (g Game) report(t *testing.T, steps []Step, err error) {
	t.Helper()
	small := Shrink(steps, func(less []Step) bool { return g.Play(t, less) != nil }, shrinking)
	if again := g.Play(t, small); again != nil {
		err = again
	}
	text := Print(small)
	name := filepath.Join(g.Corpus, g.Kind, fmt.Sprintf("found-%d.txt", time.Now().UnixNano()))
	kept := os.MkdirAll(filepath.Dir(name), 0o750)
	if kept == nil {
		kept = os.WriteFile(name, []byte(text), 0o600)
	}
	if kept != nil {
		name = kept.Error()
	}
	t.Errorf("%v\n%s\nkept: %s", err, text, name)
}

// Replay plays the cases of the corpus.
func (g Game) Replay(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(g.Corpus, g.Kind, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases of the kind %s: %v", g.Kind, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := Parse(string(raw))
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Play(t, steps); err != nil {
				t.Error(err)
			}
		})
	}
}

// Fuzz has a fuzzer load the dice.
func (g Game) Fuzz(f *testing.F) {
	f.Helper()
	f.Add([]byte{})
	for seed := range 8 {
		data := make([]byte, 400)
		for i, d := 0, ByChance(uint64(seed)); i < len(data); i++ {
			data[i] = byte(d.Int(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4<<10 {
			t.Skip("longer than a case can be")
		}
		steps := g.Draw(Loaded(data))
		if err := g.Play(t, steps); err != nil {
			t.Errorf("%v\n%s", err, Print(steps))
		}
	})
}

// Shrink leaves out steps, and repetitions of those that are left, as long as it fails
// without them and until the time is up.
func Shrink(steps []Step, fails func([]Step) bool, bound time.Duration) []Step {
	end := time.Now().Add(bound)
	for chunk := (len(steps) + 1) / 2; chunk > 0; {
		smaller := false
		for at := 0; at < len(steps) && time.Now().Before(end); {
			less := slices.Delete(slices.Clone(steps), at, min(len(steps), at+chunk))
			if len(less) > 0 && fails(less) {
				steps, smaller = less, true
				continue
			}
			at += chunk
		}
		if chunk == 1 && !smaller || time.Now().After(end) {
			break
		}
		chunk = max(1, chunk/2)
	}
	for i := range steps {
		once := slices.Clone(steps)
		if once[i].Times = 0; steps[i].Times > 1 && fails(once) {
			steps = once
		}
	}
	return steps
}

// bounds returns after how many cases a hunt ends, and when.
func (g Game) bounds(t *testing.T, began time.Time) (cases int, end time.Time) {
	t.Helper()
	s := os.Getenv("PATCHLS_HOSTILE")
	if s == "" {
		cases = cmp.Or(g.Cases, usualCases)
		if testing.Short() {
			cases = (cases + 9) / 10
		}
		return cases, began.Add(24 * time.Hour)
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatalf("PATCHLS_HOSTILE: %v", err)
	}
	return math.MaxInt, began.Add(d)
}
