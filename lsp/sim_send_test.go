package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// agent has an agent do a step: send a command, or take back the one that is under
// way.
func (w *simWorld) agent(step int, s simStep) {
	w.mu.Lock()
	a := w.agents[s.who]
	if a == nil {
		a = &simAgent{seen: map[*simDoc]simPage{}}
		w.agents[s.who] = a
	}
	busy := a.busy
	if busy == nil && s.n%2 == 0 {
		w.mu.Unlock()
		w.lookAgain(a, w.docs[s.doc])
		w.mu.Lock()
	}
	if s.op == "cancel" || busy != nil {
		w.mu.Unlock()
		if s.op == "cancel" && busy != nil {
			_ = w.editor.Notify(context.Background(), "$/cancelRequest", map[string]int64{"id": busy.id})
		}
		return
	}
	c := w.command(s, a)
	c.step = step
	a.busy = c
	w.oracle.open = append(w.oracle.open, c)
	w.sent = append(w.sent, c)
	w.remark(step, "%s %s", c.name, short(c.args))
	w.mu.Unlock()
	go w.send(a, c)
	synctest.Wait()
	w.mu.Lock()
	c.id = w.calls
	w.mu.Unlock()
}

// lookAgain has an agent view d and all that it knows, before it does something.
func (w *simWorld) lookAgain(a *simAgent, d *simDoc) {
	for _, other := range w.docs {
		w.mu.Lock()
		_, known := a.seen[other]
		w.mu.Unlock()
		if known || other == d {
			w.view(other, func(rev string, i int) {
				if i >= 0 {
					a.seen[other] = simPage{other.states[i].text, rev}
				}
			})
		}
	}
}

// view views a document for the driver, and has seen called with its rev and the
// state that has it, -1 if there is none.
func (w *simWorld) view(d *simDoc, seen func(rev string, i int)) {
	raw, err := w.editor.Execute(context.Background(), "patchls.view", args{"path": d.name})
	if err != nil {
		return
	}
	w.observe()
	w.mu.Lock()
	defer w.mu.Unlock()
	var v view.View
	if err := json.Unmarshal(raw, &v); err != nil {
		w.oracle.fail("broken", "view: %v in %s", err, raw)
		return
	}
	i := d.shown(0, v.Rev)
	if i < 0 && !w.kind.loses {
		w.oracle.fail("unseen", "view of %s shows what the editor never had: %q", d.name, v.Text)
	}
	seen(v.Rev, i)
}

// send sends a command and judges its answer.
func (w *simWorld) send(a *simAgent, c *simCommand) {
	raw, err := w.editor.Execute(context.Background(), "patchls."+c.name, c.args)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.observeLocked(false)
	a.busy = nil
	c.ended = time.Now()
	w.judgeTime(c)
	var wire *jsonrpc2.Error
	switch {
	case err == nil:
		w.succeeded(a, c, raw)
	case errors.As(err, &wire):
		var data transaction.ErrorData
		_ = json.Unmarshal(wire.Data, &data)
		w.remark(c.step, "-> %s: %s", data.Kind, wire.Message)
		w.refused(c, string(data.Kind), wire)
	default:
		w.oracle.fail("broken", "%s: %v", c.name, err)
	}
	w.oracle.explain(c)
	w.oracle.rested(c)
}

// simTimeout is the time of a command, apply_timeout_ms as it is by default.
const simTimeout = 8 * time.Second

// judgeTime holds a command to its time. A patch or an undo has it for each file, and again to put back what it did.
func (w *simWorld) judgeTime(c *simCommand) {
	most := simTimeout + 2*w.kind.lag + 10*time.Millisecond
	if c.name == "apply_patch" || c.undo {
		most += simTimeout * time.Duration(2*len(w.docs))
	}
	if took := time.Since(c.began); took > most {
		w.oracle.fail("time", "%s took %v", c.name, took)
	}
}

// settle waits for all answers, and until nothing is pending, and holds the
// server's texts to the editor's.
func (w *simWorld) settle() {
	w.mu.Lock()
	for _, d := range w.docs {
		w.ends(d)
	}
	w.mu.Unlock()
	for waited := time.Duration(0); w.busy(); waited += time.Second {
		if waited > simTimeout*time.Duration(3+2*len(w.docs)) {
			w.mu.Lock()
			w.oracle.fail("unanswered", "a command has no answer after %v", waited)
			w.mu.Unlock()
			return
		}
		w.sleep(time.Second)
	}
	personas.Flush(w.editor)
	w.sleep(5 * time.Second)    // a file that was written many times must be the same twice, two seconds apart
	for waits := true; waits; { // once more when the user has answered: then the edit comes
		waits = w.busy()
		w.sleep(time.Second)
	}
	if w.kind.loses {
		return
	}
	for _, d := range w.docs {
		w.compare(d)
	}
	w.judgeDisk()
}

func (w *simWorld) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.questions > 0 {
		return true
	}
	for _, a := range w.agents {
		if a.busy != nil {
			return true
		}
	}
	return false
}

// compare holds the server's text of an open document to the editor's.
func (w *simWorld) compare(d *simDoc) {
	if _, open := w.editor.Buffer(d.path); !open {
		return
	}
	w.view(d, func(rev string, i int) {
		if now := len(d.states) - 1; d.shown(now, rev) != now {
			w.oracle.fail("mirror", "the server has another text of %s (state %d of %d), which is %q", d.name, i, now, d.now().text)
		}
	})
}
