//go:build linux

package main

import "testing"

// A call is made again where patchls run had the file, some times at most, and nowhere else.
func TestACallIsMadeAgain(t *testing.T) {
	busy := answer{text: "EAGAIN: resource temporarily unavailable", failed: true}
	for _, c := range []struct {
		name string
		run  bool
		is   answer
		asks int // how often the call is made
	}{
		{"under patchls run", true, busy, 1 + maxRetries},
		{"beside it", false, busy, 1},
		{"another failure", true, answer{text: "no such file", failed: true}, 1},
		{"a text with that word", true, answer{text: busy.text}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &model{act: act{script: []step{{tool: "Edit"}}, own: true, run: c.run}, answers: map[int]answer{}, again: map[int]int{}}
			asked, asks := ask{tools: []tool{{name: "Edit"}}, answers: map[string]answer{}}, 0
			for r := m.next(asked, nil); r.id != ""; r = m.next(asked, nil) {
				asks++
				asked.answers[r.id] = c.is
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
