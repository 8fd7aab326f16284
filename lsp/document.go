package lsp

import (
	"context"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/workspace/paths"
)

// endpointCommands are what endpoints need of the server and nobody else does: they are not
// advertised.
var endpointCommands = []Command{
	reader("document", "Get a text", "Returns the whole text of an open document, without line numbers.", document),
}

type documentArgs struct {
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

func document(_ context.Context, s *caller, args documentArgs) (any, error) {
	w := s.workspace()
	place, err := w.Resolve(args.URI)
	if err != nil {
		return nil, err
	}
	snap, err := s.read(w, place)
	if err != nil {
		return nil, err
	}
	if snap.Doc == nil {
		return nil, &edits.Error{Kind: paths.FileNotFound, Path: place.Path, Message: "No document is open as " + args.URI + "."}
	}
	return &Document{Path: snap.Path, URI: snap.URI, Rev: snap.Text.Hash(), Version: snap.Doc.Version, Text: snap.Text.String()}, nil
}
