//go:build linux

package main

import (
	"testing"

	"github.com/patchls/patchls/internal/testkit/modelapi"
)

// A call is made again where patchls run had the file, some times at most, and nowhere else.
func TestACallIsMadeAgain(t *testing.T) {
	busy := modelapi.Answer{Text: "EAGAIN: resource temporarily unavailable", Failed: true}
	for _, c := range []struct {
		name string
		run  bool
		is   modelapi.Answer
		asks int // how often the call is made
	}{
		{"under patchls run", true, busy, 1 + maxRetries},
		{"beside it", false, busy, 1},
		{"another failure", true, modelapi.Answer{Text: "no such file", Failed: true}, 1},
		{"a text with that word", true, modelapi.Answer{Text: busy.Text}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &model{act: act{script: []step{{tool: "Edit"}}, own: true, run: c.run}, answers: map[int]modelapi.Answer{}, again: map[int]int{}}
			asked, asks := modelapi.Ask{Tools: []modelapi.Tool{{Name: "Edit"}}, Answers: map[string]modelapi.Answer{}}, 0
			for r := m.next(asked, nil); r.ID != ""; r = m.next(asked, nil) {
				asks++
				asked.Answers[r.ID] = c.is
			}
			if asks != c.asks {
				t.Errorf("it is made %d times, want %d", asks, c.asks)
			}
			if missing := m.unanswered(); missing != nil {
				t.Error(missing)
			}
		})
	}
}
