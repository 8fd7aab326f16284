package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/text"
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

// TestAllWaysKeepTheSameText holds the peers written here, and the sessions, to one text.
func TestAllWaysKeepTheSameText(t *testing.T) {
	for _, s := range []session{madeUp().part(1 << 30), scattered("wide", wide(4*kilobyte), 500), scattered("line", oneLine(4*kilobyte), 500)} {
		for name, b := range map[string]buffer{us: opened(s.start, true), lineArray: newLines(s.start), rebuild: &rebuilt{s: []byte(s.start)}} {
			if name == rebuild && len(s.changes) > 1000 {
				continue // a minute
			}
			if _, err := replay(s, b); err != nil {
				t.Errorf("%s of %s: %v", name, s.name, err)
			}
		}
	}
	s := session{name: "wrong", end: "b", changes: []change{{text.Position{}, text.Position{}, "a"}}}
	if _, err := replay(s, opened("", false)); err == nil {
		t.Error("another text at the end was not noticed")
	}
}
