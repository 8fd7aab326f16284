//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/patchls/patchls/internal/testkit/modelapi"
)

// A model is the stand-in for the model of an agent program: a server on the loopback that
// answers each request with the next call of a script. It speaks the APIs of [modelapi].
// It refuses the tools that their vendors refuse.
// It records the tools that it was offered and the answers to its calls.
type model struct {
	http.Server
	act
	url string
	log string // a folder for all requests, "" for none

	mu       sync.Mutex
	requests int
	offered  []string                // the tools of the first request that offers any
	system   string                  // the first request that offers any tools, as it came
	answers  map[int]modelapi.Answer // to the calls of the script, by their place there
	again    map[int]int             // how often each call was retried
	stray    []string                // requests that belong to no API
	refused  []error                 // requests whose tools the vendor refuses
}

// An act is one run of a program, after patchls setup if it uses the tools of patchls.
type act struct {
	files         map[string]string // beside those of the program
	script        []step
	own           bool   // the tools are the program's own
	before, after string // if own: the text that they read, and the one they make of it
	run           bool   // patchls run starts the program
	acp           bool   // patchls acp starts the program, for a client
	hook          bool   // the program is set up, and its own tools ask patchls hook
}

// A step is a call of one of our tools, by the name that the MCP server gives it, or of the program's own.
type step struct {
	tool string
	args map[string]any
}

// startModel starts a model, which serves until it is closed.
func startModel(ctx context.Context, a act, log string) (*model, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{act: a, url: "http://" + listener.Addr().String(), log: log, answers: map[int]modelapi.Answer{}, again: map[int]int{}}
	m.Handler = http.HandlerFunc(m.serve)
	go func() { _ = m.Serve(listener) }()
	return m, nil
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	api := modelapi.Of(r.URL.Path)
	m.note(r, body, api != nil)
	if api == nil {
		// Programs ask for lists of models, count tokens and send events, and go on without an answer.
		http.Error(w, `{"error": {"message": "not found"}}`, http.StatusNotFound)
		return
	}
	asked, err := api.Read(body)
	if refusal := (*modelapi.RefusedError)(nil); errors.As(err, &refusal) {
		m.refuse(w, refusal)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	api.Write(w, m.next(asked, body))
}

// refuse answers as the vendor does to tools that it refuses, and remembers that.
func (m *model) refuse(w http.ResponseWriter, refusal *modelapi.RefusedError) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = append(m.refused, refusal)
	refusal.Write(w)
}

// note keeps a request for a reader of the logs.
func (m *model) note(r *http.Request, body []byte, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	if !known {
		m.stray = append(m.stray, r.Method+" "+r.URL.Path)
	}
	if m.log != "" {
		head := fmt.Sprintf("%s %s\n", r.Method, r.URL)
		name := filepath.Join(m.log, fmt.Sprintf("model-%03d.json", m.requests))
		_ = os.WriteFile(name, append([]byte(head), body...), 0o600) // a log that is missing fails nothing
	}
}

// next is the reply to a request: the first call of the script that has no answer yet. A
// request that offers no tools is about something else, such as a title for the session.
func (m *model) next(asked modelapi.Ask, body []byte) modelapi.Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(asked.Tools) == 0 {
		return modelapi.Reply{Text: "A menu"}
	}
	if m.offered == nil {
		m.system = string(body)
		for _, t := range asked.Tools {
			m.offered = append(m.offered, t.String())
		}
	}
	for i := range m.script {
		switch a, is := asked.Answers[m.callID(i)]; {
		case is && m.isRetried(i, a):
			m.again[i]++
		case is:
			m.answers[i] = a
		}
	}
	for i, s := range m.script {
		if _, done := m.answers[i]; done {
			continue
		}
		if t, is := m.find(asked.Tools, s.tool); is {
			return modelapi.Reply{ID: m.callID(i), Tool: t, Args: s.args}
		}
		return modelapi.Reply{Text: "There is no tool " + s.tool}
	}
	return modelapi.Reply{Text: "done"}
}

// unanswered says which calls of the script have no answer, and what was refused.
func (m *model) unanswered() (missing []error) {
	for _, refusal := range m.refused {
		missing = append(missing, fmt.Errorf("the vendor of the model refuses the request: %w", refusal))
	}
	for i, st := range m.script {
		if _, is := m.answers[i]; !is {
			missing = append(missing, fmt.Errorf("call %d, of %s, has no answer", i+1, st.tool))
		}
	}
	return missing
}

// find finds a tool among those that the program offers, which may name our tools differently.
func (a act) find(tools []modelapi.Tool, name string) (modelapi.Tool, bool) {
	i := slices.IndexFunc(tools, func(t modelapi.Tool) bool {
		if a.own {
			return t.String() == name
		}
		rest, is := strings.CutSuffix(t.String(), name)
		return is && strings.HasSuffix(strings.TrimRight(rest, "_-."), "patchls")
	})
	if i < 0 {
		return modelapi.Tool{}, false
	}
	return tools[i], true
}

// isRetried reports whether a call is made again, as a model does: under patchls run a tool of the program could not open
// the file without waiting.
func (m *model) isRetried(i int, a modelapi.Answer) bool {
	unopened := a.Failed && strings.Contains(a.Text, "EAGAIN") || strings.Contains(a.Text, "Resource temporarily unavailable")
	return m.run && unopened && m.again[i] < maxRetries
}

const maxRetries = 5

func (m *model) callID(i int) string { return fmt.Sprintf("call_%d_%d", i, m.again[i]) }
