// Package chance is where the tests of every layer have their random numbers from, so
// that all are repeated in the same way. Nothing but tests, and what is made for them,
// imports it.
package chance

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Seed returns what a test's random numbers begin with, and has its log say so. It is
// that of [First].
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	seed, _ := First(tb)
	tb.Logf("PATCHLS_SEED=%d", seed)
	return seed
}

// First returns the seed of the first case of a test whose cases have one each. only
// says that it is one which failed, from PATCHLS_SEED, and the only one to be tried.
// Else it is PATCHLS_FIRST_SEED, by which CI tries the same each time, or without that
// another one each time.
func First(tb testing.TB) (seed uint64, only bool) {
	tb.Helper()
	if os.Getenv("PATCHLS_SEED") != "" {
		return Number(tb, "PATCHLS_SEED", 0), true
	}
	return Number(tb, "PATCHLS_FIRST_SEED", rand.Uint64()), false
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
