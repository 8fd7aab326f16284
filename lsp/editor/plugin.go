package editor

import (
	"encoding/json"

	"go.lsp.dev/protocol"
)

// Plugin is what an extension of the editor says that it can, or wants to be told
// (docs/contract.md). The zero value is an editor without one.
type Plugin struct {
	Save      bool `json:"save"`      // patchls/save
	Listening bool `json:"listening"` // patchls/listening
	Edited    bool `json:"edited"`    // patchls/edited
	Confirm   bool `json:"confirm"`   // patchls/confirm
	Diff      bool `json:"diff"`      // has a command patchls.showDiff
	Versions  bool `json:"versions"`  // the answer to an applyEdit has versions
}

// readPlugin reads the editor's experimental capabilities.
func readPlugin(experimental json.RawMessage) Plugin {
	var e struct {
		Patchls Plugin `json:"patchls"`
	}
	if json.Unmarshal(experimental, &e) != nil {
		return Plugin{}
	}
	return e.Patchls
}

// Offered is what a plugin may look for in the answer to initialize, to know that the
// server is not too old for it. nil for an editor without one.
func (p Plugin) Offered() protocol.LSPAny {
	if p == (Plugin{Save: p.Save, Versions: p.Versions}) {
		return nil
	}
	return protocol.LSPAny(`{"patchls":{"edited":true,"listening":true,"confirm":true,"diff":true}}`)
}
