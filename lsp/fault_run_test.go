package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// faultRun is the session in which one thing goes wrong: an editor at the end of a wire,
// the user at it, and an agent who came in at the endpoint. One goroutine, the driver,
// does one thing after the other.
type faultRun struct {
	t       *testing.T
	root    string
	moved   atomic.Int64
	clock   *faultClock
	wire    *faultWire  // between the editor and the server
	line    *faultWire  // between the agent and the server
	first   *faultWire  // that of the first agent
	asked   int         // how often the clock was asked in the session
	wrong   func() bool // the fault was there
	blind   bool
	patient bool // what is wrong is over

	editor   *headless.Editor
	done     chan struct{} // the server has ended
	endpoint *lsp.Endpoint
	inside   context.Context // of those who come in at the endpoint
	agents   sync.WaitGroup
	agent    *faultAgent
	began    map[string]string // the rev of each document when a command was sent

	keyboard sync.Mutex // one word is typed at a time

	mu     sync.Mutex
	typed  map[string][]string // words, by document
	edits  []*faultEdit
	applys int             // edits that the editor was asked for
	had    map[string]bool // revs of texts that were changed since
	failed []string
}

// One tick of real time, and how many ticks without any event it takes before await acts.
const (
	faultTick  = time.Millisecond
	soonTicks  = 2    // once the fault was there: something is waited for in vain
	lateTicks  = 400  // before it: nothing waits for the clock, but the machine may be slow
	lostTicks  = 40   // without a timer, where what is waited for need not come
	stuckTicks = 5000 // without a timer: a goroutine waits for ever

	// foreverTime, by the clock, is longer than any command or question to the user may take.
	foreverTime = 30 * time.Minute
)

// newFaultRun starts a server and an editor, as far as the fault lets them.
func newFaultRun(t *testing.T, root string, onWire, onLine *fault, wrong func(n int) clockFault) *faultRun {
	t.Helper()
	r := &faultRun{t: t, root: root, typed: map[string][]string{}, had: map[string]bool{}, done: make(chan struct{})}
	r.clock = &faultClock{moved: &r.moved, wrong: wrong}
	wire, server, peer := newFaultWire(onWire, &r.moved)
	r.wire = wire
	r.wrong = func() bool {
		return wrong != nil || onWire != nil && r.wire.hasFired() || onLine != nil && r.line != nil && r.line.hasFired()
	}
	r.blind = onWire != nil && onWire.kind.blind
	endpoints := make(chan *lsp.Endpoint, 1)
	go func() {
		defer close(r.done)
		_ = lsp.Serve(context.Background(), server, lsp.Options{Version: "test", After: r.clock.after, Agents: func(ctx context.Context, endpoint *lsp.Endpoint) {
			r.inside = ctx
			endpoints <- endpoint
			<-ctx.Done()
			r.agents.Wait()
		}})
	}()
	r.startEditor(peer)
	if r.editor == nil {
		return r
	}
	var ok bool
	if r.endpoint, ok = await(r, endpoints); ok {
		r.enter(onLine)
	}
	return r
}

func (r *faultRun) startEditor(peer net.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	editors := make(chan *headless.Editor, 1)
	go func() {
		e, _ := headless.Start(ctx, peer, headless.Options{
			Roots: []string{r.root}, Habits: personas.Decides(r.applyEdit), CloseTimeout: 10 * time.Second,
			Answer: chooses(func(context.Context, string, []string) string { return "Apply" }),
		})
		editors <- e
	}()
	var ok bool
	if r.editor, ok = await(r, editors); !ok {
		cancel()
		r.editor = <-editors
	}
}

// await waits for something, and has the clock go on while nothing happens. It gives up
// when the server has ended or the time of every command is long over.
func await[T any](r *faultRun, c <-chan T) (v T, ok bool) {
	tick := time.NewTicker(faultTick)
	defer tick.Stop()
	began, still, last := r.clock.time(), 0, r.moved.Load()
	for {
		select {
		case v, ok = <-c:
			return v, ok
		case <-tick.C:
		}
		still++
		if now := r.moved.Load(); now != last {
			still, last = 0, now
		}
		if still >= 10*soonTicks && r.ended() || r.clock.time()-began > foreverTime || still >= stuckTicks || still >= lostTicks && r.wrong() && r.mayBeOver() {
			select {
			case v, ok = <-c: // it came last
				return v, ok
			default:
			}
			if !r.ended() && !r.mayBeOver() {
				r.fail("somebody waits for ever:\n%s", allStacks())
			}
			return v, false
		}
		if still > 0 && (r.wrong() && !r.patient && still%soonTicks == 0 || still%lateTicks == 0) {
			r.clock.next()
		}
	}
}

func (r *faultRun) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

func allStacks() string {
	stacks := make([]byte, 1<<20)
	return string(stacks[:runtime.Stack(stacks, true)])
}

