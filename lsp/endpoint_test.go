package lsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

const endpointToken = "0123456789abcdef0123456789abcdef"

// endpointWorld is an editor whose server has an endpoint.
type endpointWorld struct {
	*session
	endpoint *lsp.Endpoint
	log      *lockedLog
}

type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startEndpoint starts an editor in a workspace that holds files.
func startEndpoint(t *testing.T, files map[string]string, opts headless.Options, after func(time.Duration) <-chan time.Time) *endpointWorld {
	t.Helper()
	ours, theirs, _ := watchedPipe(t)
	return startEndpointAt(t, ours, theirs, files, opts, after)
}

// startEndpointAt starts them at the two ends of a connection.
func startEndpointAt(t *testing.T, ours, theirs net.Conn, files map[string]string, opts headless.Options, after func(time.Duration) <-chan time.Time) *endpointWorld {
	t.Helper()
	s := &session{t: t, root: t.TempDir(), done: make(chan error, 1)}
	return startEndpointLogging(s, ours, theirs, files, opts, after, slog.LevelInfo)
}

// startEndpointLogging starts them for a session that has its folder, with a log of that level. The workspace folders of opts
// are below it.
func startEndpointLogging(s *session, ours, theirs net.Conn, files map[string]string, opts headless.Options, after func(time.Duration) <-chan time.Time, level slog.Level) *endpointWorld {
	t, root := s.t, s.root
	t.Helper()
	for name, content := range files {
		writeFile(t, filepath.Join(root, name), content)
	}
	d := &endpointWorld{session: s, log: &lockedLog{}}
	endpoints := make(chan *lsp.Endpoint, 1)
	go func() {
		d.done <- lsp.Serve(context.Background(), ours, lsp.Options{
			Version: "test", Log: slog.New(slog.NewJSONHandler(d.log, &slog.HandlerOptions{Level: level})), After: after,
			Agents: func(ctx context.Context, endpoint *lsp.Endpoint) {
				endpoints <- endpoint
				<-ctx.Done()
			},
		})
	}()
	var err error
	if opts.Roots = slices.Clone(opts.Roots); opts.Roots == nil {
		opts.Roots = []string{""}
	}
	for i, folder := range opts.Roots {
		opts.Roots[i] = filepath.Join(root, folder)
	}
	if d.Editor, err = headless.Start(context.Background(), theirs, opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.Close()
		<-d.done
		if strings.Contains(d.log.String(), endpointToken) {
			t.Error("the token is in the log")
		}
	})
	d.endpoint = <-endpoints
	return d
}

// open opens a file in the editor, and waits until the server has it open: what an agent sends
// then comes by another connection, and may overtake the editor.
func (d *endpointWorld) open(name string) *headless.Buffer {
	d.t.Helper()
	b := d.session.open(name)
	if err := d.Call(context.Background(), "patchls/synced", map[string]any{}, nil); err != nil {
		d.t.Fatal(err)
	}
	return b
}

// connect connects an agent that has said nothing.
func (d *endpointWorld) connect() *rawClient {
	d.t.Helper()
	ours, theirs := net.Pipe()
	c := &rawClient{t: d.t, conn: theirs, messages: make(chan message, 10_000), done: make(chan error, 1)}
	go func() { c.done <- d.endpoint.Serve(context.Background(), ours, endpointToken) }()
	go c.read()
	d.t.Cleanup(func() {
		_ = c.conn.Close()
		for range c.messages {
		}
	})
	return c
}

// enter connects an agent that is let in.
func (d *endpointWorld) enter() *rawClient {
	d.t.Helper()
	c := d.connect()
	c.knock(endpointToken)
	if m := c.answer(`"init"`); m.Error != nil {
		d.t.Fatal(m.Error.Message)
	}
	return c
}

