package lsp

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
)

// shows is what a client can show in a document.
type shows struct {
	actionLiterals bool // code actions that are more than commands
	generatedTag   bool // that an action is about what a model wrote (LSP 3.18)
	lensRefresh    bool // it asks for code lenses anew when it is told to
	// ownDocuments: it can show documents that the server has the text of (LSP 3.18).
	ownDocuments bool
	diagnostics  bool
	versions     bool // it passes over diagnostics of a version that it has not any more
	related      bool // diagnostics may lead to other places
}

// readShows reads the client's capabilities for text documents, of which none is needed
// to be of use.
func readShows(textDocument json.RawMessage) shows {
	var t struct {
		CodeAction struct {
			Literals *struct{} `json:"codeActionLiteralSupport"`
			Tags     struct {
				Values []protocol.CodeActionTag `json:"valueSet"`
			} `json:"tagSupport"`
		} `json:"codeAction"`
		Publish *struct {
			Versions bool `json:"versionSupport"`
			Related  bool `json:"relatedInformation"`
		} `json:"publishDiagnostics"`
	}
	if json.Unmarshal(textDocument, &t) != nil {
		return shows{}
	}
	out := shows{
		actionLiterals: t.CodeAction.Literals != nil,
		generatedTag:   slices.Contains(t.CodeAction.Tags.Values, protocol.CodeActionTagLLMGenerated),
		diagnostics:    t.Publish != nil,
	}
	if t.Publish != nil {
		out.versions, out.related = t.Publish.Versions, t.Publish.Related
	}
	return out
}
