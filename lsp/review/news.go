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

// News is what others did to an agent's edits, as far as the agent has not been told. All agents of one conversation
// share it. It is safe for concurrent use, and the zero value is empty.
type News struct {
	mu      sync.Mutex
	untold  []string          // clauses, the oldest first
	undone  []string          // edits and files where they are known to be undone in the editor
	effects map[Effect]string // what was taken back, with the id of the edit
}

// What [News.Tell] returns begins with NewsBegins. The others are the bounds of News.
const (
	NewsBegins = "Since your last call: "
	maxWatched = 20   // edits of an agent that are looked at, the newest
	maxTold    = 10   // clauses in one answer
	maxEffects = 1000 // what was taken back may be made again when more has been
)

// TakenBack records that others took a part of an edit back: what is "the user reverted", for example.
func (n *News) TakenBack(what string, pt Part) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.add(what, pt)
}

// add implements [News.TakenBack]; n.mu is held.
func (n *News) add(what string, pt Part) {
	if len(pt.Hunks) == pt.Step.Hunks {
		pt.Hunks = nil
	}
	name := pt.Name()
	n.untold = append(n.untold, fmt.Sprintf("%s %s in %s", what, strings.ToLower(name[:1])+name[1:], edits.Printable(pt.Step.ShownPath)))
	if n.effects == nil || len(n.effects) > maxEffects {
		n.effects = map[Effect]string{}
	}
	for i, e := range pt.Step.Effects {
		if len(pt.Hunks) == 0 || slices.Contains(pt.Hunks, i+1) {
			n.effects[e] = pt.Edit.ID
		}
	}
}

// look records which of the agent's newest edits, in m, the editor's undo has taken back. n.mu is held.
func (n *News) look(m *Log, docs *workspace.Documents) {
	left := maxWatched
	for _, e := range slices.Backward(m.List()) {
		for _, st := range e.Steps {
			if name := e.ID + st.ShownPath; e.News == n && st.Change == editor.Update && !slices.Contains(n.undone, name) {
				if left--; left < 0 {
					return
				}
				if h := docs.History(st.Target.Key); h != nil && h.Undone(e.ID) {
					n.add("the user or a program undid", Part{Edit: e, Step: st})
					n.undone = append(n.undone[max(0, len(n.undone)-maxEffects):], name)
				}
			}
		}
	}
}

// Tell returns what the agent has not been told of its edits, which are in m, in a sentence; "" if there is nothing.
func (n *News) Tell(m *Log, docs *workspace.Documents) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.look(m, docs)
	all := n.untold
	if n.untold = nil; len(all) == 0 {
		return ""
	}
	if more := len(all) - maxTold; more > 0 {
		all = append(all[:maxTold:maxTold], edits.Count(more, "more change")+" to your edits")
	}
	return NewsBegins + strings.Join(all, "; ") + "."
}

// Repeats returns the id of an edit of m of which others took back something that has one of these effects, "" if there is
// none. What it has once returned may be made again.
func (n *News) Repeats(effects []Effect, m *Log, docs *workspace.Documents) (id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.look(m, docs)
	for _, e := range effects {
		id = cmp.Or(id, n.effects[e])
		delete(n.effects, e)
	}
	return id
}
