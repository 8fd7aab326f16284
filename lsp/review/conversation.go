package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Conversation is what the agents of one conversation with a user share: the turn that goes on, and what others did to their
// edits, as far as they have not been told. It is safe for concurrent use, and the zero value is empty.
type Conversation struct {
	mu      sync.Mutex
	turn    *Turn             // nil until the first edit of it
	title   string            // of the turn
	called  time.Time         // when the last command began or ended
	clauses []string          // what to tell, the oldest first
	known   []string          // the edits, each with a file, that were seen to be undone in the editor
	effects map[Effect]string // of what others took back, with the id of the edit
}

// What [Conversation.Tell] returns begins with NewsBegins. The others are the bounds of Conversation.
const (
	NewsBegins = "Since your last call: "
	maxWatched = 20   // the newest edits of an agent: only these are looked at
	maxTold    = 10   // clauses in one answer
	maxTitle   = 60   // characters of a turn's title
	maxEffects = 1000 // with more, all that was taken back before may be made again without a warning
)

// maxPause is how long an agent may send no command before its turn ends.
const maxPause = 10 * time.Minute

// Turn is what an agent does for one prompt of the user. It ends when the agent's program says that the next one begins, or
// after [maxPause].
type Turn struct {
	ID    string
	Title string      // how the prompt begins; "" if no program has said that
	cut   atomic.Bool // a log has dropped edits of it
}

// Name returns the turn in words.
func (t *Turn) Name() string {
	if t.Title == "" {
		return "turn " + t.ID
	}
	return fmt.Sprintf("turn %s, %q,", t.ID, t.Title)
}

// Begin begins a turn, for a prompt.
func (n *Conversation) Begin(prompt string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn, n.title, n.called = nil, paths.OneLine(strings.TrimSpace(prompt), maxTitle), time.Now()
}

// Called records that a command begins, or ends. If nothing was done for long when one begins, the turn has ended.
func (n *Conversation) Called(begins bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if begins && time.Since(n.called) > maxPause {
		n.turn, n.title = nil, ""
	}
	n.called = time.Now()
}

// now returns the turn that an edit which has just been made is of.
func (n *Conversation) now(m *Log) *Turn {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.turn == nil {
		n.turn = &Turn{ID: m.newID("t", &m.turns), Title: n.title}
	}
	return n.turn
}

// Add records that others took a part of an edit back: what is "the user reverted", for example.
func (n *Conversation) Add(what string, pt Part) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.add(what, pt)
}

// add implements [Conversation.Add]; n.mu is held.
func (n *Conversation) add(what string, pt Part) {
	if len(pt.Hunks) == pt.Step.Hunks {
		pt.Hunks = nil
	}
	name := pt.Name()
	n.clauses = append(n.clauses[max(0, len(n.clauses)-maxEffects):], fmt.Sprintf("%s %s in %s", what, strings.ToLower(name[:1])+name[1:], edits.Printable(pt.Step.ShownPath)))
	if n.effects == nil || len(n.effects) > maxEffects {
		n.effects = map[Effect]string{}
	}
	for i, e := range pt.Step.Effects {
		if len(pt.Hunks) == 0 || slices.Contains(pt.Hunks, i+1) {
			n.effects[e] = pt.Edit.ID
		}
	}
}

// look records which of the agent's newest edits, in m, are undone in the editor. A program that restores a file looks to
// the editor like the user's undo. n.mu is held.
func (n *Conversation) look(m *Log, docs *workspace.Documents) {
	left := maxWatched
	for _, e := range slices.Backward(m.List()) {
		for _, st := range e.Steps {
			if name := e.ID + st.ShownPath; e.Conversation == n && st.Change == editor.Update && !slices.Contains(n.known, name) {
				if left--; left < 0 {
					return
				}
				if h := docs.History(st.Target.Key); h != nil && h.Undone(e.ID) {
					n.add("the user or a program undid", Part{Edit: e, Step: st})
					n.known = append(n.known[max(0, len(n.known)-maxEffects):], name)
				}
			}
		}
	}
}

// Tell returns what the agent has not been told of its edits, which are in m, in a sentence; "" if there is nothing.
func (n *Conversation) Tell(m *Log, docs *workspace.Documents) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.look(m, docs)
	all := n.clauses
	if n.clauses = nil; len(all) == 0 {
		return ""
	}
	if more := len(all) - maxTold; more > 0 {
		all = append(all[:maxTold:maxTold], edits.Count(more, "more change")+" to your edits")
	}
	return NewsBegins + strings.Join(all, "; ") + "."
}

// Repeats is called with the effects of an edit before the agent makes it. If others took back the same effect of an earlier
// edit, it returns the id of that edit, and forgets the effect, so that the agent can send its edit once more. Otherwise it
// returns "".
func (n *Conversation) Repeats(effects []Effect, m *Log, docs *workspace.Documents) (id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.look(m, docs)
	for _, e := range effects {
		id = cmp.Or(id, n.effects[e])
		delete(n.effects, e)
	}
	return id
}
