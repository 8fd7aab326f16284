package lsp_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// faultStride is the distance between two points that are tried, unless all are.
const faultStride = 23

// faultTable counts the points of each kind.
type faultTable struct {
	t                            *testing.T
	stride, at                   int
	rows                         []string
	points, lost, allowed, never int
}

// run tries the points of a kind, of which there are n.
func (tab *faultTable) run(group, name string, n int, allowed bool, try func(n int) (fired bool, failed []string)) {
	points, lost, never := 0, 0, 0
	for i := range n {
		if tab.at++; tab.at%tab.stride != 0 {
			continue
		}
		points++
		fired, failed := try(i)
		if !fired {
			never++
		}
		if len(failed) == 0 {
			continue
		}
		lost++
		if !allowed {
			tab.t.Errorf("%s %s, at %d: %s", group, name, i, strings.Join(failed, "\n"))
		}
	}
	tab.points, tab.never = tab.points+points, tab.never+never
	note := ""
	if allowed {
		tab.allowed += lost
		note = " (allowed for)"
	} else {
		tab.lost += lost
	}
	tab.rows = append(tab.rows, fmt.Sprintf("%-10s  %-36s %6d %6d%s", group, name, points, lost, note))
}

func (tab *faultTable) print() {
	tab.t.Logf("%-10s  %-36s %6s %6s\n%s", "fault", "", "points", "lost", strings.Join(tab.rows, "\n"))
	tab.t.Logf("%d points, %d lost, %d lost and allowed for, %d not reached", tab.points, tab.lost, tab.allowed, tab.never)
}

func newFaultTable(t *testing.T) *faultTable {
	t.Helper()
	tab := &faultTable{t: t, stride: faultStride}
	if os.Getenv("PATCHLS_FAULTS") == "all" {
		tab.stride = 1
	}
	if testing.Short() {
		tab.stride *= 10
	}
	t.Cleanup(tab.print)
	return tab
}

// TestFaultsOfTheEditor runs the session once for each kind of fault and each message at
// which it can be. PATCHLS_FAULTS=all tries every one.
func TestFaultsOfTheEditor(t *testing.T) {
	tab := newFaultTable(t)
	r, failed := suffered(t, nil, nil, nil)
	if len(failed) > 0 {
		t.Fatal(strings.Join(failed, "\n"))
	}
	for _, kind := range faultKinds {
		tab.run(kind.group, kind.name, r.wire.seen[kind.class], kind.blind, func(n int) (bool, []string) {
			r, failed := suffered(t, &fault{kind, n}, nil, nil)
			return r.wire.hasFired(), failed
		})
	}
}

// TestFaultsFoundBefore repeats what was lost once: a save that waited for ever for an
// editor which took nothing, an edit that was made and said not to be, and one that came
// as a deletion and an insertion, in two didChanges, and was undone without the deletion.
func TestFaultsFoundBefore(t *testing.T) {
	for name, places := range map[string][]int{"taking nothing from the server": {2}, "merged with the next": {46, 47, 48}, "split": {5, 47}, "an error": {6, 7, 8}, "a no to what is done": {4, 6, 7}} {
		kind := faultKinds[slices.IndexFunc(faultKinds, func(k faultKind) bool { return k.name == name })]
		for _, n := range places {
			if _, failed := suffered(t, &fault{kind, n}, nil, nil); len(failed) > 0 {
				t.Errorf("%s, at %d: %s", name, n, strings.Join(failed, "\n"))
			}
		}
	}
}
