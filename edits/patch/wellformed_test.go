package patch_test

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestWellFormed reads diffs made by a grammar as go-diff reads them. All of them are
// well-formed, but go-diff may take a deleted "-- x" or "-- " for a header.
func TestWellFormed(t *testing.T) {
	rng := chance.Rand(t)
	for range 3000 {
		written := wellFormedDiff(rng)
		if !readAlike(t, written) && !likeHeader.MatchString(written) {
			t.Fatalf("%q is not read by go-diff", written)
		}
	}
}

// FuzzWellFormed is TestWellFormed for diffs in which a few bytes may be others.
func FuzzWellFormed(f *testing.F) {
	f.Add(uint64(1), uint(0), uint8(0), "")
	f.Add(uint64(2), uint(40), uint8(1), "\r")
	f.Add(uint64(3), uint(160), uint8(0), "\n\\ No newline at end of file")
	f.Add(uint64(4), uint(120), uint8(3), "\n--- a\n+++ a\n@@ -1 +1 @@\n")
	f.Fuzz(func(t *testing.T, seed uint64, at uint, gone uint8, put string) {
		written := wellFormedDiff(rand.New(rand.NewPCG(seed, 0)))
		from := int(at % uint(len(written)))
		to := min(len(written), from+int(gone))
		readAlike(t, written[:from]+put+written[to:])
	})
}

// readAlike reports whether go-diff can read a diff. If it can, the reader of this package must read
// it in the same way.
func readAlike(t *testing.T, written string) (ok bool) {
	t.Helper()
	got, ok, want, err := patch.ReadTwice(written)
	if ok && (err != nil || !reflect.DeepEqual(got, want)) {
		t.Fatalf("%q\nis read by go-diff as\n%s\nand else as\n%s", written, dump(got, nil), dump(want, err))
	}
	return ok
}

var (
	likeHeader  = regexp.MustCompile(`\n--- (x|\r?\n)`)
	gitHeaders  = regexp.MustCompile(`(?m)^(diff --git|index) .*\n`)
	nameHeaders = regexp.MustCompile(`(?m)^(---|\+{3}) (a/|b/|/dev/null).*$`)
	ranges1     = regexp.MustCompile(`(?m)^(@@ -\d+)(?:,1)( \+\d+)(?:,1)( @@)`)
)

// wellFormedDiff makes a diff as git prints it, or another program.
func wellFormedDiff(rng *rand.Rand) string {
	var p printer
	p.unified(unifiedPatch(rng))
	written := p.b.String()
	if rng.IntN(2) == 0 {
		written = ranges1.ReplaceAllString(written, "$1$2$3")
	}
	if rng.IntN(4) == 0 && !strings.Contains(written, " mode ") && !strings.Contains(written, "\nrename ") {
		written = gitHeaders.ReplaceAllString(written, "")
		written = nameHeaders.ReplaceAllString(written, "$0\t2002-02-21 23:30:39.942229878 -0800")
	}
	return written
}
