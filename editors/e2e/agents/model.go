//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A model is the stand-in for the model of an agent program: a server on the loopback that
// answers each request with the next call of a script. It speaks the four APIs in [wires].
// It records the tools that it was offered and the answers to its calls.
type model struct {
	http.Server
	act
	url string
	log string // a folder for all requests, "" for none

	mu       sync.Mutex
	requests int
	offered  []string       // the tools of the first request that offers any
	system   string         // the first request that offers any tools, as it came
	answers  map[int]answer // to the calls of the script, by their place there
	again    map[int]int    // how often each call was retried
	stray    []string       // requests that belong to no API
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

// An answer is a tool's answer as the agent program passes it on to its model.
type answer struct {
	text   string
	failed bool
}

// An ask is one request of an agent program to its model.
type ask struct {
	tools   []tool
	answers map[string]answer // by the id of the call
}

// A tool is a tool that the model is offered. Space is its namespace in the API, or "".
type tool struct{ space, name string }

func (t tool) String() string { return t.space + t.name }

// A reply is what the model says: a call, or a text where tool is the zero value.
type reply struct {
	id   string
	tool tool
	args map[string]any
	text string
}

// A wire is one API of models.
type wire struct {
	path  string // ends the URL's path
	read  func(body []byte) (ask, error)
	write func(w io.Writer, r reply)
}

var wires = []wire{
	{"/messages", readMessages, writeMessages},
	{"/responses", readResponses, writeResponses},
	{":streamGenerateContent", readGemini, writeGemini},
	{"/chat/completions", readCompletions, writeCompletions},
}

// startModel starts a model, which serves until it is closed.
func startModel(ctx context.Context, a act, log string) (*model, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{act: a, url: "http://" + listener.Addr().String(), log: log, answers: map[int]answer{}, again: map[int]int{}}
	m.Handler = http.HandlerFunc(m.serve)
	go func() { _ = m.Serve(listener) }()
	return m, nil
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	i := slices.IndexFunc(wires, func(w wire) bool { return strings.HasSuffix(r.URL.Path, w.path) })
	m.note(r, body, i >= 0)
	if i < 0 {
		// Programs ask for lists of models, count tokens and send events, and go on without an answer.
		http.Error(w, `{"error": {"message": "not found"}}`, http.StatusNotFound)
		return
	}
	asked, err := wires[i].read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	wires[i].write(w, m.next(asked, body))
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
func (m *model) next(asked ask, body []byte) reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(asked.tools) == 0 {
		return reply{text: "A menu"}
	}
	if m.offered == nil {
		m.system = string(body)
		for _, t := range asked.tools {
			m.offered = append(m.offered, t.String())
		}
	}
	for i := range m.script {
		switch a, is := asked.answers[m.callID(i)]; {
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
		if t, is := m.find(asked.tools, s.tool); is {
			return reply{id: m.callID(i), tool: t, args: s.args}
		}
		return reply{text: "There is no tool " + s.tool}
	}
	return reply{text: "done"}
}

// unanswered says which calls of the script have no answer.
func (m *model) unanswered() (missing []error) {
	for i, st := range m.script {
		if _, is := m.answers[i]; !is {
			missing = append(missing, fmt.Errorf("call %d, of %s, has no answer", i+1, st.tool))
		}
	}
	return missing
}

// find finds a tool among those that the program offers, which may name our tools differently.
func (a act) find(tools []tool, name string) (tool, bool) {
	i := slices.IndexFunc(tools, func(t tool) bool {
		if a.own {
			return t.String() == name
		}
		rest, is := strings.CutSuffix(t.String(), name)
		return is && strings.HasSuffix(strings.TrimRight(rest, "_-."), "patchls")
	})
	if i < 0 {
		return tool{}, false
	}
	return tools[i], true
}

// isRetried reports whether a call is made again, as a model does: under patchls run a tool of the program could not open
// the file without waiting.
func (m *model) isRetried(i int, a answer) bool {
	unopened := a.failed && strings.Contains(a.text, "EAGAIN") || strings.Contains(a.text, "Resource temporarily unavailable")
	return m.run && unopened && m.again[i] < maxRetries
}

const maxRetries = 5

func (m *model) callID(i int) string { return fmt.Sprintf("call_%d_%d", i, m.again[i]) }

// event writes one event of a stream.
func event(w io.Writer, name string, data map[string]any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", raw)
}
