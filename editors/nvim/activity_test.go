package nvim_test

import (
	"encoding/json"
	"testing"
)

// The server is told of the mode and the place, in its own columns, and not of every key.
func TestActivity(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "😀 one two\n"}, options{args: []string{"a.txt"}, init: "vim.o.updatetime = 400"}, newest)
	s.opened("a.txt")
	type place struct{ Line, Character int }
	type activity struct {
		URI    string
		Mode   string
		IdleMS int `json:"idle_ms"`
		Range  struct{ Start, End place }
	}
	until := func(what string, is func(activity) bool) {
		t.Helper()
		for {
			var a activity
			if err := json.Unmarshal(s.next("patchls/activity").Params, &a); err != nil {
				t.Fatal(err)
			}
			if a.URI != s.uri("a.txt") {
				t.Errorf("it is about %s", a.URI)
			}
			if is(a) {
				return
			}
		}
	}
	s.keys("wwvb")
	until("a selection", func(a activity) bool {
		return a.Mode == "v" && a.Range.Start == place{0, 3} && a.Range.End == place{0, 8}
	})
	s.keys("<Esc>i")
	until("an insertion", func(a activity) bool {
		return a.Mode == "i" && a.Range.Start == place{0, 3} && a.Range.End == place{0, 3}
	})
	until("a pause", func(a activity) bool { return a.Mode == "i" && a.IdleMS == 400 })
	s.order = nil
	for range 5 {
		s.keys("x<Esc>i")
	}
	until("a pause", func(a activity) bool { return a.Mode == "i" && a.IdleMS == 400 })
	told := 0
	for _, method := range s.order {
		if method == "patchls/activity" {
			told++
		}
	}
	if told >= 10 {
		t.Errorf("it was told %d times of 10 changes of the mode within a second", told)
	}
}
