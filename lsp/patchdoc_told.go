package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace/paths"
)

// tellChecked tells the user in a sentence what came of a check; the diagnostics say
// the rest.
func (s *caller) tellChecked(args applyDocumentArgs, err error) {
	message, kind := s.checked(args, err)
	s.notify(protocol.MethodWindowShowMessage, map[string]any{"type": kind, "message": "patchls: " + message})
}

func (s *caller) checked(args applyDocumentArgs, err error) (string, protocol.MessageType) {
	good, bad := protocol.MessageTypeInfo, protocol.MessageTypeWarning
	key, keyErr := paths.KeyOf(args.Path)
	if doc := s.docs.Get(key); args.Hunk == 0 && keyErr == nil && doc != nil {
		if d, unlock := s.looked(doc); d != nil {
			defer unlock()
			n, fail, there := d.count(args.Block)
			switch {
			case n == 0:
			case fail > 0 && n == 1:
				return "the hunk has no place.", bad
			case fail > 0:
				return fmt.Sprintf("%d of %d hunks have no place.", fail, n), bad
			case there == n && n == 1:
				return "the hunk is applied already.", good
			case there == n:
				return fmt.Sprintf("all %d hunks are applied already.", n), good
			case err == nil && n == 1:
				return "the hunk has a place.", good
			case err == nil && there > 0:
				return fmt.Sprintf("all %d hunks have a place, where %d of them are already.", n, there), good
			case err == nil:
				return fmt.Sprintf("all %d hunks have a place.", n), good
			}
		}
	}
	if err != nil {
		return paths.OneLine(editor.Failure(err).Message, maxDiagnostic), bad
	}
	return "it can be applied.", good
}

// count counts the hunks of a patch, from 1, or of all for 0: those that cannot be
// applied, and those that are.
func (d *patchDoc) count(block int) (n, fail, there int) {
	for i := range d.found {
		if block > 0 && d.held.hunks[i].patch != block-1 {
			continue
		}
		n++
		switch f := &d.found[i]; {
		case f.fails():
			fail++
		case f.State == command.InPlace:
			there++
		}
	}
	return n, fail, there
}
