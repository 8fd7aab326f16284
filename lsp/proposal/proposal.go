package proposal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Proposal is what an edit comes to. It does not change.
type Proposal struct {
	Message string // what was planned, in a sentence
	Diff    string // of all files
	Files   []File
}

// File is one file of a proposal, with its text before and after.
type File struct {
	Given, URI, Change, NewPath string
	Guarded                     *paths.Guarded // why an edit of it takes the user's agreement; nil if it does not
	Before, After               text.Text
	Was                         workspace.Snapshot // with the text before
	Edits                       edits.Edits        // of that
}

// Of returns what a change comes to.
func Of(c *apply.Change) *Proposal {
	return &Proposal{Message: c.Plan.Message, Diff: c.Diff(), Files: []File{FileOf(c)}}
}

// FileOf returns the file of a change.
func FileOf(c *apply.Change) File {
	f := File{Given: c.Path, URI: c.URI, Change: c.Kind, Before: c.Text, After: c.After, Was: c.Snapshot, Edits: c.Plan.Edits, Guarded: Guarded(c)}
	if c.Kind == editor.Rename {
		f.NewPath = c.To.Path
	}
	return f
}

// Guarded returns why a change takes the user's agreement, nil if it does not.
func Guarded(c *apply.Change) *paths.Guarded { return cmp.Or(c.Guarded, c.To.Guarded) }

// Guarded returns the first guarded file of a proposal, nil if it has none.
func (p *Proposal) Guarded() *paths.Guarded {
	for _, f := range p.Files {
		if f.Guarded != nil {
			return f.Guarded
		}
	}
	return nil
}

// Why says for what reason the user is asked about an edit that need not be confirmed
// else; "" if there is none.
func (p *Proposal) Why() string {
	g := p.Guarded()
	if g == nil {
		return ""
	}
	return fmt.Sprintf("%s is protected: %s.", g.Name, g.Why)
}

// Is reports whether a proposal is the one that was agreed to: the same comes and goes, at
// the places at which that stands by now.
func (p *Proposal) Is(agreed *Proposal) bool {
	return p.changes() == agreed.changes() && slices.EqualFunc(p.Files, agreed.Files, File.is)
}

func (f File) is(agreed File) bool {
	if f.After.Equal(agreed.After) {
		return true
	}
	_, c, meet := changeset.Transform(workspace.Between(agreed.Was, f.Was), changeset.Of(agreed.Edits, agreed.Before))
	return meet == nil && c.Edits().Apply(f.Before).Equal(f.After)
}

// changes are the lines that come and go, with the files that they are in and what
// becomes of those, wherever they stand.
func (p *Proposal) changes() string {
	var b strings.Builder
	for _, f := range p.Files {
		fmt.Fprintf(&b, "%s %q %q\n", f.Change, f.Given, f.NewPath)
	}
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
	for _, f := range p.Files {
		n += f.After.Len()
	}
	return n
}

// Names returns the names of the files, each fit for one line of a message.
func (p *Proposal) Names() []string {
	var names []string
	for _, f := range p.Files {
		names = append(names, paths.OneLine(f.Given, paths.MaxShownPath))
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
	added, removed := countedLines(p.Diff)
	said := fmt.Sprintf("%s: %s added, %d removed.", edits.Listed(names), edits.Count(added, "line"), removed)
	return strings.TrimSpace(said + " " + p.Why())
}

// countedLines returns how many lines a unified diff adds and removes. Those may look like
// the names of files, but a hunk that ends with such lines is the last one of its file.
func countedLines(diff string) (added, removed int) {
	lines := strings.SplitAfter(diff, "\n")
	for i := 0; i < len(lines); i++ {
		switch {
		case i+2 < len(lines) && strings.HasPrefix(lines[i], "--- ") && strings.HasPrefix(lines[i+1], "+++ ") && strings.HasPrefix(lines[i+2], "@@ "):
			i += 2
		case strings.HasPrefix(lines[i], "+"):
			added++
		case strings.HasPrefix(lines[i], "-"):
			removed++
		}
	}
	return added, removed
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
