// Package chance provides the random numbers of the tests of all layers, so that all of
// them are repeated in the same way. Only tests, and packages made for tests, import it.
package chance

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Seed returns the seed of a test's random numbers, and logs it. It is that of [First].
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	seed, _ := first(tb)
	tb.Logf("PATCHLS_SEED=%d", seed)
	return seed
}

// First returns the seed of the first case of a test that has one seed for each case, and
// logs it. If PATCHLS_SEED is set, it is that seed, and only is true: no other case is run.
// Otherwise it is PATCHLS_FIRST_SEED, where "random" stands for any, or 1: a test does the
// same each time, unless it is told not to.
func First(tb testing.TB) (seed uint64, only bool) {
	tb.Helper()
	seed, only = first(tb)
	tb.Logf("PATCHLS_FIRST_SEED=%d", seed)
	return seed, only
}

func first(tb testing.TB) (seed uint64, only bool) {
	tb.Helper()
	if os.Getenv("PATCHLS_SEED") != "" {
		return Number(tb, "PATCHLS_SEED", 0), true
	}
	if os.Getenv("PATCHLS_FIRST_SEED") == "random" {
		return rand.Uint64(), false
	}
	return Number(tb, "PATCHLS_FIRST_SEED", 1), false
}

// Cases returns how many cases a random test has: the number in an environment variable, or else n.
// "go test -short" runs a tenth of n.
func Cases(tb testing.TB, name string, n uint64) uint64 {
	tb.Helper()
	if testing.Short() {
		n = max(1, n/10)
	}
	return Number(tb, name, n)
}

// Sample returns the cases of a test: all of them, or with "go test -short" each tenth.
func Sample[T any](cases []T) (some []T) {
	for i, c := range cases {
		if !testing.Short() || i%10 == 0 {
			some = append(some, c)
		}
	}
	return some
}

// Long leaves a test that takes seconds of processor out of "go test -short", which is run after each change.
func Long(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("takes seconds of processor")
	}
}

// Number returns the number that an environment variable says, or the other one.
func Number(tb testing.TB, name string, otherwise uint64) uint64 {
	tb.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return n
}