func (c *rawClient) knock(token string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"clientInfo":{"name":"an agent"},"initializationOptions":{"token":%q,"changes":true}}}`, token)
}

// call runs a command that must succeed.
func (c *rawClient) call(command, arguments string) json.RawMessage {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"call","method":"workspace/executeCommand","params":{"command":"patchls.%s","arguments":[%s]}}`, command, arguments)
	m := c.answer(`"call"`)
	if m.Error != nil {
		c.t.Fatalf("%s: %s", command, m.Error.Message)
	}
	return m.Result
}

func TestAnAgentEditsWhatTheUserHasOpen(t *testing.T) {
	d := startEndpoint(t, map[string]string{"a.txt": "one\n"}, headless.Options{}, nil)
	b := d.open("a.txt")
	if err := b.Replace(0, 0, "typed "); err != nil {
		t.Fatal(err)
	}
	// The agent has a connection of its own; this call makes the server read what was typed first.
	if _, err := d.Execute(t.Context(), "patchls.list", args{}); err != nil {
		t.Fatal(err)
	}
	var r transaction.Result
	if err := json.Unmarshal(d.enter().call("str_replace", `{"path":"a.txt","old_str":"typed one","new_str":"two"}`), &r); err != nil {
		t.Fatal(err)
	}
	if !r.Verified || b.Text() != "two\n" || d.disk("a.txt") != "one\n" {
		t.Errorf("verified %v, buffer %q, disk %q", r.Verified, b.Text(), d.disk("a.txt"))
	}
}

// What one agent was shown does not count as shown to another one.
func TestEachAgentHasItsOwnLedger(t *testing.T) {
	d := startEndpoint(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{}, nil)
	d.open("a.txt")
	reads, blind := d.enter(), d.enter()
	reads.call("text_editor", `{"action":"read","path":"a.txt"}`)
	blind.send(`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"patchls.text_editor","arguments":[{"action":"patch","path":"a.txt","edits":[{"from":1,"to":1,"content":"x\n"}]}]}}`)
	blind.wantKind(blind.answer("1"), "stale")
	reads.call("text_editor", `{"action":"patch","path":"a.txt","edits":[{"from":1,"to":1,"content":"x\n"}]}`)
}

func TestARefusedAgentGetsNothing(t *testing.T) {
	tests := []struct{ name, first string }{
		{"wrong token", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"initializationOptions":{"token":"0123456789abcdef0123456789abcdeX"}}}`},
		{"no token", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`},
		{"no initialize", `{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"patchls.list","arguments":[{}]}}`},
	}
	never := func(d time.Duration) <-chan time.Time {
		if d == 5*time.Second {
			return nil // who is refused does not wait for that
		}
		return time.After(d)
	}
	d := startEndpoint(t, map[string]string{"a.txt": "one\n"}, headless.Options{}, never)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := d.connect()
			c.t = t
			c.send("%s", tt.first)
			m := c.answer("1")
			if m.Error == nil || strings.Contains(m.Error.Message, endpointToken) {
				t.Fatalf("answered %+v %s", m.Error, m.Result) // who is served may wait for ever
			}
			for m := range c.messages {
				t.Fatalf("another message: %+v", m)
			}
			if err := <-c.done; err == nil {
				t.Error("it was served")
			}
		})
	}
}

func TestAnAgentThatSaysNothingIsRefused(t *testing.T) {
	late := make(chan time.Time)
	d := startEndpoint(t, nil, headless.Options{}, func(after time.Duration) <-chan time.Time {
		if after == 5*time.Second {
			return late
		}
		return time.After(after)
	})
	known, silent := d.enter(), d.connect()
	late <- time.Time{}
	late <- time.Time{}
	for m := range silent.messages {
		t.Errorf("it got %+v", m)
	}
	if err := <-silent.done; err == nil {
		t.Error("it was served")
	}
	known.call("list", `{}`)
}

