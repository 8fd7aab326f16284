// Package fakeserver is a language server for tests of editors. It does what a test
// scripts, and keeps a copy of each document, built from the notifications of the editor.
package fakeserver

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/internal/testkit/wire"
)

// Server is a scripted language server. One goroutine, which never writes, handles
// incoming messages in wire order. The fields are set before Run.
type Server struct {
	t          *testing.T
	Conn       net.Conn // its end of the pipe
	Encoding   string
	Quiet      bool // do not answer shutdown
	Lenient    bool // the mirrors are not kept
	Jumps      bool // versions only have to grow
	AnyVersion bool // they need not do that either
	Twice      bool // an open document may be opened again

	Diagnostics json.RawMessage // diagnosticProvider
	Slow        time.Duration   // how long textDocument/diagnostic and patchls/synced take
	DeafTo      string          // after this method nothing is read
	Deaf        chan struct{}   // until this is closed

	Report func(wrong string) // takes what is wrong with a notification

	// Execute answers workspace/executeCommand, on a goroutine of its own.
	Execute func(command string, args []json.RawMessage) (any, *Error)

	write sync.Mutex
	Done  chan struct{} // closed when the reader has ended

	mu      sync.Mutex
	docs    map[string]*Mirror
	opened  map[string]string // the texts of the first didOpens
	log     []string          // methods that arrived, and "answer N"
	params  map[string]json.RawMessage
	nextID  int
	pending map[int]chan Message
	onLog   *sync.Cond
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Message is any JSON-RPC message.
type Message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`

	// docs is what the mirrors held when this answer arrived, to check the order of messages.
	docs map[string]Mirror
}

// New returns a server, and the editor's end of the pipe.
func New(t *testing.T) (*Server, net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	s := &Server{
		t: t, Conn: ours, Encoding: "utf-16",
		Done:    make(chan struct{}),
		docs:    map[string]*Mirror{},
		opened:  map[string]string{},
		Report:  func(wrong string) { t.Error(wrong) },
		params:  map[string]json.RawMessage{},
		pending: map[int]chan Message{},
	}
	s.onLog = sync.NewCond(&s.mu)
	return s, theirs
}

// Run serves until the connection ends.
func (s *Server) Run() {
	defer close(s.Done)
	in := framing.NewReader(s.Conn)
	for {
		body, err := in.Read()
		if err != nil {
			return
		}
		var m Message
		if err := json.Unmarshal(body, &m); err != nil {
			s.t.Errorf("not JSON: %s", body)
			return
		}
		s.take(m)
		if m.Method == s.DeafTo && m.Method != "" {
			<-s.Deaf
		}
	}
}

func (s *Server) take(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.onLog.Broadcast()
	if m.Method == "" {
		var id int
		_ = json.Unmarshal(m.ID, &id)
		s.log = append(s.log, fmt.Sprintf("answer %d", id))
		m.docs = map[string]Mirror{}
		for uri, d := range s.docs {
			m.docs[uri] = *d
		}
		if ch := s.pending[id]; ch != nil {
			ch <- m
		}
		return
	}
	s.log = append(s.log, m.Method)
	s.params[m.Method] = m.Params
	if m.ID == nil {
		if err := s.sync(m.Method, m.Params); err != nil && !s.Lenient {
			s.Report(fmt.Sprintf("%s: %v", m.Method, err))
		}
		return
	}
	go s.respond(m)
}

func (s *Server) respond(m Message) {
	var result any
	var fail *Error
	switch m.Method {
	case "initialize":
		result = map[string]any{"capabilities": map[string]any{
			"positionEncoding":   s.Encoding,
			"textDocumentSync":   json.RawMessage(`{"openClose":true,"change":2,"save":{"includeText":true}}`),
			"diagnosticProvider": s.Diagnostics,
		}}
	case "shutdown":
		if s.Quiet {
			return
		}
	case "workspace/executeCommand":
		var p struct {
			Command   string
			Arguments []json.RawMessage
		}
		_ = json.Unmarshal(m.Params, &p)
		if s.Execute == nil {
			break
		}
		if result, fail = s.Execute(p.Command, p.Arguments); result == nil && fail == nil {
			return // never answered
		}
	case "textDocument/diagnostic", "patchls/synced":
		time.Sleep(s.Slow) // in virtual time
		result = map[string]any{"kind": "full", "items": []any{}}
	case "test/barrier":
	default:
		fail = &Error{Code: -32601, Message: "no such method"}
	}
	out := Message{ID: m.ID, Error: fail}
	if fail == nil {
		out.Result, _ = json.Marshal(result)
	}
	s.Send(out)
}

// Send sends a message as it is.
func (s *Server) Send(m Message) {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		s.t.Error(err)
	}
	s.SendBody(body)
}

// SendBody sends bytes that need not be a message.
func (s *Server) SendBody(body []byte) {
	s.write.Lock()
	defer s.write.Unlock()
	_, _ = s.Conn.Write(wire.Message(body))
}

// Notify sends a notification.
func (s *Server) Notify(method string, params any) {
	raw, _ := json.Marshal(params)
	s.Send(Message{Method: method, Params: raw})
}

// Begin sends a request; the answer comes on the channel.
func (s *Server) Begin(method string, params any) (id int, answer <-chan Message) {
	raw, err := json.Marshal(params)
	if err != nil {
		s.t.Error(err)
	}
	ch := make(chan Message, 1)
	s.mu.Lock()
	s.nextID++
	id = s.nextID
	s.pending[id] = ch
	s.mu.Unlock()
	s.Send(Message{ID: json.RawMessage(strconv.Itoa(id)), Method: method, Params: raw})
	return id, ch
}

// Call sends a request and waits for the answer, or the end of the connection.
func (s *Server) Call(method string, params any) Message {
	_, answer := s.Begin(method, params)
	select {
	case m := <-answer:
		return m
	case <-s.Done:
		return Message{Error: &Error{Message: "the editor is gone"}}
	}
}

// Doc returns a copy of what the server knows of a document.
func (s *Server) Doc(uri string) (Mirror, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.docs[uri]; m != nil {
		return *m, true
	}
	return Mirror{}, false
}

// TextOf returns the text of a document, "" of one that is not open.
func (s *Server) TextOf(uri string) string {
	m, _ := s.Doc(uri)
	return m.Text
}

// OpenedWith returns the text of a document's first didOpen.
func (s *Server) OpenedWith(uri string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened[uri]
}

// Events returns the methods that arrived since the last call.
func (s *Server) Events() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.log
	s.log = nil
	return l
}

// Params returns the last parameters of a method, nil if it has not arrived.
func (s *Server) Params(method string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.params[method]
}

// WaitFor waits until a method has arrived and returns its last parameters.
func (s *Server) WaitFor(method string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.params[method] == nil {
		s.onLog.Wait()
	}
	return s.params[method]
}

// Result is an ApplyEditResult as it came over the wire.
type Result struct {
	Applied       *bool
	FailureReason string
	FailedChange  *int
	Versions      *struct{ Before, After int32 }
	Err           *Error
	Docs          map[string]Mirror // the mirrors when the answer arrived
}

// Apply asks for an edit of the documents in changes.
func (s *Server) Apply(label string, changes ...any) Result {
	return s.ApplyEdit(map[string]any{"label": label, "edit": map[string]any{"documentChanges": changes}})
}

// ApplyEdit is Apply with any parameters.
func (s *Server) ApplyEdit(params any) Result {
	return s.Read(s.Call("workspace/applyEdit", params))
}

// Read reads the answer to an applyEdit.
func (s *Server) Read(m Message) Result {
	r := Result{Err: m.Error, Docs: m.docs}
	if m.Error == nil {
		if err := json.Unmarshal(m.Result, &r); err != nil {
			s.t.Errorf("result %s: %v", m.Result, err)
		}
	}
	return r
}

// TextEdits is one member of documentChanges. version is an int, or nil.
func TextEdits[T any](uri string, version any, list ...T) any {
	return map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version},
		"edits":        append([]T{}, list...),
	}
}

// MustApply expects applied:true.
func (r Result) MustApply(t *testing.T) {
	t.Helper()
	if r.Err != nil || r.Applied == nil || !*r.Applied {
		t.Fatalf("not applied: %q, error %v", r.FailureReason, r.Err)
	}
}

// MustRefuse expects applied:false with a reason that contains why, and the
// index of the change at fault (-1 for none).
func (r Result) MustRefuse(t *testing.T, why string, change int) {
	t.Helper()
	if r.Err != nil || r.Applied == nil || *r.Applied {
		t.Fatalf("not refused: error %v", r.Err)
	}
	if !strings.Contains(r.FailureReason, why) {
		t.Errorf("the reason is %q, want %q in it", r.FailureReason, why)
	}
	switch {
	case change < 0 && r.FailedChange != nil:
		t.Errorf("failedChange is %d, want none", *r.FailedChange)
	case change >= 0 && (r.FailedChange == nil || *r.FailedChange != change):
		t.Errorf("failedChange is %v, want %d", r.FailedChange, change)
	}
}
