package main

import (
	"slices"
	"testing"
	"time"
)

// at is a stretch of time, in milliseconds.
func at(from, to int) stretch {
	return stretch{from: time.UnixMilli(int64(from)), to: time.UnixMilli(int64(to))}
}

// TestUndisturbed: a stall excludes the commands that wait during it and behind those, and no others.
func TestUndisturbed(t *testing.T) {
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

// TestBursts: slow commands that overlap are one burst, and of a stall counts what lies within it, once.
func TestBursts(t *testing.T) {
	commands := []stretch{at(90, 130), at(0, 3), at(10, 50), at(45, 80), at(60, 61)}
	stalls := []stretch{at(5, 15), at(40, 50), at(45, 55), at(70, 95), at(200, 300)}
	got := bursts(commands, 20*time.Millisecond, stalls)
	want := []burst{
		{stretch: at(10, 80), slow: 2, worst: 40 * time.Millisecond, away: 30 * time.Millisecond},
		{stretch: at(90, 130), slow: 1, worst: 40 * time.Millisecond, away: 5 * time.Millisecond},
	}
	if !slices.Equal(got, want) {
		t.Errorf("bursts %v, want %v", got, want)
	}
}