// An agent gets no more than docs/build/socket.md allows: it cannot play the editor.
func TestAnAgentIsNotTheEditor(t *testing.T) {
	d := startEndpoint(t, map[string]string{"a.txt": "one\n"}, headless.Options{}, nil)
	b := d.open("a.txt")
	run[view.Listing](d.session, "list", args{}) // the server has it by now
	c := d.enter()
	uri := paths.FileURI(d.path("a.txt"))
	c.open(uri, "another text")
	c.change(uri, `[{"text":"another text"}]`)
	c.send(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":%q}}}`, uri)
	c.send(`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{"event":{"added":[{"uri":"file:///","name":"all"}],"removed":[]}}}`)
	for _, method := range []string{"patchls/synced", "patchls/execute", "textDocument/diagnostic", "initialize"} {
		c.send(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":{}}`, method, method)
		if m := c.answer(fmt.Sprintf("%q", method)); m.Error == nil {
			t.Errorf("%s: answered %s", method, m.Result)
		}
	}
	var v view.View
	if err := json.Unmarshal(c.call("view", `{"path":"a.txt"}`), &v); err != nil {
		t.Fatal(err)
	}
	if v.Text != "     1\tone" || !v.Open || b.Text() != "one\n" {
		t.Errorf("view says %+v", v)
	}
	c.send(`{"jsonrpc":"2.0","id":9,"method":"workspace/executeCommand","params":{"command":"patchls.view","arguments":[{"path":"../../etc/hosts"}]}}`)
	c.wantKind(c.answer("9"), "outside_workspace")
}

// A million small messages must not be held for an agent that reads no answers.
func TestAnAgentThatNeverReadsIsNotListenedTo(t *testing.T) {
	d := startEndpoint(t, nil, headless.Options{}, nil)
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- d.endpoint.Serve(context.Background(), ours, endpointToken) }()
	frame := func(body string) []byte { return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body) }
	hello := fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"initializationOptions":{"token":%q}}}`, endpointToken)
	if _, err := theirs.Write(frame(hello)); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Read(make([]byte, 10_000)); err != nil { // the answer, and no other
		t.Fatal(err)
	}
	small := frame(`{"jsonrpc":"2.0","id":1,"method":"nothing"}`)
	many := bytes.Repeat(small, 1_000)
	_ = theirs.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)) // what was not taken by then never is
	taken := 0
	for {
		n, err := theirs.Write(many)
		if taken += n; err != nil {
			break
		}
	}
	if most := 1 << 20; taken > most {
		t.Errorf("%d bytes of messages were taken, though no answer was read; the bound is %d", taken, most)
	}
	_ = theirs.Close()
	<-served
}

func TestAnAgentsRequestsAreBounded(t *testing.T) {
	held := make(chan struct{})
	d := startEndpoint(t, map[string]string{"a.txt": "one\n"}, headless.Options{Habits: personas.Decides(func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, apply func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error) {
		<-held
		return apply(p), nil
	})}, nil)
	c := d.enter()
	d.open("a.txt")
	for i := range 65 {
		c.send(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.insert","arguments":[{"path":"a.txt","after_line":0,"content":"x"}]}}`, i)
	}
	m := c.answer("64")
	close(held)
	if m.Error == nil || !strings.Contains(m.Error.Message, "64") {
		t.Errorf("the 65th request was answered %+v %s", m.Error, m.Result)
	}
}

func TestTooLongAMessageOfAnAgent(t *testing.T) {
	d := startEndpoint(t, nil, headless.Options{}, nil)
	stranger := d.connect()
	stranger.bytes("Content-Length: %d\r\n\r\n", 1<<30)
	if m := <-stranger.messages; m.Error == nil || !strings.Contains(m.Error.Message, "65536") {
		t.Errorf("answered %+v", m)
	}
	known := d.enter()
	known.bytes("Content-Length: %d\r\n\r\n", 1<<30)
	if m := <-known.messages; m.Error == nil || !strings.Contains(m.Error.Message, "134217728") {
		t.Errorf("answered %+v", m)
	}
}

