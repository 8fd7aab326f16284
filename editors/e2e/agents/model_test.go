//go:build linux

package main

import (
	"errors"
	"io"
	"net/http"
	"strings"
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

// A request whose tools the vendor refuses ends the conversation with the vendor's words, and the run with them.
func TestAVendorRefuses(t *testing.T) {
	m, err := startModel(t.Context(), act{script: []step{{tool: "list"}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	const words = "In context=(), object schema missing properties."
	body := `{"tools": [{"type": "function", "function": {"name": "patchls_list", "parameters": {"type": "object"}}}]}`
	response, err := http.Post(m.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	said, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusBadRequest || !strings.Contains(string(said), words) {
		t.Errorf("the answer is %d %s (%v), want 400 and %q", response.StatusCode, said, err, words)
	}
	if got := errors.Join(m.unanswered()...); got == nil || !strings.Contains(got.Error(), words) {
		t.Errorf("the run ends with %v, want %q", got, words)
	}
}
