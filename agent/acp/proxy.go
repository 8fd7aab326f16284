package acp

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/view"
)

// proxy is between a client and an agent.
type proxy struct {
	find    *agent.Finder
	actors  string // names this process: agents may count their sessions from 1
	self    server
	client  end
	agent   end
	version atomic.Int32 // of the protocol, 0 until the two have agreed on one
}

// end is where lines go.
type end struct {
	mu sync.Mutex // held for a whole line
	io.Writer
}

// line writes a line. err is the error with which it was read from r: of a line that was not read to its end, the rest is
// copied as it comes.
func (e *end) line(line []byte, r *bufio.Reader, err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		if _, failed := e.Write(line); failed != nil || !errors.Is(err, bufio.ErrBufferFull) {
			return cmp.Or(failed, err)
		}
		line, err = r.ReadSlice('\n')
	}
}

// newProxy returns a proxy that has agents start patchls mcp by the command self.
func newProxy(find *agent.Finder, self string) *proxy {
	p := &proxy{
		find: find, actors: rand.Text(),
		self: server{Name: "patchls", Command: self, Args: []string{"mcp"}, Env: []map[string]string{}},
	}
	p.find.Client.Unseen = true                              // the answer to a write is empty
	if name := os.Getenv(agent.SocketVariable); name != "" { // agents may not pass their environment on
		p.self.Env = append(p.self.Env, map[string]string{"name": agent.SocketVariable, "value": name})
	}
	return p
}

// fromClient passes the client's messages on to the agent, until in ends. Some of them name MCP servers.
func (p *proxy) fromClient(in io.Reader) error {
	takeServers := []string{"session/new", "session/load", "session/resume", "session/fork"}
	return carry(in, &p.agent, framing.MaxLine, func(line []byte) []byte {
		var m message
		if json.Unmarshal(line, &m) != nil || !slices.Contains(takeServers, m.Method) {
			p.prompted(m)
			return line
		}
		self := p.self
		if p.version.Load() > 1 {
			self.Type = "stdio"
		}
		return self.addTo(line)
	})
}

// prompted tells the editors of a prompt, with which a turn of the agent begins.
func (p *proxy) prompted(m message) {
	var r struct {
		SessionID string `json:"sessionId"`
		Prompt    []struct{ Text string }
	}
	if m.Method == "session/prompt" && json.Unmarshal(m.Params, &r) == nil && len(r.Prompt) > 0 {
		p.find.Begin(context.Background(), p.actor(r.SessionID), r.Prompt[0].Text)
	}
}

// actor names a session, in one word, since those that begin with the same word are one conversation.
func (p *proxy) actor(session string) string { return p.actors + "/" + url.PathEscape(session) }

// fromAgent passes the agent's messages on to the client, until in ends, except for requests that are answered here.
func (p *proxy) fromAgent(in io.Reader) error {
	return carry(in, &p.client, framing.MaxLine, func(line []byte) []byte {
		var m message
		switch {
		case json.Unmarshal(line, &m) != nil:
		case m.Method == "" && p.version.Load() == 0:
			p.greeted(m.Result)
		case len(m.ID) > 0:
			if answer := p.answer(m); answer != nil {
				_ = p.agent.line(answer, nil, nil) // an agent that no longer reads is about to end
				return nil
			}
		}
		return line
	})
}

// greeted handles an answer of the agent, which may be the one to initialize.
func (p *proxy) greeted(result json.RawMessage) {
	var g struct { // in both versions of the protocol
		ProtocolVersion int32 `json:"protocolVersion"`
		AgentInfo, Info struct{ Name, Version string }
	}
	if json.Unmarshal(result, &g) != nil || g.ProtocolVersion == 0 {
		return
	}
	p.version.Store(g.ProtocolVersion)
	if name := cmp.Or(g.AgentInfo.Name, g.Info.Name); strings.TrimSpace(name) != "" {
		p.find.Client.Name, p.find.Client.Version = name, cmp.Or(g.AgentInfo.Version, g.Info.Version)
	}
}

