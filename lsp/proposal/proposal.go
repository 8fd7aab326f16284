package proposal

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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

// Of returns the proposal to make changes, which message describes. Those of guarded files come first.
func Of(message string, changes ...*apply.Change) *Proposal {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b *apply.Change) int { return min(1, len(guards(b))) - min(1, len(guards(a))) })
	return &Proposal{Message: message, Diff: apply.Diff(changes...), Changes: changes}
}

// guards names each guarded file of a change, and says why it is guarded.
func guards(c *apply.Change) (whys []string) {
	for _, t := range []paths.Target{c.Target, c.To} {
		if t.Guarded != nil {
			whys = append(whys, fmt.Sprintf("%s is protected: %s.", paths.OneLine(t.Path, paths.MaxShownPath), t.Guarded.Why))
		}
	}
	return whys
}

// guards names each guarded file of the proposal, and says why it is guarded.
func (p *Proposal) guards() (whys []string) {
	for _, c := range p.Changes {
		whys = append(whys, guards(c)...)
	}
	return whys
}

// Why says why the user is asked even if the command does not ask for it: it names each guarded file with the
// reason. It returns "" if there is none.
func (p *Proposal) Why() string { return strings.Join(p.guards(), " ") }

// maxWhy is how many characters [Proposal.Why] may have. VS Code cuts a message at 1000, and the question has the names
// of the agent and of three files as well. Two names of files always fit.
const maxWhy = 650

// CheckFits returns an error if a question cannot name all guarded files.
func (p *Proposal) CheckFits() error {
	if utf8.RuneCountInString(p.Why()) <= maxWhy {
		return nil
	}
	return &edits.Error{Kind: edits.Protected, Path: p.Changes[0].Path, Message: fmt.Sprintf(
		"The edit is of %d protected files, more than a question to the user can name; nothing was changed. Send it in parts.", len(p.guards()))}
}

// shown returns the diff as the user sees it, below the reasons why files are guarded.
func (p *Proposal) shown() string { return strings.Join(append(p.guards(), p.Diff), "\n") }

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

// summary says why files are guarded, and how much is added and removed: "a.txt: 3 lines added, 1 removed."
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
	return strings.TrimSpace(p.Why() + " " + said)
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
