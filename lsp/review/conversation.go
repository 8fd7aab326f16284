package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
)

// Conversation is what others did to an agent's edits, as far as the agent has not been told. All agents of one conversation
// share it. It is safe for concurrent use, and the zero value is empty.
type Conversation struct {
	mu      sync.Mutex
	clauses []string          // what to tell, the oldest first
	known   []string          // the edits, each with a file, that were seen to be undone in the editor
	effects map[Effect]string // of what others took back, with the id of the edit
}

// What [Conversation.Tell] returns begins with NewsBegins. The others are the bounds of Conversation.
const (
	NewsBegins = "Since your last call: "
	maxWatched = 20   // the newest edits of an agent: only these are looked at
	maxTold    = 10   // clauses in one answer
	maxEffects = 1000 // with more, all that was taken back before may be made again without a warning
)

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
	n.clauses = append(n.clauses, fmt.Sprintf("%s %s in %s", what, strings.ToLower(name[:1])+name[1:], edits.Printable(pt.Step.ShownPath)))
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
