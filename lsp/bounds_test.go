package lsp_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/workspace/paths"
)

// boundTest tries a bound from outside.
type boundTest struct {
	value int // that is set
	// try does something of size n, and returns what the server says about it, or "" if
	// the server accepts it.
	try func(w *boundWorld, n int) string
	// waits: the size of the bound itself is already too much.
	waits bool
}

// TestBounds tries every bound just below, at and just above its value. A bound without a test fails.
func TestBounds(t *testing.T) {
	for i := range bounds.All {
		name := bounds.All[i].Name
		t.Run(name, func(t *testing.T) {
			tt, ok := boundTests[name]
			if !ok && boundsElsewhere[name] == "" {
				t.Fatal("the bound has no test")
			}
			for n := tt.value - 1; ok && n <= tt.value+1; n++ {
				said := tt.try(startBounded(t, name, tt.value), n)
				exceeds := n > tt.value || tt.waits && n == tt.value
				if named := strings.Contains(said, fmt.Sprintf("%s (%d)", name, tt.value)); named != exceeds || said != "" && !exceeds {
					t.Errorf("%d of %d: it said %q", n, tt.value, said)
				}
			}
		})
	}
}

// boundsElsewhere are the bounds that another test has: those of the socket.
var boundsElsewhere = map[string]string{
	"max_agents":       "TestAnIdleAgentGivesWay",
	"write_timeout_ms": "agent.TestAgentThatNeverReads",
}

// boundWorld is a server with one bound set.
type boundWorld struct {
	*rawClient
	root     string
	endpoint chan *lsp.Endpoint
	log      *lockedLog
	time     *heldTime
}

// heldTime is a clock whose time passes when a test says so.
type heldTime struct {
	mu     sync.Mutex
	passed time.Duration
	timers map[chan time.Time]time.Duration
}

func (h *heldTime) after(d time.Duration) <-chan time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := make(chan time.Time)
	if d <= h.passed {
		close(c)
		return c
	}
	if h.timers == nil {
		h.timers = map[chan time.Time]time.Duration{}
	}
	h.timers[c] = d
	return c
}

// pass lets that many milliseconds pass, also for timers that begin later.
func (h *heldTime) pass(ms int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passed = time.Duration(ms) * time.Millisecond
	for c, d := range h.timers {
		if d <= h.passed {
			close(c)
			delete(h.timers, c)
		}
	}
}

func startBounded(t *testing.T, name string, value int) *boundWorld {
	t.Helper()
	w := &boundWorld{root: t.TempDir(), endpoint: make(chan *lsp.Endpoint, 1), log: &lockedLog{}, time: &heldTime{}}
	given, set := map[string]int64{name: int64(value)}, "{}"
	if slices.ContainsFunc(bounds.All[:], func(b bounds.Bound) bool { return b.Name == name && b.Setting }) {
		given, set = nil, fmt.Sprintf("{%q:%d}", name, value)
	}
	w.rawClient = startRaw(t, lsp.Options{
		Bounds: given,
		Log:    slog.New(slog.NewTextHandler(w.log, nil)), After: w.time.after,
		Agents: func(ctx context.Context, endpoint *lsp.Endpoint) {
			w.endpoint <- endpoint
			<-ctx.Done()
		},
	})
	w.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"processId":null,"rootUri":%q,"initializationOptions":%s,"capabilities":{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true,"resourceOperations":["create"]}}}}}`, paths.FileURI(w.root), set)
	w.answer(`"init"`)
	w.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return w
}

// said returns the message of an error, "" for a success.
func said(m message) string {
	if m.Error == nil {
		return ""
	}
	return m.Error.Message
}

// saidOf returns the message of an error if it names the bound. It is for requests that fail in any case.
func saidOf(m message, bound string) string {
	if s := said(m); strings.Contains(s, bound) {
		return s
	}
	return ""
}

func (c *rawClient) execute(id int, command, arguments string) {
	c.send(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"patchls.%s","arguments":[%s]}}`, id, command, arguments)
}

