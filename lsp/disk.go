package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
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
func (m *mirror) didChangeWatchedFiles(params []byte) error {
	var p struct {
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	m.patches.Recheck()
	for _, c := range p.Changes {
		if doc, err := m.open(c.URI); err == nil && !doc.DiskChanged {
			m.docs.Put(doc.OnDisk(doc.Disk, true))
		}
	}
	return nil
}
