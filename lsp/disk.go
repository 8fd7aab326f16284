package lsp

import (
	"context"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/watch"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// newWatcher returns what brings in what other programs write to files. Its edits are those of a
// caller of its own.
func newWatcher(s *server) *watch.Watcher {
	disk := s.newCaller(s.allShares)
	disk.name = watch.Name
	return &watch.Watcher{
		Documents: s.docs, How: func() string { return s.settings.Load().Absorb }, Read: s.readFile,
		Edit: disk.merge, After: s.opts.After, Go: s.spawn, Log: s.log,
	}
}

// readFile reads the file of an open document.
func (s *server) readFile(doc *workspace.Document) (paths.Target, text.Text, error) {
	w := s.workspace()
	place, err := w.Resolve(doc.URI)
	if err != nil {
		return place, text.Text{}, err
	}
	file, err := w.Policy.ReadClosed(place)
	return place, file.Text, err
}

// merge has the editor make an edit of what another program has written.
func (s *caller) merge(ctx context.Context, e *watch.Edit) error {
	ctx = call.New(watch.Name, "merge").Under(ctx)
	arrival := s.editing.Arrivals.Take()
	defer arrival.Done()
	_, err := rpc.Fenced("merge", func() (any, error) { return s.session.Edit(ctx, arrival, "merge", e) })
	call.Answered(ctx, s.log, err)
	if edits.IsKind(err, edits.NoChange) {
		return nil
	}
	return err
}
