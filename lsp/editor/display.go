package editor

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
)

// Display is what an editor can show in a document.
type Display struct {
	ActionLiterals bool // code actions that are more than commands
	GeneratedTag   bool // that an action is about what a model wrote (LSP 3.18)
	LensRefresh    bool // it asks for code lenses anew when it is told to
	// OwnDocuments: it can show documents that the server has the text of (LSP 3.18).
	OwnDocuments bool
	Diagnostics  bool // it is told of them by notifications
	Versions     bool // it passes over diagnostics of a version that it has not any more
	Related      bool // diagnostics may lead to other places
}

// readDisplay reads the editor's capabilities for text documents, of which none is needed
// to be of use.
func readDisplay(textDocument json.RawMessage) Display {
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
		return Display{}
	}
	out := Display{
		ActionLiterals: t.CodeAction.Literals != nil,
		GeneratedTag:   slices.Contains(t.CodeAction.Tags.Values, protocol.CodeActionTagLLMGenerated),
		Diagnostics:    t.Publish != nil,
	}
	if t.Publish != nil {
		out.Versions, out.Related = t.Publish.Versions, t.Publish.Related
	}
	return out
}

// showsDocuments reads whether the editor shows a document when it is told to.
func showsDocuments(window json.RawMessage) bool {
	var w struct {
		ShowDocument struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	}
	return json.Unmarshal(window, &w) == nil && w.ShowDocument.Support
}
