package lsp

import (
	"context"
	"slices"
)

type listArgs struct{}

// Listing is the answer of the command list (contract 2.11).
type Listing struct {
	Documents []DocumentInfo `json:"documents"`
	Edits     []EditInfo     `json:"edits"` // the newest first
}

// DocumentInfo is an open document.
type DocumentInfo struct {
	Path       string `json:"path"`
	URI        string `json:"uri"`
	Rev        string `json:"rev"`
	Version    int32  `json:"version"`
	Dirty      bool   `json:"dirty"`
	TotalLines int    `json:"total_lines"`
	// OutOfStep says why the text is not known any more, "" if it is.
	OutOfStep string `json:"out_of_step,omitempty"`
}

// EditInfo is an agent's edit that can be taken back.
type EditInfo struct {
	EditID  string   `json:"edit_id"`
	Command string   `json:"command"`
	Paths   []string `json:"paths"`
}

func list(_ context.Context, s *caller, _ listArgs) (any, error) {
	w := s.workspace()
	r := &Listing{Documents: []DocumentInfo{}, Edits: []EditInfo{}}
	for _, doc := range w.Documents.All() {
		d := DocumentInfo{Path: doc.URI, URI: doc.URI, Version: doc.Version, TotalLines: doc.Text.Lines(), OutOfStep: doc.Drift}
		if place, err := w.Resolve(doc.URI); err == nil {
			d.Path = place.Path
			d.Dirty = isDirty(place, doc.Text)
		}
		if doc.Drift == "" {
			d.Rev = doc.Text.Hash()
			doc.History.Mark(doc.Seq, d.Rev)
		}
		r.Documents = append(r.Documents, d)
	}
	for _, e := range slices.Backward(s.made.list()) {
		info := EditInfo{EditID: e.id, Command: e.command, Paths: []string{}}
		for _, st := range e.steps {
			if !slices.Contains(info.Paths, st.given) {
				info.Paths = append(info.Paths, st.given)
			}
		}
		r.Edits = append(r.Edits, info)
	}
	return r, nil
}
