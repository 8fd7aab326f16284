package lists_test

import (
	"slices"
	"strconv"
	"strings"
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

func TestCount(t *testing.T) {
	if got := lists.Count([]string{"a", "", "b"}, func(s string) bool { return s != "" }); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}

func TestFilterMap(t *testing.T) {
	odd := func(n int) (string, bool) { return strconv.Itoa(n), n%2 == 1 }
	if got := lists.FilterMap([]int{3, 2, 1}, odd); !slices.Equal(got, []string{"3", "1"}) {
		t.Errorf("got %q", got)
	}
	if got := lists.FilterMap([]int{2}, odd); got == nil || len(got) != 0 {
		t.Errorf("got %#v of none, want an empty list", got)
	}
}

func TestFlatMap(t *testing.T) {
	if got := lists.FlatMap([]string{"a b", "", "c"}, strings.Fields); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %q", got)
	}
}

func TestUnique(t *testing.T) {
	if got := lists.Unique([]int{3, 1, 3, 2, 1}); !slices.Equal(got, []int{3, 1, 2}) {
		t.Errorf("got %v", got)
	}
}