// mayBeOver reports whether what is awaited need not come: the session has not got as
// far as an agent, or the agent cannot be reached.
func (r *faultRun) mayBeOver() bool { return r.agent == nil || r.line.isBroken() }

func (r *faultRun) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

// end ends all that still runs.
func (r *faultRun) end() []string {
	if r.editor != nil {
		r.editor.Kill()
		_ = r.editor.Close()
	}
	r.wire.close()
	select {
	case <-r.done:
	case <-time.After(time.Minute): // never in a run that is well
		r.fail("the server does not end:\n%s", allStacks())
	}
	if r.line != nil {
		r.line.close()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// faultAgent is an agent.
type faultAgent struct {
	conn    net.Conn
	answers chan message // closed with the connection
	serial  int
}

// enter has an agent come in.
func (r *faultRun) enter(f *fault) {
	line, server, peer := newFaultWire(f, &r.moved)
	if r.line != nil {
		r.line.close()
	}
	if r.first == nil {
		r.first = line
	}
	r.line, r.agent = line, &faultAgent{conn: peer, answers: make(chan message, 10_000)}
	r.agents.Go(func() { _ = r.endpoint.Serve(r.inside, server, endpointToken) })
	answers := r.agent.answers
	go func() {
		defer close(answers)
		for in := bufio.NewReader(peer); ; {
			body, err := readFrame(in)
			if err != nil {
				return
			}
			if m := parsed(body); isAnswer(m) {
				answers <- m
			}
		}
	}()
	r.agent.send("initialize", args{"clientInfo": args{"name": "an agent"}, "initializationOptions": args{"token": endpointToken, "changes": true}})
	_, _ = r.answer()
}

// send sends a request, and does not wait for it to be taken.
func (a *faultAgent) send(method string, params any) {
	a.serial++
	body, _ := json.Marshal(args{"jsonrpc": "2.0", "id": a.serial, "method": method, "params": params})
	go func() { _, _ = a.conn.Write(framed(body)) }()
}

// answer waits for the answer to the last message sent.
func (r *faultRun) answer() (message, bool) {
	for {
		m, ok := await(r, r.agent.answers)
		if !ok || string(m.ID) == fmt.Sprint(r.agent.serial) {
			return m, ok
		}
	}
}

// command has the agent send a command, and records its outcome.
func (r *faultRun) command(name string, a args, changes ...*faultEdit) (result transaction.Result, done bool) {
	if r.agent == nil {
		return result, false
	}
	r.edits = append(r.edits, changes...)
	r.mu.Lock()
	r.had = map[string]bool{}
	r.mu.Unlock()
	r.began = map[string]string{}
	for name := range faultTexts {
		if b, open := r.editor.Buffer(name); open {
			r.began[name] = text.New(b.Text()).Hash()
		}
	}
	r.agent.send("workspace/executeCommand", args{"command": "patchls." + name, "arguments": []any{a}})
	m, ok := r.answer()
	switch {
	case !ok:
	case m.Error != nil:
		r.refused(name, m, changes)
	case json.Unmarshal(m.Result, &result) != nil:
		r.fail("%s: the answer is %s", name, m.Result)
	default:
		r.made(name, result, changes)
		return result, true
	}
	return result, false
}

// write types a word at the end of a line that begins so.
func (r *faultRun) write(name, line string) {
	if r.editor == nil {
		return
	}
	b, err := r.editor.Open(name)
	if err != nil {
		r.fail("%s: %v", name, err)
		return
	}
	r.keyboard.Lock()
	defer r.keyboard.Unlock()
	r.mu.Lock()
	word := fmt.Sprintf("«%s%dé»", name[:1], len(r.typed[name]))
	r.typed[name] = append(r.typed[name], word)
	r.mu.Unlock()
	r.changes(b)
	err = click(b, line)
	for _, c := range word {
		err = errors.Join(err, b.Type(string(c)))
	}
	if err != nil {
		r.fail("typing: %v", err)
	}
}

// click puts the cursor at the end of the line that begins with line, or of the text. From
// then on the cursor moves along with later edits.
func click(b *headless.Buffer, line string) error {
	for {
		now := b.Text()
		at := max(0, strings.Index(now, line))
		if i := strings.Index(now[at:], "\n"); i >= 0 {
			at += i
		} else {
			at = len(now)
		}
		if err := b.SetCursor(at); b.Text() == now {
			return err
		}
	}
}

// applyEdit has the user type into b.txt just before the editor makes its fourth edit,
// and records the texts that are about to change.
func (r *faultRun) applyEdit(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
	r.mu.Lock()
	r.applys++
	n := r.applys
	r.mu.Unlock()
	if n == 4 {
		r.write("b.txt", "b1 ")
	}
	for _, b := range e.Buffers() {
		r.changes(b)
	}
	return next(p), nil
}

// changes notes the text of a buffer that is about to become another.
func (r *faultRun) changes(b *headless.Buffer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.had[text.New(b.Text()).Hash()] = true
}