// dryPatch runs a patch as a dry run and returns its error message, "" for none.
func (w *boundWorld) dryPatch(patch string) string {
	w.execute(1, "apply_patch", fmt.Sprintf(`{"patch":%s,"dry_run":true}`, quote(patch)))
	return said(w.answer("1"))
}

// agent is a connection at the endpoint.
func (w *boundWorld) agent() (c *rawClient, refused chan error) {
	ours, theirs := net.Pipe()
	c, refused = &rawClient{t: w.t, conn: theirs, messages: make(chan message, 100)}, make(chan error, 1)
	endpoint := <-w.endpoint
	go func() { refused <- endpoint.Serve(context.Background(), ours, endpointToken) }()
	go c.read()
	w.t.Cleanup(func() {
		_ = theirs.Close()
		for range c.messages {
		}
	})
	return c, refused
}

func (c *rawClient) hello() {
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"initializationOptions":{"token":%q}}}`, endpointToken)
	c.answer("0")
}

const replaceOne = `{"path":"untitled:doc","old_str":"one","new_str":"two"}`

// unanswered has n requests of c under way. The last one needs neither editor nor user.
func (w *boundWorld) unanswered(c *rawClient, n int) string {
	w.open("untitled:doc", "one\n")
	w.view("untitled:doc") // so it is there, also for what comes by another connection
	for i := range n - 1 {
		c.execute(i+1, "str_replace", replaceOne)
	}
	c.execute(n, "list", "{}")
	return said(c.answer(fmt.Sprint(n)))
}

// padded sends a request of n bytes.
func (c *rawClient) padded(n int) string {
	body := `{"jsonrpc":"2.0","id":7,"method":"workspace/executeCommand","params":{"command":"patchls.list","arguments":[{}]}}`
	c.send("%s%s", body, strings.Repeat(" ", n-len(body)))
	for m := range c.messages {
		if m.Method == "" {
			return said(m)
		}
	}
	return "the connection ended"
}

var boundTests = map[string]boundTest{
	"max_document_bytes": {value: 100, try: func(w *boundWorld, n int) string {
		w.open("untitled:doc", strings.Repeat("x", n))
		return said(w.view("untitled:doc"))
	}},
	"max_message_bytes": {value: 64 << 10, try: func(w *boundWorld, n int) string { return w.padded(n) }},
	"max_agent_message_bytes": {value: 64 << 10, try: func(w *boundWorld, n int) string {
		a, _ := w.agent()
		a.hello()
		return a.padded(n)
	}},
	"max_requests": {value: 3, try: func(w *boundWorld, n int) string { return w.unanswered(w.rawClient, n) }},
	"max_agent_requests": {value: 3, try: func(w *boundWorld, n int) string {
		a, _ := w.agent()
		a.hello()
		return w.unanswered(a, n)
	}},
	"max_patch_bytes": {value: 200, try: func(w *boundWorld, n int) string {
		w.open("untitled:doc", "one\n")
		head, foot := "*** Begin Patch\n*** Update File: untitled:doc\n@@\n-one\n+", "\n*** End Patch\n"
		return w.dryPatch(head + strings.Repeat("x", n-len(head)-len(foot)) + foot)
	}},
	"max_patch_files": {value: 3, try: func(w *boundWorld, n int) string {
		patch := "*** Begin Patch\n"
		for i := range n {
			patch += fmt.Sprintf("*** Add File: %d.txt\n+x\n", i)
		}
		return w.dryPatch(patch + "*** End Patch\n")
	}},
	"max_hunks": {value: 3, try: func(w *boundWorld, n int) string {
		text, patch := "", "*** Begin Patch\n*** Update File: untitled:doc\n"
		for i := range n {
			text += fmt.Sprintf("line %d\nbetween\n", i)
			patch += fmt.Sprintf("@@\n-line %d\n+new %d\n", i, i)
		}
		w.open("untitled:doc", text)
		return w.dryPatch(patch + "*** End Patch\n")
	}},
	"max_matches": {value: 3, try: func(w *boundWorld, n int) string {
		w.open("untitled:doc", strings.Repeat("one\n", n))
		w.execute(1, "str_replace", replaceOne)
		return saidOf(w.answer("1"), "max_matches")
	}},
	"max_candidates": {value: 2, try: func(w *boundWorld, n int) string {
		text := ""
		for i := range n {
			text += fmt.Sprintf("the quick brown fox jumps over dog %d\n\nnothing of it\n\n", i)
		}
		w.open("untitled:doc", text)
		w.execute(1, "str_replace", `{"path":"untitled:doc","old_str":"the quick brown fox jumps over cat\n","new_str":"x"}`)
		return saidOf(w.answer("1"), "max_candidates")
	}},
	"max_history_bytes": {value: 8 << 10, try: func(w *boundWorld, n int) string {
		const overhead = 6*64 + len("A\n") // of the two changes that are remembered
		w.open("untitled:doc", "one\n")
		w.execute(1, "insert", `{"path":"untitled:doc","after_line":0,"content":"A"}`)
		m := w.request("workspace/applyEdit")
		w.change("untitled:doc", `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"A\n"}]`)
		w.send(`{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, m.ID)
		w.answer("1")
		w.change("untitled:doc", fmt.Sprintf(`[{"range":{"start":{"line":1,"character":3},"end":{"line":1,"character":3}},"text":%q}]`, strings.Repeat("x", n-overhead)))
		w.execute(2, "undo", `{"edit_id":"e1","dry_run":true}`)
		return said(w.answer("2"))
	}},
	"max_held_bytes": {value: 200 << 10, try: func(w *boundWorld, n int) string {
		w.open("untitled:doc", "one\n")
		w.open("untitled:other", "one\n")
		insert := func(id int, doc, more string, n int) { // of n bytes of parameters
			rest := fmt.Sprintf(`{"command":"patchls.insert","arguments":[{"path":%q,"after_line":0,"content":""%s}]}`, doc, more)
			w.execute(id, "insert", fmt.Sprintf(`{"path":%q,"after_line":0,"content":%q%s}`, doc, strings.Repeat("x", n-len(rest)), more))
		}
		insert(1, "untitled:doc", "", 100<<10)
		w.request("workspace/applyEdit")
		insert(2, "untitled:other", `,"dry_run":true`, n-100<<10)
		return said(w.answer("2"))
	}},
	"max_questions": {value: 2, try: func(w *boundWorld, n int) string {
		w.open("untitled:doc", "one\n")
		for i := range n {
			w.execute(i+1, "str_replace", `{"path":"untitled:doc","old_str":"one","new_str":"two","confirm":true}`)
			for m := range w.messages {
				if m.Method == "window/showMessageRequest" {
					break
				}
				if m.Method == "" {
					return said(m)
				}
			}
		}
		return ""
	}},
	"apply_timeout_ms": {value: 1000, waits: true, try: func(w *boundWorld, n int) string {
		w.open("untitled:doc", "one\n")
		w.execute(1, "str_replace", replaceOne)
		m := w.request("workspace/applyEdit")
		w.time.pass(n)
		if n < 1000 {
			w.change("untitled:doc", `[{"text":"two\n"}]`)
			w.send(`{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, m.ID)
		}
		return said(w.answer("1"))
	}},
	"ask_timeout_ms": {value: 1000, waits: true, try: func(w *boundWorld, n int) string {
		w.open("untitled:doc", "one\n")
		w.execute(1, "str_replace", `{"path":"untitled:doc","old_str":"one","new_str":"two","confirm":true}`)
		m := w.request("window/showMessageRequest")
		w.time.pass(n)
		if n < 1000 {
			w.send(`{"jsonrpc":"2.0","id":%s,"result":{"title":"Reject"}}`, m.ID)
		}
		return saidOf(w.answer("1"), "ask_timeout_ms")
	}},
	"hello_timeout_ms": {value: 1000, waits: true, try: func(w *boundWorld, n int) string {
		a, refused := w.agent()
		w.time.pass(n)
		if n < 1000 {
			a.hello()
			return ""
		}
		<-refused
		return w.log.String()
	}},
}
