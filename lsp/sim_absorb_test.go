package lsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/fnv"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/watch"
)

// The writes of other programs are judged by tokens, too: each token that they add comes into the buffer once,
// each that they remove goes, and no others do. Otherwise the user was told, or is asked when they save.

// Counts of what happened in the simulations.
var simWrites, simMerges, simQuestions, simTold, simSavedOver, simLeft atomic.Int64

// simSends is a log handler of the server that records whether the edit being sent is a merge. One
// edit is in flight at a time.
type simSends struct {
	slog.Handler
	merges *atomic.Bool
}

func (simSends) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (s simSends) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "applyEdit" {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "agent" {
				s.merges.Store(a.Value.String() == watch.Name)
			}
			return true
		})
	}
	return nil
}

// sends records an edit that the editor was sent.
func (w *simWorld) sends(message []byte) {
	var m struct {
		Params struct{ Edit json.RawMessage }
	}
	if w.disk.merging.Load() && json.Unmarshal(message, &m) == nil {
		w.log.mu.Lock()
		defer w.log.mu.Unlock()
		if w.log.merging == nil {
			w.log.merging = set{}
		}
		w.log.merging[string(m.Params.Edit)] = true
	}
}

// simQuestion is a question about what another program has written.
type simQuestion struct {
	diff   string
	agreed time.Time
	used   bool
}

// declare has an editor declare that its plugin asks the user.
func (s *simDisk) declare(override func(*protocol.ClientCapabilities)) func(*protocol.ClientCapabilities) {
	return func(c *protocol.ClientCapabilities) {
		if override != nil {
			override(c)
		}
		if s.asks && c.Experimental != nil {
			c.Experimental = protocol.LSPAny(strings.Replace(string(c.Experimental), `{"patchls":{`, `{"patchls":{"confirm":true,`, 1))
		}
	}
}

// answer has the user answer a question after a while. Answer and delay depend on the question.
func (w *simWorld) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method != "patchls/confirm" {
		return nil, nil
	}
	simQuestions.Add(1)
	var p struct{ Diff string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.Diff))
	n := int(h.Sum32() % 1000)
	q := &simQuestion{diff: p.Diff}
	w.mu.Lock()
	w.questions++
	for _, d := range w.docs {
		if strings.Contains(p.Diff, d.name+"\n") {
			d.file.asked, d.file.told = append(d.file.asked, q), time.Now()
		}
	}
	w.mu.Unlock()
	pause(ctx, []time.Duration{50 * time.Millisecond, 700 * time.Millisecond, 5 * time.Second}[n%3]+time.Duration(n)|1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.questions--
	if n/3%100 >= w.disk.agrees {
		return map[string]string{"decision": "reject"}, nil
	}
	q.agreed = time.Now()
	return map[string]string{"decision": "apply"}, nil
}

// tells records that the server tells the user of a file.
func (w *simWorld) tells(message []byte) {
	if !bytes.Contains(message, []byte("another program")) && !bytes.Contains(message, []byte("the file of a document")) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.docs {
		if bytes.Contains(message, []byte("/"+d.name)) {
			simTold.Add(1)
			d.file.told = time.Now()
		}
	}
}

// isMerged asks the server whether saving the buffer would lose nothing.
func (w *simWorld) isMerged(b *headless.Buffer) bool {
	var known struct{ Merged bool }
	err := w.editor.Call(context.Background(), "patchls/merged", map[string]any{"textDocument": map[string]any{"uri": b.URI()}}, &known)
	w.observe()
	return err == nil && known.Merged
}

// merges returns which tokens came into a document by merges from the nth change on, and below zero those
// that went.
func (l *simLog) merges(path string, n int) map[string]int {
	var all map[string]int
	for _, c := range l.since(n) {
		if c.merge && c.path == path {
			if all == nil {
				all = map[string]int{}
			}
			for t, n := range c.tokens() {
				all[t] += n
			}
		}
	}
	return all
}

// simQuiet is how long a file has the same text at least before that is merged.
const simQuiet = 50 * time.Millisecond

