package lsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
)

// simWorld is a running simulation: a server, an editor, a user and agents, in a
// bubble. One goroutine, the driver, does one step at a time and goes on when all
// others wait; so only the effects of one step are concurrent.
type simWorld struct {
	kind   simEditor
	editor *headless.Editor
	done   chan error
	check  *wireCheck
	docs   []*simDoc
	disk   *simDisk
	log    simLog
	tokens int      // written so far; the driver's
	cut    []string // lines that the user cut last; the driver's

	mu        sync.Mutex // guards what is below, and the states of docs
	agents    map[string]*simAgent
	oracle    simOracle
	questions int           // that the user is to answer
	sent      []*simCommand // in order
	judged    int           // changes of the log
	calls     int64         // id of the newest executeCommand
	remarks   []string
}

// simOutcome is the outcome of a run.
type simOutcome struct {
	failed  *simFailure // nil: all invariants held
	remarks []string    // on each step that was done
	step    int         // the one after which it failed
}

// print prints the run with what happened in each step, in a form that can be
// repeated.
func (o simOutcome) print(r simRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "editor %s %d\n", r.editor, r.seed)
	for i, s := range r.steps[:min(len(r.steps), len(o.remarks))] {
		fmt.Fprintf(&b, "%s # %s\n", s, strings.ReplaceAll(o.remarks[i], "\n", "\n#   "))
	}
	return b.String()
}

// simulate does a run in a bubble of its own.
func simulate(t *testing.T, run simRun) (o simOutcome) {
	t.Helper()
	kind, ok := simEditorNamed(run.editor)
	if !ok {
		t.Fatalf("there is no editor %q", run.editor)
	}
	root := t.TempDir()
	for name, content := range simTexts {
		writeFile(t, filepath.Join(root, name), content)
	}
	defer func() { _ = os.RemoveAll(root) }()
	emptyPools()
	defer emptyPools()
	synctest.Test(t, func(t *testing.T) {
		w := newSimWorld(t, root, kind, run.seed)
		o = w.run(run.steps)
		w.end()
		if faults := w.check.taken(); len(faults) > 0 && o.failed == nil {
			o.failed, o.step = &simFailure{"wire", faults[0]}, len(run.steps)-1
		}
	})
	return o
}

func newSimWorld(t *testing.T, root string, kind simEditor, seed uint64) *simWorld {
	t.Helper()
	w := &simWorld{kind: kind, done: make(chan error, 1), agents: map[string]*simAgent{}, oracle: newOracle(kind), disk: newSimDisk(seed)}
	ours, theirs, check := watchedPipe(t)
	w.check = check
	go func() {
		w.done <- lsp.Serve(context.Background(), ours, lsp.Options{Version: "test", Notify: w.disk.notify, Log: slog.New(simSends{slog.DiscardHandler, &w.disk.merging})})
	}()
	opts := kind.options(seed)
	opts.Roots = []string{root}
	opts.Trace, opts.Changed, opts.Answer = w.trace, w.log.changed, w.answer
	opts.Capabilities, opts.Settings = w.disk.declare(opts.Capabilities), map[string]any{"absorb": w.disk.absorb}
	editor, err := headless.Start(context.Background(), withLag(theirs, kind.lag), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range simNames {
		d := &simDoc{name: name, path: filepath.Join(root, name)}
		if d.closedState().exists {
			_, _ = editor.Open(d.path)
		}
		w.docs = append(w.docs, d)
	}
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.editor = editor
	for _, d := range w.docs {
		d.states = []simState{w.look(d)}
		if now := d.closedState(); now.exists {
			d.file.saw(now.text, true, false)
			d.inStep(d.states[0].text)
		}
	}
	return w
}

// end ends the editor and the server; the bubble ends when nothing of them is left.
func (w *simWorld) end() {
	_ = w.editor.Close()
	<-w.done
}

// trace sees each message of the editor.
func (w *simWorld) trace(dir string, message []byte) {
	switch {
	case dir == "send" && bytes.Contains(message, []byte(`"workspace/executeCommand"`)):
		var call struct{ ID int64 }
		if json.Unmarshal(message, &call) == nil {
			w.mu.Lock()
			w.calls = call.ID
			w.mu.Unlock()
		}
	case dir == "receive" && bytes.Contains(message, []byte(`"workspace/applyEdit"`)):
		// The result of the previous applyEdit must not be missed.
		w.observe()
		w.sends(message)
	case dir == "receive" && bytes.Contains(message, []byte(`"window/logMessage"`)):
		w.tells(message)
	case dir == "send" && bytes.Contains(message, []byte(`"textDocument/didChange"`)):
		w.glance()
	case dir == "send" && bytes.Contains(message, []byte(`"textDocument/didOpen"`)):
		w.opens(message)
	}
}

// opens records the text that a document is opened with, which may change at once.
func (w *simWorld) opens(message []byte) {
	var m struct {
		Params struct {
			TextDocument struct{ URI, Text string }
		}
	}
	if json.Unmarshal(message, &m) != nil || !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	for _, d := range w.docs {
		if strings.HasSuffix(m.Params.TextDocument.URI, "/"+d.name) {
			w.saw(d, newState(m.Params.TextDocument.Text, true, true), false)
		}
	}
}

// look returns the state of a document.
func (w *simWorld) look(d *simDoc) simState {
	d.buffer = nil
	for _, b := range w.editor.Buffers() { // Buffer follows links, which is most of a run's time
		if strings.HasSuffix(b.URI(), "/"+d.name) {
			d.buffer = b
			return d.openState()
		}
	}
	return d.closedState()
}

// observe records changes of the documents that the user did not make.
func (w *simWorld) observe() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.observeLocked(false)
}