// answer returns the line that answers a request, nil if the client is to answer it.
func (p *proxy) answer(m message) []byte {
	result, err := p.file(m)
	if result == nil && err == nil {
		return nil
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}
	if err != nil {
		answer = map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32603, "message": words.ErrorOfWhole(err)}}
	}
	line, _ := json.Marshal(answer) // strings, numbers and valid JSON always encode
	return append(line, '\n')
}

// carry copies lines to out. Each line of up to most bytes is replaced by what change returns; nil drops the line. A
// longer line is copied as it comes.
func carry(in io.Reader, out *end, most int, change func(line []byte) []byte) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := framing.Line(r, most)
		if len(line) > 0 && !errors.Is(err, bufio.ErrBufferFull) {
			line = change(line)
		}
		if len(line) > 0 {
			err = out.line(line, r, err)
		}
		if err != nil {
			return err
		}
	}
}

// file returns the result of a request for a file that a live editor has open, or an error for the agent. If the client is
// to answer, both are nil.
func (p *proxy) file(m message) (any, error) {
	isWrite := m.Method == "fs/write_text_file"
	var r struct {
		SessionID string  `json:"sessionId"`
		Path      string  `json:"path"`
		Line      int     `json:"line"` // from 1
		Limit     *int    `json:"limit"`
		Content   *string `json:"content"`
	}
	if !isWrite && m.Method != "fs/read_text_file" ||
		json.Unmarshal(m.Params, &r) != nil || !filepath.IsAbs(r.Path) || isWrite == (r.Content == nil) {
		return nil, nil
	}
	doc, err := p.find.Open(context.Background(), isWrite, r.Path)
	if doc == nil {
		return nil, err
	}
	actor := p.actor(r.SessionID)
	if isWrite {
		ctx, cancel := context.WithTimeout(context.Background(), agent.WriteTime)
		defer cancel()
		_, err := doc.Editor.Execute(ctx, agent.Call{Command: "write", Arguments: commands.Write{Path: doc.URI, Write: command.Write{Content: *r.Content}}, Actor: actor})
		if words.IsKind(err, edits.NoChange) {
			err = nil
		}
		return struct{}{}, err
	}
	shown, err := agent.Document(context.Background(), doc.Editor, actor, view.DocumentArgs{URI: doc.URI, StartLine: r.Line, Limit: r.Limit, Shown: true})
	if err != nil && !doc.Unsaved {
		return nil, nil // the disk has the text
	}
	return map[string]string{"content": shown.Text}, err
}

// lastTime is how long to wait for the last output of an agent after it has ended.
const lastTime = time.Second

// Run runs an agent for the client at the other end of in and out, and returns the agent's exit code. It forwards the
// signals to the agent. The agent's edits have the name that the agent gives itself, or else the name in find.Client.
func Run(program []string, in io.Reader, out io.Writer, find *agent.Finder, signals ...os.Signal) (int, error) {
	self, err := ownPath()
	if err != nil {
		return 0, err
	}
	defer find.Close()
	p := newProxy(find, self)
	program = append(slices.Clip(program), p.self.flags(program)...)
	said, saying := io.Pipe()
	cmd := exec.CommandContext(context.Background(), program[0], program[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = saying, os.Stderr, lastTime
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	p.client.Writer, p.agent.Writer = out, stdin
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // this program ignores SIGPIPE, which the agent would inherit; of a handled signal it gets the default
	handed := make(chan os.Signal, 16)
	signal.Notify(handed, signals...)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range handed {
			_ = cmd.Process.Signal(s) // it may have ended
		}
	}()
	go func() {
		_ = p.fromClient(in) // the client has left, or the agent no longer reads
		_ = stdin.Close()
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = said.CloseWithError(p.fromAgent(said)) // from now on the agent's writes fail, as if the client had left
	}()
	err = cmd.Wait()
	_ = saying.Close() // it never fails
	select {
	case <-done:
	case <-time.After(lastTime): // the client does not read
	}
	if cmd.ProcessState == nil {
		return 0, err
	}
	if status, is := cmd.ProcessState.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return 128 + int(status.Signal()), nil // as shells do
	}
	return cmd.ProcessState.ExitCode(), nil
}

// ownPath returns the path by which this program was started. Links are not resolved: they survive an upgrade.
func ownPath() (string, error) {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}