// had reports whether, at some time between the two, a file had a token for a while, and lacked whether
// it was without the token for a while.
func (f *simFile) had(t string, since, until time.Time) (had, lacked bool) {
	for i, x := range f.texts {
		end := until
		if i+1 < len(f.texts) {
			end = f.texts[i+1].at
		}
		if end.Before(since) || end.Sub(x.at) < simQuiet {
			continue
		}
		had = had || x.tokens[t] > 0
		lacked = lacked || x.tokens[t] == 0
	}
	return had, lacked
}

// simMergeTime is how old the text that is merged may be: the file is read first, and the edit takes its
// time and may be tried again.
const simMergeTime = 60 * time.Second

// judgeMerge judges an edit that brings in what another program has written.
func (w *simWorld) judgeMerge(d *simDoc, c simChange) {
	simMerges.Add(1)
	f := &d.file
	var asked *simQuestion
	for _, q := range f.asked {
		if !q.agreed.IsZero() && !q.used && !q.agreed.After(c.at) {
			asked = q
		}
	}
	if asked != nil {
		asked.used = true
	}
	switch o := &w.oracle; {
	case w.disk.absorb == watch.Off:
		o.fail("off", "%s was merged, and absorb is off: %q became %q", d.name, c.before, c.after)
	case !d.isOpenAt(c.at):
		o.fail("closed", "%s was merged, and it was closed: %q became %q", d.name, c.before, c.after)
	case asked == nil && f.isGuarded(c):
		o.fail("guard", "%s was merged, one of many files that were written at once, and the user was not asked: %q became %q", d.name, c.before, c.after)
	case w.disk.absorb == watch.Ask && asked == nil:
		o.fail("unasked", "%s was merged, and the user was not asked: %q became %q", d.name, c.before, c.after)
	}
	if !w.kind.faithful {
		return
	}
	before := tokensOf(c.before)
	for t, n := range c.tokens() {
		had, lacked := f.had(t, c.at.Add(-simMergeTime), c.at)
		_, ever := f.firstHad(t)
		switch {
		case n > 0 && !had:
			w.oracle.fail("alien", "%s came into %s by a merge, and its file did not have it: %q became %q", t, d.name, c.before, c.after)
		case n >= 0 || ever && lacked || before[t] > 1 || len(d.moved) > 0 && f.agreed():
		case asked != nil && !lostBy(asked.diff, t):
			w.oracle.fail("unshown", "%s went from %s by a merge, and the question did not show it: %q", t, d.name, asked.diff)
		case asked == nil:
			w.oracle.fail("typed", "%s went from %s by a merge, and no program took it out: %q became %q", t, d.name, c.before, c.after)
		}
	}
}

// lostBy reports whether a diff shows that a token goes.
func lostBy(diff, t string) bool {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "-") && strings.Contains(line, t) {
			return true
		}
	}
	return false
}

// sinceWhen returns since when a file has had a token, or has lacked it, without a break.
func (f *simFile) sinceWhen(t string, has bool) (from time.Time, program bool) {
	for _, x := range slices.Backward(f.texts) {
		if x.tokens[t] > 0 != has {
			break
		}
		from, program = x.at, x.program
	}
	return from, program
}

// shows reports whether the buffer had a token at some time since, and always whether it had it all the time.
func (d *simDoc) shows(t string, since time.Time) (once, always bool) {
	always = true
	for i, s := range d.states {
		if i+1 < len(d.states) && d.states[i+1].at.Before(since) {
			continue
		}
		once = once || s.tokens[t] > 0
		always = always && s.tokens[t] > 0
	}
	return once, always
}

// judgeMerged checks the server's claim that the buffer has all of the file. It needs w.mu.
func (w *simWorld) judgeMerged(d *simDoc) {
	f := &d.file
	if w.kind.loses || !w.kind.faithful || !f.now().exists {
		return
	}
	for t := range f.now().tokens {
		from, program := f.sinceWhen(t, true)
		fresh, _ := f.firstHad(t)
		if once, _ := d.shows(t, from); program && fresh.Equal(from) && !once {
			w.oracle.fail("unmerged", "%s is said to be merged, its file has had %s for %v, and the buffer never had: %q, and the file has %q", d.name, t, time.Since(from), d.now().text, f.now().text)
		}
	}
	for t := range d.now().tokens {
		if f.now().tokens[t] > 0 || d.moved[t] || w.oracle.rewritten[t] || w.oracle.revived[t] {
			continue
		}
		gone, program := f.sinceWhen(t, false)
		if _, always := d.shows(t, gone.Add(-1)); program && always && f.savedWith(t, gone) {
			w.oracle.fail("kept", "%s is said to be merged, a program took %s out of its file %v ago, and the buffer has it: %q, and the file has %q", d.name, t, time.Since(gone), d.now().text, f.now().text)
		}
	}
}