// observeLocked is observe with w.mu held; user says that the user made the changes.
func (w *simWorld) observeLocked(user bool) {
	if w.editor == nil {
		return
	}
	for _, d := range w.docs {
		w.saw(d, w.look(d), user)
	}
}

// glance is observe for the editor's own goroutines, which hold its lock. It sees the
// state before the change that is being reported. While the user does something it does
// nothing.
func (w *simWorld) glance() {
	if !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	for _, d := range w.docs {
		if d.buffer != nil && !d.buffer.Closed() {
			w.saw(d, d.openState(), false)
		}
	}
}

func (w *simWorld) saw(d *simDoc, now simState, user bool) {
	was := *d.now()
	w.sawSince(d, &was, now, user)
}

// sawSince is saw for a document that was in state was, and has passed through other
// states since.
func (w *simWorld) sawSince(d *simDoc, was *simState, now simState, user bool) {
	if !d.now().is(now) {
		now.user = user
		if !user {
			now.merged = w.log.merges(d.path, d.changes)
		}
		d.changes = w.log.len()
		if now.open && !d.now().open {
			w.lookAt(d)
			d.inStep(now.text)
		}
		d.states = append(d.states, now)
		by := "editor"
		if user {
			by = "user"
		}
		w.remark(len(w.remarks)-1, "%s by %s: %q", d.name, by, now.text)
		w.oracle.saw(d, was, &now)
	}
}

// run does the steps, until an invariant is broken.
func (w *simWorld) run(steps []simStep) simOutcome {
	for i, s := range append(steps, simStep{who: "time", op: "settle"}) {
		w.mu.Lock()
		w.remarks = append(w.remarks, "")
		w.mu.Unlock()
		w.step(i, s)
		w.mu.Lock()
		failed := w.oracle.failed
		w.mu.Unlock()
		if failed != nil {
			return simOutcome{failed, w.remarks, i}
		}
	}
	w.judgeMarks()
	return simOutcome{w.oracle.failed, w.remarks, len(steps) - 1}
}

func (w *simWorld) step(i int, s simStep) {
	// No two steps happen at the same time, so that no two of their deadlines coincide.
	w.sleep(time.Microsecond)
	w.mu.Lock()
	for _, d := range w.docs {
		w.goesOn(d)
	}
	w.mu.Unlock()
	switch {
	case s.op == "save" && w.kind.loses:
		w.saveDrifted(w.docs[s.doc])
	case s.op == "save":
		w.saves(s)
	case s.who == "disk":
		w.mu.Lock()
		w.program(s)
		w.mu.Unlock()
	case s.who == "user":
		w.mu.Lock()
		w.byHand(w.docs[s.doc], func() { w.user(s) })
		w.mu.Unlock()
	case s.op == "sleep":
		w.sleep(time.Duration(s.n) * time.Millisecond)
	case s.op == "settle":
		w.settle()
	default:
		w.agent(i, s)
	}
	synctest.Wait()
	w.observe()
	w.mu.Lock()
	w.judgeHands()
	for _, d := range w.docs {
		w.lookAt(d)
	}
	w.mu.Unlock()
	w.readAnew()
}

// byHand has the user do something with a document. It needs w.mu, so that none of the
// effects is seen before.
func (w *simWorld) byHand(d *simDoc, does func()) {
	n, was := w.log.len(), *d.now()
	does()
	w.passed(d, n)
	w.sawSince(d, &was, w.look(d), true)
	w.observeLocked(true)
}

// sleep lets time pass, and looks at the documents often.
func (w *simWorld) sleep(d time.Duration) {
	for d > 0 {
		const often = 40 * time.Millisecond
		time.Sleep(min(d, often)) //nolint:forbidigo // virtual
		synctest.Wait()
		w.observe()
		w.readAnew()
		d -= often
	}
}

// remark records the result of a step, for the reader of the trace. It needs w.mu.
func (w *simWorld) remark(step int, format string, a ...any) {
	if w.remarks[step] != "" {
		w.remarks[step] += "\n"
	}
	w.remarks[step] += fmt.Sprintf(format, a...)
}

func short(v any) string {
	raw, _ := json.Marshal(v)
	s := string(raw)
	if len(s) > 400 {
		s = s[:400] + "… (" + strconv.Itoa(len(s)) + ")"
	}
	return s
}
