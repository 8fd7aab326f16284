package main

import (
	"testing"
	"time"
)

// TestUndisturbed: a stall spoils what waits in it and behind it, and nothing else.
func TestUndisturbed(t *testing.T) {
	at := func(from, to int) stretch {
		return stretch{time.Unix(0, 0).Add(time.Duration(from) * time.Millisecond), time.Unix(0, 0).Add(time.Duration(to) * time.Millisecond)}
	}
	for name, c := range map[string]struct {
		commands, stalls []stretch
		want             int
	}{
		"no stall":                       {[]stretch{at(0, 4), at(2, 9)}, nil, 2},
		"one within":                     {[]stretch{at(0, 20)}, []stretch{at(5, 9)}, 0},
		"one behind which others waited": {[]stretch{at(0, 20), at(15, 30), at(25, 40), at(41, 44)}, []stretch{at(5, 9)}, 1},
		"one between two commands":       {[]stretch{at(0, 4), at(10, 14)}, []stretch{at(5, 9)}, 2},
		"one in which a command came":    {[]stretch{at(0, 4), at(8, 14)}, []stretch{at(5, 9)}, 1},
		"in no order":                    {[]stretch{at(41, 44), at(25, 40), at(0, 20), at(15, 30)}, []stretch{at(42, 43)}, 3},
	} {
		if got := undisturbed(c.commands, c.stalls); len(got) != c.want {
			t.Errorf("%s: %d of %d commands are undisturbed, and not %d", name, len(got), len(c.commands), c.want)
		}
	}
}