func TestAnAgentIsToldOfChanges(t *testing.T) {
	d := startEndpoint(t, map[string]string{"a.txt": "one\n"}, headless.Options{}, nil)
	c := d.enter()
	told := func() {
		t.Helper()
		for m := range c.messages {
			if m.Method == "patchls/changed" {
				return
			}
		}
		t.Fatal("the connection ended")
	}
	b := d.open("a.txt")
	told()
	if err := b.Replace(0, 0, "x"); err != nil {
		t.Fatal(err)
	}
	told()
	var doc view.Document
	if err := json.Unmarshal(c.call("document", fmt.Sprintf(`{"uri":%q}`, paths.FileURI(d.path("a.txt")))), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Text != "xone\n" {
		t.Errorf("the text is %q", doc.Text)
	}
}

// An agent that runs in a folder of the workspace may name files relative to that
// folder; that gives it access to no further files.
func TestAnAgentHasAFolderOfItsOwn(t *testing.T) {
	d := startEndpoint(t, map[string]string{"a.txt": "root\n", "sub/a.txt": "sub\n", "b.txt": "root\n"}, headless.Options{}, nil)
	in := func(root string) *rawClient {
		c := d.connect()
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"initializationOptions":{"token":%q,"root":%q}}}`, endpointToken, root)
		if m := c.answer("0"); m.Error != nil {
			t.Fatal(m.Error.Message)
		}
		return c
	}
	c := in(d.path("sub"))
	c.call("str_replace", `{"path":"a.txt","old_str":"sub","new_str":"x"}`)
	c.call("str_replace", `{"path":"b.txt","old_str":"root","new_str":"x"}`)
	c.call("create", `{"path":"new.txt","content":"x"}`)
	for name, want := range map[string]string{"sub/a.txt": "x\n", "b.txt": "x\n", "sub/new.txt": "x"} {
		if b, ok := d.Buffer(d.path(name)); !ok || b.Text() != want {
			t.Errorf("%s: open %v, want %q", name, ok, want)
		}
	}
	elsewhere := t.TempDir()
	writeFile(t, filepath.Join(elsewhere, "c.txt"), "secret\n")
	out := in(elsewhere)
	out.send(`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"patchls.view","arguments":[{"path":"c.txt"}]}}`)
	out.wantKind(out.answer("1"), "outside_workspace")
}

func TestTheEndpointKnowsTheRoots(t *testing.T) {
	d := startEndpoint(t, nil, headless.Options{}, nil)
	roots, changed := d.endpoint.Roots()
	if !slices.Equal(roots, []string{d.root}) {
		t.Errorf("the roots are %q", roots)
	}
	more := t.TempDir()
	if err := d.Notify(context.Background(), "workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added": []any{map[string]any{"uri": paths.FileURI(more), "name": "more"}}, "removed": []any{},
	}}); err != nil {
		t.Fatal(err)
	}
	<-changed
	if roots, _ := d.endpoint.Roots(); !slices.Equal(roots, []string{d.root, more}) {
		t.Errorf("the roots are %q", roots)
	}
}

// TestAnIdleAgentGivesWay: of those that wait for no answer, the one whose last call is the oldest. If all
// wait for answers, only the user's own commands get in, until twice as many are connected.
func TestAnIdleAgentGivesWay(t *testing.T) {
	const most = 32 // the default of max_agents
	asked, answer := make(chan struct{}), make(chan struct{})
	d := startEndpoint(t, map[string]string{"a.txt": "one\n"}, headless.Options{
		Settings: map[string]any{"apply_timeout_ms": hang.Milliseconds()}, // none of the edits may end before all agents were tried
		Habits: personas.Decides(func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, apply func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error) {
			close(asked)
			<-answer
			return apply(p), nil
		}),
	}, nil)
	d.open("a.txt")
	const edit = `{"jsonrpc":"2.0","id":"call","method":"workspace/executeCommand","params":{"command":"patchls.write","arguments":[{"path":"a.txt","content":"two"}]}}`
	var inside []*rawClient
	for range most {
		inside = append(inside, d.enter())
	}
	inside[0].send(edit)
	<-asked
	inside[1].call("list", `{}`)
	for i := range most - 1 {
		last := d.enter()
		last.send(edit)         // which waits for the one before it
		last.call("list", `{}`) // the server has read the edit before this
		<-inside[(i+1)%(most-1)+1].done
	}
	late := d.connect()
	late.knock(endpointToken)
	if m := late.answer(`"init"`); m.Error == nil || !strings.Contains(m.Error.Message, "max_agents (32)") {
		t.Errorf("one too many got %+v", m)
	}
	for i := range most + 1 {
		own := d.connect()
		own.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"clientInfo":{"name":"patchls"},"initializationOptions":{"token":%q}}}`, endpointToken)
		switch m := own.answer(`"init"`); {
		case m.Error == nil && i < most:
			own.send(edit)
			own.call("list", `{}`)
		case m.Error == nil || i < most || !strings.Contains(m.Error.Message, "max_agents (32)"):
			t.Errorf("command %d of the user's: %+v", i, m.Error)
		}
	}
	close(answer)
	if m := inside[0].answer(`"call"`); m.Error != nil {
		t.Errorf("the edit: %s", m.Error.Message)
	}
}

