package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace/paths"
)

// Another program may write a file that the editor has open with unsaved
// changes: then one of the two texts is going to be lost, unless somebody is told
// (hazard: disk-changed).

// watchFiles asks the client to tell of files that change on disk.
func (s *server) watchFiles(ctx context.Context) {
	params := json.RawMessage(`{"registrations":[{"id":"patchls-files","method":"workspace/didChangeWatchedFiles",` +
		`"registerOptions":{"watchers":[{"globPattern":"**/*"}]}}]}`)
	if _, err := s.conn.Call(ctx, protocol.MethodClientRegisterCapability, params, nil); err != nil {
		s.log.Debug("files are not watched", "error", err)
	}
}

// didChangeWatchedFiles remembers which files were written or deleted while the
// editor has them open; what disk holds is looked at when it matters.
func (s *server) didChangeWatchedFiles(params []byte) error {
	var p struct {
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	for _, c := range p.Changes {
		s.touchPatches(c.URI)
		if doc, err := s.open(c.URI); err == nil && !doc.DiskChanged {
			s.docs.Put(doc.OnDisk(doc.Disk, true))
		}
	}
	return nil
}

// openedToEdit reports whether the editor opened the file to make the edit, and so
// may have told of it with the edit made.
func (l landed) openedToEdit() bool {
	return l.change.kind == editor.Update && l.change.Doc == nil && l.how != nil && l.doc != nil && l.doc.Disk.Equal(l.how.text)
}

// savedBy reports whether the editor has written the file with the edit, as
// Kakoune does with files that nobody looks at (hazard: writes-to-disk).
func (l landed) savedBy(open, dirty bool) bool {
	if l.onDisk || l.doc == nil || l.how == nil || !open || dirty {
		return l.onDisk
	}
	return l.change.Doc == nil || !l.doc.Disk.Equal(l.how.text)
}

// diskNotes says what has become of the file of a document that has unsaved changes
// since the landing.
func (l landed) diskNotes(t paths.Target) []string {
	if t.Abs == "" || l.doc.History == nil {
		return nil
	}
	same, exists := paths.SameOnDisk(t.Abs, l.doc.Disk)
	if l.openedToEdit() {
		same, exists = paths.SameOnDisk(t.Abs, l.change.Text)
	}
	switch {
	case same || !exists && !l.doc.DiskChanged:
		return nil
	case !exists:
		return []string{fmt.Sprintf("%s was deleted on disk by another program; it is in the editor alone.", t.Path)}
	}
	return []string{fmt.Sprintf("%s on disk is another text than the one that the editor opened or saved last: another program has written it, or the editor had unsaved text when it told of the file. Saving would overwrite that; compare the two first.", t.Path)}
}
