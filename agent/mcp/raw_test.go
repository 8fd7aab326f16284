package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/agent/mcp"
)

// raw is a client that can send any bytes.
type raw struct {
	t      *testing.T
	in     io.WriteCloser
	lines  chan string // closed when the server says no more
	served chan error
}

// answer is what comes back to a raw client.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// newRaw returns a raw client that has done the handshake.
func newRaw(t *testing.T, opts mcp.Options) *raw {
	t.Helper()
	r := startRaw(t, opts)
	r.greet("raw")
	return r
}

// startRaw returns a raw client of a new server.
func startRaw(t *testing.T, opts mcp.Options) *raw {
	t.Helper()
	s, err := mcp.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	r := &raw{t, inW, make(chan string, 1000), serve(ctx, s, inR, outW)}
	go func() {
		defer close(r.lines)
		for in := bufio.NewReader(outR); ; {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			r.lines <- line
		}
	}()
	t.Cleanup(func() {
		defer cancel()
		r.leave()
	})
	return r
}

// greet does the handshake as a client of that name.
func (r *raw) greet(name string) {
	r.t.Helper()
	r.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + today + `","capabilities":{},"clientInfo":{"name":"` + name + `","version":"1"}}}`)
	r.answers(1)
	r.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// toolCall is a call as it goes over the wire.
func toolCall(id any, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
}

// say sends lines in one write.
func (r *raw) say(lines ...string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, strings.Join(lines, "\n")+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// answers returns the next n messages that answer something.
func (r *raw) answers(n int) []answer {
	r.t.Helper()
	late := time.After(patience)
	var all []answer
	for len(all) < n {
		select {
		case line, more := <-r.lines:
			var a answer
			if !more || json.Unmarshal([]byte(line), &a) != nil {
				r.t.Fatalf("%d answers, want %d; then %q", len(all), n, line)
			}
			if a.Method == "" {
				all = append(all, a)
			}
		case <-late:
			r.t.Fatalf("%d answers, want %d", len(all), n)
		}
	}
	return all
}

// leave says nothing more, and waits until the server has ended. It may be called twice.
func (r *raw) leave() {
	r.t.Helper()
	_ = r.in.Close()
	select {
	case err := <-r.served:
		if err != nil {
			r.t.Errorf("Serve: %v", err)
		}
		r.served <- nil
	case <-time.After(patience):
		r.t.Error("Serve does not end with its client")
	}
}