// TestAConnectionWithoutTheTokenGivesWay: where twice as many are connected as there may be agents, the oldest that has not
// shown the token leaves for the next, and an agent that has shown it never does.
func TestAConnectionWithoutTheTokenGivesWay(t *testing.T) {
	const most, more = 2 * 32, 8 // most by the default of max_agents
	d := startEndpoint(t, nil, headless.Options{}, func(time.Duration) <-chan time.Time { return nil })
	known := d.enter()
	var silent []*rawClient
	for range most - 1 + more {
		c := d.connect()
		if _, err := c.conn.Write([]byte("C")); err != nil { // it is counted once a byte is read
			t.Fatal(err)
		}
		silent = append(silent, c)
	}
	for i, c := range silent[:more] {
		select {
		case <-c.done:
		case <-time.After(10 * time.Second):
			t.Fatalf("connection %d did not have to leave", i)
		}
	}
	known.call("list", `{}`)
	for i, c := range silent[more:] {
		if len(c.done) > 0 {
			t.Errorf("connection %d had to leave", more+i)
		}
	}
}

// TestAnEditorThatCannotBeEdited: an agent is told that nothing was done, and cannot take the answer for an edit. The
// editor's own client gets the edit to apply itself.
func TestAnEditorThatCannotBeEdited(t *testing.T) {
	d := startEndpoint(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) { c.Workspace.ApplyEdit = nil },
	}, nil)
	d.open("a.txt")
	c := d.enter()
	for command, arguments := range map[string]string{
		"str_replace":  `{"path":"a.txt","old_str":"one","new_str":"two"}`,
		"write":        `{"path":"b.txt","content":"three\n"}`,
		"create":       `{"path":"c.txt","content":"three\n"}`,
		"apply_patch":  `{"patch":"*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** Delete File: b.txt\n*** End Patch"}`,
		"edit_file":    `{"path":"a.txt","old_text":"one","new_text":"two"}`,
		"delete_lines": `{"path":"a.txt","start_line":1,"end_line":1}`,
	} {
		c.send(`{"jsonrpc":"2.0","id":%q,"method":"workspace/executeCommand","params":{"command":"patchls.%s","arguments":[%s]}}`, command, command, arguments)
		if m := c.answer(fmt.Sprintf("%q", command)); m.Error == nil {
			t.Errorf("%s: answered %s", command, m.Result)
		} else if command != "edit_file" {
			c.wantKind(m, "unsupported")
		}
	}
	var dry transaction.Result
	if err := json.Unmarshal(c.call("str_replace", `{"path":"a.txt","old_str":"one","new_str":"two","dry_run":true}`), &dry); err != nil || dry.Diff == "" {
		t.Errorf("a dry run: %v, %v", dry, err)
	}
	if own := run[transaction.Result](d.session, "str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"}); own.Applied || own.WorkspaceEdit == nil {
		t.Errorf("the editor's own client got %+v", own)
	}
}

