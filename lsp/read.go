package lsp

import (
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// read reads a text to show it. It never waits; while an edit is half made, as
// some editors tell of it, the text from before is shown (hazard: transient-text).
func (s *server) read(w *workspace.Workspace, place paths.Target) (workspace.Snapshot, error) {
	snap, err := w.Read(place)
	if err != nil || snap.Doc == nil {
		return snap, err
	}
	if before := s.engine.TextBefore(snap.Key); before != nil {
		snap.Doc, snap.Text = before, before.Text
	}
	snap.Told()
	return snap, nil
}
