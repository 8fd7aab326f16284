//go:build unix

package nvim_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/internal/testkit/wire"
)

// server is a test that stands in for the server, to send what patchls does not.
type server struct {
	t        *testing.T
	*editor  // whose server it is
	conn     net.Conn
	messages chan message
	id       int
	init     message        // initialize
	versions map[string]int // of what the editor has told, by URI
	order    []string       // methods and answers, as they came
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// newest is the answer of a server to initialize that is not too old.
const newest = `{"patchls":{"listening":true,"edited":true,"confirm":true,"diff":true}}`

// standInFor starts a Neovim whose server is the test. experimental is what it offers.
func standInFor(t *testing.T, files map[string]string, opts options, experimental string) *server {
	t.Helper()
	dir, err := os.MkdirTemp(temporary, "ps") //nolint:usetesting // a socket's path is short, and t.TempDir has the test's name in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	opts.config = fmt.Sprintf(`{ cmd = { "env", "%s=%s", %q } }`, standIn, socket, self)
	s := &server{t: t, messages: make(chan message, 1000), versions: map[string]int{}}
	s.editor = start(t, files, opts)
	if err := listener.(*net.UnixListener).SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if s.conn, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.conn.Close() })
	go s.read()
	s.init = s.next("initialize")
	s.send(message{ID: s.init.ID, Result: json.RawMessage(`{"capabilities":{
		"positionEncoding":"utf-16","textDocumentSync":{"openClose":true,"change":2},"experimental":` + experimental + `}}`)})
	return s
}

func (s *server) read() {
	defer close(s.messages)
	in := framing.NewReader(s.conn)
	for {
		raw, err := in.Read()
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(raw, &m) != nil {
			return
		}
		s.messages <- m
	}
}

func (s *server) send(m message) {
	s.t.Helper()
	raw, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		message
	}{"2.0", m})
	if err == nil {
		_, err = s.conn.Write(wire.Message(raw))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// next takes messages in until one of that method, or the answer of that id.
func (s *server) next(want string) message {
	s.t.Helper()
	late := time.After(patience)
	for {
		select {
		case m, ok := <-s.messages:
			if !ok {
				s.t.Fatalf("the editor is gone before %s", want)
			}
			s.take(m)
			if m.Method == want || m.Method == "" && string(m.ID) == want {
				return m
			}
		case <-late:
			s.t.Fatalf("waited in vain for %s", want)
		}
	}
}

func (s *server) take(m message) {
	var p struct {
		TextDocument struct {
			URI     string
			Version int
		}
	}
	_ = json.Unmarshal(m.Params, &p) // others have none
	switch m.Method {
	case "":
		s.order = append(s.order, "answer")
		return
	case "textDocument/didOpen", "textDocument/didChange":
		s.versions[p.TextDocument.URI] = p.TextDocument.Version
	case "textDocument/didClose":
		delete(s.versions, p.TextDocument.URI)
	case "patchls/synced", "shutdown":
		s.send(message{ID: m.ID, Result: json.RawMessage("null")})
	}
	s.order = append(s.order, m.Method)
}

// opened waits until the editor has told of a file.
func (s *server) opened(name string) {
	s.t.Helper()
	for {
		if _, ok := s.versions[s.uri(name)]; ok {
			return
		}
		s.next("textDocument/didOpen")
	}
}

// insertion is an edit that puts a line at the top of a document; a version of nil is null.
func insertion(uri string, version any, line string) any {
	at := map[string]int{"line": 0, "character": 0}
	return map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version},
		"edits":        []any{map[string]any{"range": map[string]any{"start": at, "end": at}, "newText": line + "\n"}},
	}
}

// verdict is an answer to workspace/applyEdit.
type verdict struct {
	Applied       bool
	FailureReason string
	FailedChange  *int
}

// ask sends a request and returns its result.
func (s *server) ask(method string, params, result any) {
	s.t.Helper()
	s.answer(s.request(method, params), result)
}

// request sends a request and returns its id.
func (s *server) request(method string, params any) (id string) {
	s.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		s.t.Fatal(err)
	}
	s.id++
	id = strconv.Itoa(1000 + s.id)
	s.send(message{ID: json.RawMessage(id), Method: method, Params: raw})
	return id
}

// answer waits for the result of a request.
func (s *server) answer(id string, result any) {
	s.t.Helper()
	if err := json.Unmarshal(s.next(id).Result, result); err != nil {
		s.t.Fatal(err)
	}
}

// apply has the editor apply changes.
func (s *server) apply(changes ...any) (v verdict) {
	s.t.Helper()
	s.ask("workspace/applyEdit", map[string]any{"edit": map[string]any{"documentChanges": changes}}, &v)
	return v
}

// refuses wants a no about the change of that index, for a reason that has a part.
func (s *server) refuses(v verdict, index int, part string) {
	s.t.Helper()
	if v.Applied || v.FailedChange == nil || *v.FailedChange != index || !strings.Contains(v.FailureReason, part) {
		s.t.Errorf("the answer is %+v, want a refusal of change %d for %q", v, index, part)
	}
}

// ordered reports whether methods came in that order since the last call.
func (s *server) ordered(want ...string) bool {
	i := 0
	for _, method := range s.order {
		if i < len(want) && method == want[i] {
			i++
		}
	}
	s.order = slices.Clip(s.order[:0])
	return i == len(want)
}