// TestThePatchOfAnAgentInAFolder: the names in a diff of git are counted from the top of the work tree, and those below
// "cd folder && apply_patch" from that folder.
func TestThePatchOfAnAgentInAFolder(t *testing.T) {
	const one = "--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1 @@\n-one\n+two\n"
	git := func(name string) string { return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n"+one, name) }
	shell := func(folder, name string) string {
		return fmt.Sprintf("cd %s && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: %s\n@@\n-one\n+two\n*** End Patch\nEOF\n", folder, name)
	}
	for _, tt := range []struct{ name, patch, edited string }{
		{"at both, of which the workspace has one", git("a.txt"), ""},
		{"at the top alone, which the workspace has not", git("top.txt"), "outside_workspace"},
		{"from the top", git("web/b.txt"), "web/b.txt"},
		{"at the top", git("top.txt"), "top.txt"},
		{"relative", git("b.txt"), "web/b.txt"},
		{"at both", git("a.txt"), ""},
		{"at both, and another tells", git("a.txt") + git("top.txt"), "a.txt"},
		{"no diff of git", fmt.Sprintf(one, "a.txt"), "web/a.txt"},
		{"after cd", shell("sub", "a.txt"), "web/sub/a.txt"},
		{"after cd to another folder", shell("../lib", "a.txt"), "lib/a.txt"},
		{"after cd to a quoted folder", shell("'sub'", "a.txt"), "web/sub/a.txt"},
		{"after cd to a folder that the shell computes", shell("$DIR", "a.txt"), "patch_syntax"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{".git/HEAD": "", "top.txt": "one\n"}
			for _, folder := range []string{"", "web/", "web/sub/", "lib/"} {
				files[folder+"a.txt"], files[folder+"b.txt"] = "one\n", "one\n"
			}
			delete(files, "b.txt")
			var opts headless.Options
			if strings.Contains(tt.name, "the workspace has") {
				opts.Roots = []string{"web"}
			}
			d := startEndpoint(t, files, opts, nil)
			c := d.connect()
			c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"clientInfo":{"name":"an agent"},"initializationOptions":{"token":%q,"root":%q}}}`, endpointToken, d.path("web"))
			c.answer(`"init"`)
			raw, _ := json.Marshal(map[string]string{"patch": tt.patch})
			c.send(`{"jsonrpc":"2.0","id":"call","method":"workspace/executeCommand","params":{"command":"patchls.apply_patch","arguments":[%s]}}`, raw)
			m := c.answer(`"call"`)
			if !strings.Contains(tt.edited, ".") && tt.edited != "" {
				c.wantKind(m, tt.edited)
				return
			}
			if tt.edited == "" {
				top, below := "a.txt", "web/a.txt"
				if opts.Roots != nil {
					top, below = d.path("a.txt"), "a.txt"
				}
				if m.Error == nil || !strings.Contains(m.Error.Message, fmt.Sprintf("there is %s, and there is %s too", top, below)) {
					t.Errorf("got %s, %+v; want that both are named", m.Result, m.Error)
				}
				return
			}
			var r transaction.Result
			if m.Error != nil || json.Unmarshal(m.Result, &r) != nil || r.Files[0].Path != tt.edited {
				t.Errorf("got %s, %+v; want an edit of %s", m.Result, m.Error, tt.edited)
			}
		})
	}
}
