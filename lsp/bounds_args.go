package lsp

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

// source is a text for planning, with the bounds of what errors say of it.
func (l *limits) source(path string, t text.Text, work *edits.Work) edits.Source {
	return edits.Source{Path: path, Text: t, Work: work, Candidates: l.of(maxCandidates), Matches: l.of(maxMatches)}
}

// checkBounds returns an error if the arguments exceed their limit of size.
func (s *server) checkBounds(args any) error {
	a, ok := args.(commands.Sized)
	if !ok {
		return nil
	}
	l, n := s.limitsNow(), a.Size()
	if err := l.patchBytes(n.Patch); err != nil {
		return err
	}
	if err := l.hunks(n.Hunks); err != nil {
		return err
	}
	return l.listed(n.Edits)
}

// patchBytes returns the error of a patch of so many bytes, nil if it is within its bound.
func (l *limits) patchBytes(n int) error { return l.tooMuch(maxPatchBytes, n, "has %d bytes") }

// patch returns the error of a patch that is too much, nil if it is not.
func (l *limits) patch(p patch.Patch) error {
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
