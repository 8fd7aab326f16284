package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/patchls/patchls/internal/framing"
)

// client is the other end of a language server, or of an MCP server.
type client struct {
	pid   int
	end   func()
	in    io.WriteCloser
	out   *framing.Reader // of a language server
	lines *bufio.Reader   // of an MCP server
	last  int             // id of the last request
	body  []byte
}

// serve starts a server. It lives until close.
func serve(program string, args ...string) (*client, error) { return serveWith(nil, program, args...) }

// serveWith is serve with more in the environment.
func serveWith(environment []string, program string, args ...string) (*client, error) {
	cmd, ends, err := spawn(environment, program, args...)
	if err != nil {
		return nil, err
	}
	return &client{pid: cmd.Process.Pid, in: ends.out, out: framing.NewReader(ends), lines: bufio.NewReaderSize(ends, 64*kilobyte), end: func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}}, nil
}

// spawn starts a program with more in its environment, and returns the other ends
// of its stdin and stdout.
func spawn(environment []string, program string, args ...string) (*exec.Cmd, pair, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), environment...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, pair{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, pair{}, err
	}
	err = cmd.Start()
	return cmd, pair{out, in}, err
}

// pair is two one-way pipes as one connection.
type pair struct {
	io.ReadCloser
	out io.WriteCloser
}

func (p pair) Write(b []byte) (int, error) { return p.out.Write(b) }
func (p pair) Close() error                { return errors.Join(p.ReadCloser.Close(), p.out.Close()) }

// close ends the server without a shutdown request.
func (c *client) close() { c.end() }

// message is what a server sends.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// frame returns a message as it goes over the wire. An id of 0 is a notification's.
func frame(id int, method string, params any) []byte {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	if id != 0 {
		m["id"] = id
	}
	return framed(m)
}

func framed(m any) []byte { return withHeader(encoded(m)) }

// withHeader returns a body with its header.
func withHeader(body []byte) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// encoded returns v as JSON without HTML escapes, as editors write it.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // of our own making
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// next reads the next message. Its memory is reused by the following call.
func (c *client) next() (message, error) {
	var m message
	if err := c.read(); err != nil {
		return m, err
	}
	err := json.Unmarshal(c.body, &m)
	return m, err
}

func (c *client) read() (err error) {
	if c.body, err = c.out.Read(); err != nil {
		return fmt.Errorf("the server has ended: %w", err)
	}
	return nil
}

// call sends a request and returns the answer. What the server asks meanwhile is
// answered with null.
func (c *client) call(method string, params any) (json.RawMessage, error) {
	c.last++
	if _, err := c.in.Write(frame(c.last, method, params)); err != nil {
		return nil, err
	}
	return c.answer(c.last)
}

func (c *client) answer(id int) (json.RawMessage, error) {
	for {
		m, err := c.next()
		switch {
		case err != nil:
			return nil, err
		case m.Method != "" && m.ID != nil:
			if _, err := c.in.Write(framed(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})); err != nil {
				return nil, err
			}
		case m.Method == "" && string(m.ID) == strconv.Itoa(id):
			if m.Error != nil {
				return nil, errors.New(m.Error.Message)
			}
			return append(json.RawMessage(nil), m.Result...), nil
		}
	}
}

func (c *client) notify(method string, params any) error {
	_, err := c.in.Write(frame(0, method, params))
	return err
}

// initialize is the handshake of a client that has what an edit needs.
func (c *client) initialize() error {
	_, err := c.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": nil, "clientInfo": map[string]any{"name": "bench"},
		"capabilities": map[string]any{
			"general":   map[string]any{"positionEncodings": []string{"utf-16"}},
			"workspace": map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{"documentChanges": true}},
		},
	})
	if err != nil {
		return err
	}
	return c.notify("initialized", map[string]any{})
}

// started is serve and initialize.
func started(program string, args ...string) (*client, error) {
	c, err := serve(program, args...)
	if err != nil {
		return nil, err
	}
	if err := c.initialize(); err != nil {
		c.close()
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return c, nil
}
