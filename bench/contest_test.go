package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestContestantsTakeTurns(t *testing.T) {
	var order []string
	run := func(name string) func() (float64, error) {
		return func() (float64, error) { order = append(order, name); return float64(len(order)), nil }
	}
	got, err := contest(4, contestant{name: "a", run: run("a")}, contestant{name: "b", run: run("b")}, contestant{name: "slow", run: run("slow"), rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	if want := "a b slow b a slow a b a b"; strings.Join(order, " ") != want {
		t.Errorf("the order is %q, want %q", strings.Join(order, " "), want)
	}
	if want := (series{3, 6}); !slices.Equal(got["slow"], want) {
		t.Errorf("slow has %v, want %v", got["slow"], want)
	}
	broken := errors.New("broken")
	if _, err := contest(1, contestant{name: "c", run: func() (float64, error) { return 0, broken }}); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}
