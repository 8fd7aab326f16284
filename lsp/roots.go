package lsp

import (
	"slices"
	"strings"

	"go.lsp.dev/uri"
)

type workspaceFolder struct {
	URI string `json:"uri"`
}

// roots returns the folders' paths: those of workspaceFolders, else of what
// LSP had before them.
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
	s.rootsMu.Lock()
	roots := slices.Clone(s.roots)
	s.rootsMu.Unlock()
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
	s.setRoots(roots)
	return nil
}

func (s *server) setRoots(roots []string) {
	s.rootsMu.Lock()
	defer s.rootsMu.Unlock()
	s.roots = roots
	s.patchDocs.Invalidate()
	close(s.rootsChanged)
	s.rootsChanged = make(chan struct{})
}
