package view

import (
	"context"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace/paths"
)

// DocumentArgs are the arguments of the command document.
type DocumentArgs struct {
	URI string `json:"uri" jsonschema:"the document, by the name that list has for it"`
}

// Document is the answer of the command document.
type Document struct {
	Path    string `json:"path"`
	URI     string `json:"uri"`
	Rev     string `json:"rev"`
	Version int32  `json:"version"`
	Text    string `json:"text"`
}

// Get is the command document.
func Get(_ context.Context, s *transaction.Session, args DocumentArgs) (any, error) {
	w := s.Workspace()
	place, err := w.Resolve(args.URI)
	if err != nil {
		return nil, err
	}
	snap, err := s.Engine.Read(w, place)
	if err != nil {
		return nil, err
	}
	if snap.Doc == nil {
		return nil, &edits.Error{Kind: paths.FileNotFound, Path: place.Path, Message: "No document is open as " + args.URI + "."}
	}
	return &Document{Path: snap.Path, URI: snap.URI, Rev: snap.Text.Hash(), Version: snap.Doc.Version, Text: snap.Text.String()}, nil
}
