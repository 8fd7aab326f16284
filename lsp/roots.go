package lsp

import (
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/uri"
)

// roots are the paths of the workspace folders. They are safe for concurrent use.
type roots struct {
	mu      sync.Mutex
	paths   []string
	changed chan struct{} // closed when the paths are replaced
}

// now returns the paths, and a channel that is closed when they are replaced.
func (r *roots) now() (paths []string, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.paths), r.changed
}

// set replaces the paths.
func (r *roots) set(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changed != nil {
		close(r.changed)
	}
	r.paths, r.changed = paths, make(chan struct{})
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

// roots returns the paths of the workspace folders: from workspaceFolders, else from the members
// that LSP had before.
func (p *initializeParams) roots() []string {
	var roots []string
	for _, f := range p.WorkspaceFolders {
		if path, ok := folderPath(f.URI); ok {
			roots = append(roots, path)
		}
	}
	if len(roots) > 0 {
		return roots
	}
	if path, ok := folderPath(p.RootURI); ok {
		return []string{path}
	}
	if p.RootPath != "" {
		return []string{p.RootPath}
	}
	return nil
}

func folderPath(raw string) (string, bool) {
	u, err := uri.Parse(raw)
	if err != nil || !strings.HasPrefix(raw, "file:") {
		return "", false
	}
	return u.FsPath(), true
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
	for _, f := range p.Event.Removed {
		if path, ok := folderPath(f.URI); ok {
			roots = slices.DeleteFunc(roots, func(r string) bool { return r == path })
		}
	}
	for _, f := range p.Event.Added {
		if path, ok := folderPath(f.URI); ok && !slices.Contains(roots, path) {
			roots = append(roots, path)
		}
	}
	s.roots.set(roots)
	s.patchDocs.Recheck()
	return nil
}
