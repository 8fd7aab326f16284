package lsp

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

// source is a text for planning, with the bounds of what errors say of it.
func (l *limits) source(path string, t text.Text, work *edits.Work) edits.Source {
	return edits.Source{Path: path, Text: t, Work: work, Candidates: l.of(maxCandidates), Matches: l.of(maxMatches)}
}

// bounded is implemented by arguments that have a limit of size.
type bounded interface {
	// excess returns an error if the arguments exceed their limit.
	excess(l *limits) error
}

// checkBounds returns an error if the arguments exceed their limit of size.
func (s *server) checkBounds(args any) error {
	if b, ok := args.(bounded); ok {
		return b.excess(s.limitsNow())
	}
	return nil
}

func (a applyPatchArgs) excess(l *limits) error { return l.patchBytes(len(a.Patch)) }

func (a editLinesArgs) excess(l *limits) error { return l.listed(len(a.Edits)) }

func (c *textEditorLines) excess(l *limits) error { return l.listed(len(c.edits)) }

func (c *textEditorContext) excess(l *limits) error {
	if err := l.patchBytes(c.size); err != nil {
		return err
	}
	return l.hunks(len(c.patch.Hunks))
}

// patchBytes returns the error of a patch of so many bytes, nil if it is within its bound.
func (l *limits) patchBytes(n int) error { return l.tooMuch(maxPatchBytes, n, "has %d bytes") }

// patch returns the error of a patch that is too much, nil if it is not.
func (l *limits) patch(p edits.Patch) error {
	n := 0
	for _, f := range p.Files {
		n += len(f.Hunks)
	}
	if err := l.tooMuch(maxPatchFiles, len(p.Files), "changes %d files"); err != nil {
		return err
	}
	return l.hunks(n)
}

func (l *limits) hunks(n int) error { return l.tooMuch(maxHunks, n, "has %d hunks") }

func (l *limits) tooMuch(b bound, n int, what string) error {
	if n <= l.of(b) {
		return nil
	}
	return &edits.Error{Kind: paths.TooLarge, Message: fmt.Sprintf("The patch "+what+", %s; nothing was done. Send it in parts.", n, l.exceeded(b))}
}

// listed returns the error of a list of so many edits, nil if it is within its bound.
func (l *limits) listed(n int) error {
	if n <= l.of(maxHunks) {
		return nil
	}
	return schema.Invalid(`"edits" has %d edits, %s: nothing was done; send them in parts`, n, l.exceeded(maxHunks))
}
