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
	Message string // describes the planned edit in a sentence
	Diff    string // the diff of all files
	Changes []*apply.Change
}

// Of returns the proposal to make changes, which message describes.
func Of(message string, changes ...*apply.Change) *Proposal {
	return &Proposal{Message: message, Diff: apply.Diff(changes...), Changes: changes}
}

// Guarded returns the reason why one of the changes requires the user's agreement, or nil if none does.
func Guarded(changes ...*apply.Change) (g *paths.Guarded) {
	for _, c := range changes {
		g = cmp.Or(g, c.Guarded, c.To.Guarded)
	}
	return g
}

// Why returns the reason why the user is asked even if the command does not ask for
// it, or "" if there is none.
func (p *Proposal) Why() string {
	g := Guarded(p.Changes...)
	if g == nil {
		return ""
	}
	return fmt.Sprintf("%s is protected: %s.", p.Changes[0].Path, g.Why)
}

// Is reports whether p is the proposal that was agreed to: it adds and removes the same lines,
// at the places where those of agreed are in the current text.
func (p *Proposal) Is(agreed *Proposal) bool {
	return p.lines() == agreed.lines() && slices.EqualFunc(p.Changes, agreed.Changes, comesTo)
}

// comesTo reports whether c has the same result as the change agreed to, carried over to the text of c.
func comesTo(c, agreed *apply.Change) bool {
	if c.After.Equal(agreed.After) {
		return true
	}
	_, now, meet := changeset.Transform(workspace.Between(agreed.Snapshot, c.Snapshot), changeset.Of(agreed.Plan.Edits, agreed.Text))
	return meet == nil && now.Edits().Apply(c.Text).Equal(c.After)
}

// lines returns the lines of the diff that are added or removed, and the headers of the files,
// without the places of the hunks.
func (p *Proposal) lines() string {
	var b strings.Builder
	for line := range strings.Lines(p.Diff) {
		if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, " ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// size returns how many bytes a proposal holds in addition to the texts of documents.
func (p *Proposal) size() int {
	n := len(p.Diff)
	for _, c := range p.Changes {
		n += c.After.Len()
	}
	return n
}

// Names returns the names of the files, each shortened to fit in one line of a message.
func (p *Proposal) Names() []string {
	var names []string
	for _, c := range p.Changes {
		names = append(names, paths.OneLine(c.Path, paths.MaxShownPath))
	}
	return names
}

// summary says how much is added and removed: "a.txt: 3 lines added, 1 removed."
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

// maxShown is the maximum number of lines of a diff in a message.
const maxShown = 60

func croppedDiff(diff string) string {
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) <= maxShown {
		return diff
	}
	return strings.Join(lines[:maxShown], "") + fmt.Sprintf("... %d more lines", len(lines)-maxShown)
}
