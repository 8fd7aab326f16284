package lsp

import (
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/workspace/paths"
)

// roots are the workspace folders. They are safe for concurrent use.
type roots struct {
	mu      sync.Mutex
	folders []paths.Root
	changed chan struct{} // closed when the folders are replaced
}

// now returns the folders, and a channel that is closed when they are replaced.
func (r *roots) now() (folders []paths.Root, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.folders), r.changed
}

// set replaces the folders.
func (r *roots) set(folders []paths.Root) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed != nil {
		close(r.changed)
	}
	r.folders, r.changed = folders, make(chan struct{})
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

// roots returns the workspace folders: from workspaceFolders, else from the members that LSP had before.
func (p *initializeParams) roots() []paths.Root {
	if roots := pinned(p.WorkspaceFolders); len(roots) > 0 {
		return roots
	}
	if path, ok := folderPath(p.RootURI); ok {
		return paths.Pin(path)
	}
	return paths.Pin(p.RootPath)
}

// pinned returns the roots of workspace folders.
func pinned(folders []workspaceFolder) []paths.Root {
	var local []string
	for _, f := range folders {
		if path, ok := folderPath(f.URI); ok {
			local = append(local, path)
		}
	}
	return paths.Pin(local...)
}

func folderPath(raw string) (string, bool) {
	u, err := uri.Parse(raw)
	if err != nil || !strings.HasPrefix(raw, "file:") {
		return "", false
	}
	return u.FsPath(), true
}

// notText records which files the editor has open as something other than text, all of them.
func (s *server) notText(params []byte) error {
	var p struct {
		Files []struct {
			URI string `json:"uri"`
			As  string `json:"as"`
		} `json:"files"`
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	as := map[paths.Key]string{}
	for _, f := range p.Files {
		if key, err := paths.KeyOf(f.URI); err == nil {
			as[key] = f.As
		}
	}
	s.openAs.Store(&as)
	return nil
}

func (s *server) didChangeWorkspaceFolders(params []byte) error {
	var p struct {
		Event struct {
			Added   []workspaceFolder `json:"added"`
			Removed []workspaceFolder `json:"removed"`
		} `json:"event"`
	}
	if err := decode(params, &p); err != nil {
		return err
	}
	roots, _ := s.roots.now()
	at := func(f paths.Root) int {
		return slices.IndexFunc(roots, func(r paths.Root) bool { return r.Path == f.Path })
	}
	for _, f := range pinned(p.Event.Removed) {
		if i := at(f); i >= 0 {
			roots = slices.Delete(roots, i, i+1)
		}
	}
	for _, f := range pinned(p.Event.Added) {
		if i := at(f); i >= 0 {
			roots[i] = f
		} else {
			roots = append(roots, f)
		}
	}
	s.roots.set(roots)
	s.patchDocs.Recheck()
	return nil
}
