package lsp

import (
	"context"
	"reflect"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/workspace/paths"
)

// Diagnostics are about the patches that a document holds. Those that a client pulls are
// none: the server has it pull (lsp/apply).

// diagnostic is LSP's Diagnostic.
type diagnostic struct {
	Range    protocol.Range              `json:"range"`
	Severity protocol.DiagnosticSeverity `json:"severity"`
	Code     string                      `json:"code,omitempty"`
	Source   string                      `json:"source"`
	Message  string                      `json:"message"`
	Related  []relatedInformation        `json:"relatedInformation,omitempty"`
}

// relatedInformation is LSP's DiagnosticRelatedInformation.
type relatedInformation struct {
	Location struct {
		URI   string         `json:"uri"`
		Range protocol.Range `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

// diagnosticsSource is what editors show diagnostics as coming from.
const diagnosticsSource = "patchls"

// publishParams are LSP's PublishDiagnosticsParams.
type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

// publish tells the client of a document's diagnostics, if they are others than it was told
// last. The client keeps what it was told of a document that it has closed, so that is taken back.
func (s *server) publish(key paths.Key) {
	told := s.patchDocs.told
	was, known := told[key]
	now := publishParams{URI: was.URI, Diagnostics: []diagnostic{}}
	d := s.patchDocs.get(key)
	if d == nil {
		delete(told, key)
	} else {
		checked, said := d.look()
		doc := s.docs.Get(key)
		if checked == nil || doc == nil || doc.Text != checked.Text {
			return // it is about to be checked again
		}
		now.URI, now.Diagnostics = doc.URI, append(now.Diagnostics, said...)
		if s.client.Load().Display.Versions {
			now.Version = &doc.Version
		}
	}
	if reflect.DeepEqual(now, was) || !known && len(now.Diagnostics) == 0 {
		return
	}
	if d != nil {
		told[key] = now
	}
	s.notify(protocol.MethodTextDocumentPublishDiagnostics, now)
}

// diagnostic answers what the engine has the client ask, so that it sends what it holds back.
func (s *server) diagnostic(context.Context, []byte) (work, error) {
	return func(context.Context) (any, error) {
		return struct {
			Kind  string     `json:"kind"`
			Items []struct{} `json:"items"`
		}{"full", []struct{}{}}, nil
	}, nil
}
