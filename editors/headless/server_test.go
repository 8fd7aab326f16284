package headless

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
)

// fakeServer is a scripted language server. Everything
// that arrives is taken in wire order by one goroutine, which never writes.
type fakeServer struct {
	t          *testing.T
	conn       net.Conn
	encoding   string
	syncJSON   string // textDocumentSync
	quiet      bool   // do not answer shutdown
	lenient    bool   // the mirrors are not kept
	jumps      bool   // versions only have to grow
	anyVersion bool   // they need not do that either
	twice      bool   // a document may be opened that is open

	diagnostics json.RawMessage // diagnosticProvider
	slow        time.Duration   // what textDocument/diagnostic and patchls/synced take
	deafTo      string          // the last method that is read
	deaf        chan struct{}   // until this is closed

	report func(wrong string) // takes what is wrong with a notification

	// execute answers workspace/executeCommand, on a goroutine of its own.
	execute func(command string, args []json.RawMessage) (any, *wireError)

	write sync.Mutex
	done  chan struct{} // closed when the reader has ended

	mu      sync.Mutex
	docs    map[string]*mirror
	opened  map[string]string // the texts of the first didOpens
	log     []string          // methods that arrived, and "answer N"
	params  map[string]json.RawMessage
	nextID  int
	pending map[int]chan wireMessage
	onLog   *sync.Cond
}

type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

type wireMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`

	// what the mirrors hold when this answer arrived, for the order of things
	docs map[string]mirror
}

// newServer returns a server that is running, and the editor's end of the pipe.
func newServer(t *testing.T) (*fakeServer, net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	s := &fakeServer{
		t: t, conn: ours, encoding: "utf-16",
		syncJSON: `{"openClose":true,"change":2,"save":{"includeText":true}}`,
		done:     make(chan struct{}),
		docs:     map[string]*mirror{},
		opened:   map[string]string{},
		report:   func(wrong string) { t.Error(wrong) },
		params:   map[string]json.RawMessage{},
		pending:  map[int]chan wireMessage{},
	}
	s.onLog = sync.NewCond(&s.mu)
	return s, theirs
}

// start returns an editor on a running server; script may set the server up.
func start(t *testing.T, opts Options, script func(*fakeServer)) (*Editor, *fakeServer) {
	t.Helper()
	s, pipe := newServer(t)
	if script != nil {
		script(s)
	}
	go s.run()
	e, err := Start(t.Context(), pipe, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.Close()
		_ = s.conn.Close()
		<-s.done
	})
	return e, s
}

func (s *fakeServer) run() {
	defer close(s.done)
	in := framing.NewReader(s.conn)
	for {
		body, err := in.Read(maxMessageBytes)
		if err != nil {
			return
		}
		var m wireMessage
		if err := json.Unmarshal(body, &m); err != nil {
			s.t.Errorf("not JSON: %s", body)
			return
		}
		s.take(m)
		if m.Method == s.deafTo && m.Method != "" {
			<-s.deaf
		}
	}
}

func (s *fakeServer) take(m wireMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.onLog.Broadcast()
	if m.Method == "" {
		var id int
		_ = json.Unmarshal(m.ID, &id)
		s.log = append(s.log, fmt.Sprintf("answer %d", id))
		m.docs = map[string]mirror{}
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
		if err := s.sync(m.Method, m.Params); err != nil && !s.lenient {
			s.report(fmt.Sprintf("%s: %v", m.Method, err))
		}
		return
	}
	go s.respond(m)
}

func (s *fakeServer) respond(m wireMessage) {
	var result any
	var fail *wireError
	switch m.Method {
	case "initialize":
		result = map[string]any{"capabilities": map[string]any{
			"positionEncoding": s.encoding, "textDocumentSync": json.RawMessage(s.syncJSON),
			"diagnosticProvider": s.diagnostics,
		}}
	case "shutdown":
		if s.quiet {
			return
		}
	case "workspace/executeCommand":
		var p struct {
			Command   string
			Arguments []json.RawMessage
		}
		_ = json.Unmarshal(m.Params, &p)
		if s.execute == nil {
			break
		}
		if result, fail = s.execute(p.Command, p.Arguments); result == nil && fail == nil {
			return // never answered
		}
	case "textDocument/diagnostic", "patchls/synced":
		time.Sleep(s.slow) //nolint:forbidigo // in virtual time
		result = map[string]any{"kind": "full", "items": []any{}}
	case "test/barrier":
	default:
		fail = &wireError{Code: -32601, Message: "no such method"}
	}
	out := wireMessage{ID: m.ID, Error: fail}
	if fail == nil {
		out.Result, _ = json.Marshal(result)
	}
	s.send(out)
}

func (s *fakeServer) send(m wireMessage) {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		s.t.Error(err)
	}
	s.sendBody(body)
}

func (s *fakeServer) sendBody(body []byte) {
	s.write.Lock()
	defer s.write.Unlock()
	_, _ = s.conn.Write(framing.Append(nil, body))
}

func (s *fakeServer) notify(method string, params any) {
	raw, _ := json.Marshal(params)
	s.send(wireMessage{Method: method, Params: raw})
}

// begin sends a request; the answer comes on the channel.
func (s *fakeServer) begin(method string, params any) (id int, answer <-chan wireMessage) {
	raw, err := json.Marshal(params)
	if err != nil {
		s.t.Error(err)
	}
	ch := make(chan wireMessage, 1)
	s.mu.Lock()
	s.nextID++
	id = s.nextID
	s.pending[id] = ch
	s.mu.Unlock()
	s.send(wireMessage{ID: json.RawMessage(strconv.Itoa(id)), Method: method, Params: raw})
	return id, ch
}

func (s *fakeServer) call(method string, params any) wireMessage {
	_, answer := s.begin(method, params)
	select {
	case m := <-answer:
		return m
	case <-s.done:
		return wireMessage{Error: &wireError{Message: "the editor is gone"}}
	}
}

// doc returns a copy of what the server knows of a document.
func (s *fakeServer) doc(uri string) (mirror, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.docs[uri]; m != nil {
		return *m, true
	}
	return mirror{}, false
}

func (s *fakeServer) textOf(uri string) string {
	m, _ := s.doc(uri)
	return m.text
}

func (s *fakeServer) openedWith(uri string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened[uri]
}

// events returns the methods that arrived since the last call.
func (s *fakeServer) events() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.log
	s.log = nil
	return l
}

// waitFor waits until a method has arrived and returns its last parameters.
func (s *fakeServer) waitFor(method string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.params[method] == nil {
		s.onLog.Wait()
	}
	return s.params[method]
}

// applyResult is an ApplyEditResult as it came over the wire.
type applyResult struct {
	Applied       *bool
	FailureReason string
	FailedChange  *int
	Versions      *EditVersions
	err           *wireError
	docs          map[string]mirror // the mirrors when the answer arrived
}

// apply asks for an edit of the documents in changes.
func (s *fakeServer) apply(label string, changes ...any) applyResult {
	return s.applyEdit(map[string]any{"label": label, "edit": map[string]any{"documentChanges": changes}})
}

func (s *fakeServer) applyEdit(params any) applyResult {
	return s.read(s.call("workspace/applyEdit", params))
}

// read reads the answer to an applyEdit.
func (s *fakeServer) read(m wireMessage) applyResult {
	r := applyResult{err: m.Error, docs: m.docs}
	if m.Error == nil {
		if err := json.Unmarshal(m.Result, &r); err != nil {
			s.t.Errorf("result %s: %v", m.Result, err)
		}
	}
	return r
}

// textEdits is one member of documentChanges. version is an int, or nil.
func textEdits(uri string, version any, list ...TextEdit) any {
	return map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version},
		"edits":        append([]TextEdit{}, list...),
	}
}

func at(line, char, toLine, toChar int, s string) TextEdit {
	return TextEdit{Range: Range{Position{uint32(line), uint32(char)}, Position{uint32(toLine), uint32(toChar)}}, NewText: s}
}

func (r applyResult) mustApply(t *testing.T) {
	t.Helper()
	if r.err != nil || r.Applied == nil || !*r.Applied {
		t.Fatalf("not applied: %q, error %v", r.FailureReason, r.err)
	}
}

// mustRefuse expects applied:false with a reason that contains why, and the
// index of the change at fault (-1 for none).
func (r applyResult) mustRefuse(t *testing.T, why string, change int) {
	t.Helper()
	if r.err != nil || r.Applied == nil || *r.Applied {
		t.Fatalf("not refused: error %v", r.err)
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

// rawJSON is sent as it is.
func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }
