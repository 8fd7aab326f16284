package lsp_test

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// simLog records who made each change. The editor itself reports it, while it is locked.
type simLog struct {
	mu      sync.Mutex
	changes []simChange
	merging set // the applyEdits that bring in what another program has written
}

// simChange is one change of a document: one by the user, or all that one applyEdit did
// to the document.
type simChange struct {
	buffer        *headless.Buffer
	path          string
	before, after string
	edit          *headless.ApplyEditParams // nil: the user, or the editor by itself
	at            time.Time
	merge         bool // it brings in what another program has written
}

func (l *simLog) changed(b *headless.Buffer, c headless.Change, now headless.State, by *headless.ApplyEditParams) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.changes) - 1; n >= 0 && by != nil && l.changes[n].edit == by && l.changes[n].buffer == b {
		l.changes[n].after = now.Text.String()
		return
	}
	l.changes = append(l.changes, simChange{b, b.Path(), c.Before.String(), now.Text.String(), by, time.Now(), by != nil && l.merging[string(by.Raw)]})
}

// since returns the changes from the nth on.
func (l *simLog) since(n int) []simChange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changes[min(n, len(l.changes)):len(l.changes):len(l.changes)]
}

func (l *simLog) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.changes)
}

// had reports whether a document had the text with that rev after a change made since then.
func (l *simLog) had(path string, since time.Time, rev string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.changes, func(c simChange) bool {
		return c.path == path && !c.at.Before(since) && text.New(c.after).Hash() == rev
	})
}

// passed records what a document of the user's passed through in an act that is several
// changes, from the nth change on, and which tokens the user has moved. It needs w.mu.
func (w *simWorld) passed(d *simDoc, n int) {
	for _, c := range w.log.since(n) {
		if c.edit != nil || c.path != d.path {
			continue
		}
		d.acted = c.at
		for t := range tokensOf(touched(c.before, c.after)) {
			if d.moved == nil {
				d.moved = set{}
			}
			d.moved[t] = true
		}
		if c.after != w.look(d).text {
			now := newState(c.after, true, true)
			now.user = true
			d.states = append(d.states, now)
		}
	}
}

// follow records that a token which an edit brought is where the user has moved another, if it came in place
// of that one, as by an undo.
func (d *simDoc) follow(t string, was, now *simState) {
	for x := range was.tokens {
		if d.moved[x] && now.tokens[x] == 0 {
			d.moved[t] = true
		}
	}
}

// touched returns the lines of before that a change replaced, and those between the
// places that it changed.
func touched(before, after string) string {
	head := strings.LastIndexByte(before[:commonHead(before, after)], '\n') + 1
	before, after = before[head:], after[min(head, len(after)):]
	tail := 0
	for tail < min(len(before), len(after)) && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	end := len(before) - tail
	if n := strings.IndexByte(before[end:], '\n'); n >= 0 {
		return before[:end+n]
	}
	return before
}
