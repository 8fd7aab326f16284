package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"testing"

	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// rawClient speaks to a server in bytes, so that it can say what no library
// would.
type rawClient struct {
	t        *testing.T
	conn     net.Conn
	messages chan message // what the server sent; closed with the connection
	done     chan error   // Serve's answer
}

// message is any JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// framed returns a message as the base protocol has it.
func framed(body []byte) []byte {
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// readFrame returns the next message.
func readFrame(in *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(in, body)
	return body, err
}

func startRaw(t *testing.T, opts lsp.Options) *rawClient {
	t.Helper()
	return startReading(t, opts, 10_000)
}

// startReading starts a client that reads at most that many messages before the test
// asks for them.
func startReading(t *testing.T, opts lsp.Options, ahead int) *rawClient {
	t.Helper()
	ours, theirs, _ := watchedPipe(t)
	c := &rawClient{t: t, conn: theirs, messages: make(chan message, ahead), done: make(chan error, 1)}
	go func() { c.done <- lsp.Serve(context.Background(), ours, opts) }()
	go c.read()
	t.Cleanup(func() {
		_ = c.conn.Close()
		for range c.messages {
		}
	})
	return c
}

// startInitialized starts a server and brings it to running.
func startInitialized(t *testing.T, root string) *rawClient {
	t.Helper()
	c := startRaw(t, lsp.Options{})
	c.initialize(root)
	return c
}

// initialize brings the server to running, with root as its workspace.
func (c *rawClient) initialize(root string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"processId":null,"rootUri":%q,"capabilities":{"workspace":{"applyEdit":true}}}}`, paths.FileURI(root))
	c.answer(`"init"`)
	c.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
}

func (c *rawClient) read() {
	defer close(c.messages)
	in := bufio.NewReader(c.conn)
	for {
		body, err := readFrame(in)
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			panic(err)
		}
		c.messages <- m
	}
}

// send sends one message.
func (c *rawClient) send(format string, args ...any) {
	c.t.Helper()
	body := fmt.Sprintf(format, args...)
	c.bytes("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// bytes sends bytes as they are.
func (c *rawClient) bytes(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.conn, format, args...); err != nil {
		c.t.Fatal(err)
	}
}

// answer returns the response with that id, given as JSON. Other messages are
// passed over.
func (c *rawClient) answer(id string) message {
	c.t.Helper()
	for m := range c.messages {
		if m.Method == "" && string(m.ID) == id {
			return m
		}
	}
	c.t.Fatalf("the connection ended before the answer to %s", id)
	return message{}
}

// request returns the next request of that method that the server makes.
func (c *rawClient) request(method string) message {
	c.t.Helper()
	for m := range c.messages {
		if m.Method == method && m.ID != nil {
			return m
		}
	}
	c.t.Fatalf("the connection ended before %s", method)
	return message{}
}

// wantError checks that the response is an error with that code.
func (c *rawClient) wantError(m message, code int) {
	c.t.Helper()
	if m.Error == nil || m.Error.Code != code {
		c.t.Errorf("want error %d, got %+v, result %s", code, m.Error, m.Result)
	}
}

// wantKind checks that the response is an error of that kind.
func (c *rawClient) wantKind(m message, kind string) {
	c.t.Helper()
	if m.Error == nil || !strings.Contains(string(m.Error.Data), fmt.Sprintf(`"kind":%q`, kind)) {
		c.t.Errorf("want %s, got %+v, result %s", kind, m.Error, m.Result)
	}
}

// wantAlive checks that the server still answers.
func (c *rawClient) wantAlive() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"alive","method":"patchls/synced"}`)
	if m := c.answer(`"alive"`); m.Error != nil {
		c.t.Errorf("the server is not well: %s", m.Error.Message)
	}
}

// open opens a document of version 1.
func (c *rawClient) open(uri, text string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"x","version":1,"text":%s}}}`, uri, quote(text))
}

// change sends a didChange with the content changes given as JSON.
func (c *rawClient) change(uri, changes string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":2},"contentChanges":%s}}`, uri, changes)
}

// view returns the mirror's text of a document, as view numbers it.
func (c *rawClient) view(uri string) message {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"view","method":"workspace/executeCommand","params":{"command":"patchls.view","arguments":[{"path":%q}]}}`, uri)
	return c.answer(`"view"`)
}

// strReplace sends the command for doc, and does not wait for its answer.
func (c *rawClient) strReplace(id int, from, to string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.str_replace","arguments":[{"path":%q,"old_str":%q,"new_str":%q}]}}`, id, doc, from, to)
}

// wantText checks the mirror's text.
func (c *rawClient) wantText(uri, want string) {
	c.t.Helper()
	m := c.view(uri)
	var v view.View
	if m.Error != nil {
		c.t.Errorf("view: %s", m.Error.Message)
		return
	}
	if err := json.Unmarshal(m.Result, &v); err != nil {
		c.t.Fatal(err)
	}
	if v.Text != want {
		c.t.Errorf("the mirror has %q, want %q", v.Text, want)
	}
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// capabilitiesOf returns a member of the server's capabilities, "" if absent.
func capabilitiesOf(t *testing.T, result json.RawMessage, member string) json.RawMessage {
	t.Helper()
	var r struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatal(err)
	}
	return r.Capabilities[member]
}

func encodingOf(t *testing.T, result json.RawMessage) string {
	t.Helper()
	raw := capabilitiesOf(t, result, "positionEncoding")
	if raw == nil {
		return ""
	}
	return `"positionEncoding":` + string(raw)
}

func commandsOf(t *testing.T, result json.RawMessage) []string {
	t.Helper()
	var p struct {
		Commands []string `json:"commands"`
	}
	if raw := capabilitiesOf(t, result, "executeCommandProvider"); raw != nil {
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
	}
	return p.Commands
}
