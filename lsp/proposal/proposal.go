package proposal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Proposal is an edit as the user sees it. It does not change.
type Proposal struct {
	Message string // what was planned, in a sentence
	Diff    string // of all files
	Changes []*apply.Change
}

// Of returns the proposal to make changes; message says what they are.
func Of(message string, changes ...*apply.Change) *Proposal {
	return &Proposal{Message: message, Diff: apply.Diff(changes...), Changes: changes}
}

// Guarded returns why one of the changes takes the user's agreement, nil if none does.
func Guarded(changes ...*apply.Change) (g *paths.Guarded) {
	for _, c := range changes {
		g = cmp.Or(g, c.Guarded, c.To.Guarded)
	}
	return g
}

// Why says for what reason the user is asked about an edit that need not be confirmed
// else; "" if there is none.
func (p *Proposal) Why() string {
	g := Guarded(p.Changes...)
	if g == nil {
		return ""
	}
	return fmt.Sprintf("%s is protected: %s.", g.Name, g.Why)
}

// Is reports whether a proposal is the one that was agreed to: the same comes and goes, at
// the places at which that stands by now.
func (p *Proposal) Is(agreed *Proposal) bool {
	return p.lines() == agreed.lines() && slices.EqualFunc(p.Changes, agreed.Changes, comesTo)
}

// comesTo reports whether a change leaves what the one that was agreed to leaves by now.
func comesTo(c, agreed *apply.Change) bool {
	if c.After.Equal(agreed.After) {
		return true
	}
	_, now, meet := changeset.Transform(workspace.Between(agreed.Snapshot, c.Snapshot), changeset.Of(agreed.Plan.Edits, agreed.Text))
	return meet == nil && now.Edits().Apply(c.Text).Equal(c.After)
}

// lines are those that come and go, with the headers that say what becomes of which file,
// wherever they stand.
func (p *Proposal) lines() string {
	var b strings.Builder
	for line := range strings.Lines(p.Diff) {
		if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, " ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// size is how many bytes a proposal keeps beside the texts that documents have.
func (p *Proposal) size() int {
	n := len(p.Diff)
	for _, c := range p.Changes {
		n += c.After.Len()
	}
	return n
}

// Names returns the names of the files, each fit for one line of a message.
func (p *Proposal) Names() []string {
	var names []string
	for _, c := range p.Changes {
		names = append(names, paths.OneLine(c.Path, paths.MaxShownPath))
	}
	return names
}

// summary says what comes and goes: "a.txt: 3 lines added, 1 removed".
func (p *Proposal) summary() string {
	var names []string
	for _, name := range p.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	added, removed := 0, 0
	for _, c := range p.Changes {
		for _, h := range c.Plan.Hunks {
			added, removed = added+h.NewLines, removed+h.OldLines
		}
	}
	said := fmt.Sprintf("%s: %s added, %d removed.", edits.Listed(names), edits.Count(added, "line"), removed)
	return strings.TrimSpace(said + " " + p.Why())
}

// maxShown is how many lines of a diff stand in a message.
const maxShown = 60

func croppedDiff(diff string) string {
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) <= maxShown {
		return diff
	}
	return strings.Join(lines[:maxShown], "") + fmt.Sprintf("... %d more lines", len(lines)-maxShown)
}