// firstHad returns when a file had a token first.
func (f *simFile) firstHad(t string) (time.Time, bool) {
	for _, x := range f.texts {
		if x.tokens[t] > 0 {
			return x.at, true
		}
	}
	return time.Time{}, false
}

// savedWith reports whether the editor has saved a token that the file had from then on until a time.
func (f *simFile) savedWith(t string, until time.Time) bool {
	for _, x := range slices.Backward(f.texts) {
		switch {
		case !x.at.Before(until):
		case x.tokens[t] == 0:
			return false
		case !x.program:
			return true
		}
	}
	return false
}

// judgeDisk holds files and buffers to each other when all is quiet. It needs w.mu to be free.
func (w *simWorld) judgeDisk() {
	for _, d := range w.docs {
		b, open := w.editor.Buffer(d.path)
		if !open || w.kind.loses || !w.kind.faithful || len(d.file.texts) == 0 {
			continue
		}
		if _, err := w.editor.Execute(context.Background(), "patchls.view", args{"path": d.name}); err != nil {
			continue // its text is not known to the server
		}
		merged := w.isMerged(b)
		w.mu.Lock()
		if merged {
			w.judgeMerged(d)
		} else {
			w.judgeUnmerged(d)
		}
		w.mu.Unlock()
	}
}

// judgeUnmerged requires a reason for a file that is not merged. It needs w.mu.
func (w *simWorld) judgeUnmerged(d *simDoc) {
	f := &d.file
	if !w.kind.honest || w.disk.absorb == watch.Off || !f.now().exists || !f.known || !d.buffer.Dirty() || f.told.After(f.synced) {
		return
	}
	for _, read := range []time.Time{f.synced, f.reloaded} { // some editors close and open what they read anew
		for _, x := range f.texts {
			if x.program && !x.at.Before(read.Add(-time.Second)) && !x.at.After(read.Add(time.Second+2*w.kind.lag)) {
				simLeft.Add(1)
				return // the server may not have seen the file as it was then
			}
		}
	}
	for t := range f.now().tokens {
		from, program := f.sinceWhen(t, true)
		fresh, _ := f.firstHad(t)
		if once, _ := d.shows(t, from); program && fresh.Equal(from) && !once {
			w.oracle.fail("unheard", "the file of %s has had %s for %v, the buffer never had, and the user was not told: %q, and the file has %q", d.name, t, time.Since(from), d.now().text, f.now().text)
		}
	}
}

// agreed reports whether the user has agreed to take the file's version of lines that both have changed.
// The user may have one of those lines elsewhere, having moved it or the lines around it.
func (f *simFile) agreed() bool {
	return slices.ContainsFunc(f.asked, func(q *simQuestion) bool { return !q.agreed.IsZero() })
}

// wasMerged reports whether a merge was made since a time.
func (d *simDoc) wasMerged(since time.Time) bool {
	return slices.ContainsFunc(d.states, func(s simState) bool { return s.merged != nil && !s.at.Before(since) })
}

// isOpenAt reports whether a document was open before a time.
func (d *simDoc) isOpenAt(t time.Time) bool {
	for _, s := range slices.Backward(d.states) {
		if s.at.Before(t) {
			return s.open
		}
	}
	return true
}

// isGuarded reports whether a change brings in what was written together with many other files, and not an earlier
// text of the file, which may have been on its way into the buffer.
func (f *simFile) isGuarded(c simChange) bool {
	for t, n := range c.tokens() {
		if from, _ := f.sinceWhen(t, true); n > 0 && !from.IsZero() && from.Equal(f.guarded) {
			if before, _ := f.had(t, c.at.Add(-simTimeout), from); !before {
				return true
			}
		}
	}
	return false
}
