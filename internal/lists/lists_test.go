package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/patchls/patchls/internal/lists"
)

func TestMap(t *testing.T) {
	if got := lists.Map([]int{3, 1}, strconv.Itoa); !slices.Equal(got, []string{"3", "1"}) {
		t.Errorf("got %q", got)
	}
	if got := lists.Map(nil, strconv.Itoa); got == nil || len(got) != 0 {
		t.Errorf("got %#v of none, want an empty list", got)
	}
}

func TestSum(t *testing.T) {
	if got := lists.Sum([]string{"a", "bc"}, func(s string) int { return len(s) }); got != 3 {
		t.Errorf("got %d, want 3", got)
	}
}
