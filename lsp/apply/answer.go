package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// answer is what the client said to an applyEdit.
type answer struct {
	Applied      bool      `json:"applied"`
	Reason       string    `json:"failureReason"`
	Versions     *versions `json:"versions"` // that the edit gave the document, nil if the editor does not say
	unreadable   bool      // it is no answer that can be read, so it tells of nothing that was not done
	disconnected bool      // the connection ended before there was one
}

// quotedReason words the client's reason.
func (a *answer) quotedReason() string {
	if a.Reason == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", a.Reason)
}

// knownReason words the reasons whose words are known, "" for others. They are final: a
// file with a swap file is edited by Neovim if it is asked again (hazard: final-refusal).
func (a *answer) knownReason() string {
	for _, k := range [...]struct{ has, words string }{
		{"E325", "it has a swap file, so it is open in another Neovim or was when one crashed; close it there, or remove the swap file"},
		{"not 'modifiable'", "its buffer is read-only ('modifiable' is off)"},
		{"compare number with nil", "the edit was sent without a version, which is a fault of patchls; please report it"},
	} {
		if !a.Applied && strings.Contains(a.Reason, k.has) {
			return k.words
		}
	}
	return ""
}

// callApplyEdit sends an applyEdit, and returns the answer; nil if ctx ended before. An error, a null
// and applied: false are three spellings of no (hazard: spellings-of-no).
func (e *Engine) callApplyEdit(ctx context.Context, params *protocol.ApplyWorkspaceEditParams) *answer {
	var raw jsonrpc2.RawMessage
	_, err := e.Client.Call(ctx, protocol.MethodWorkspaceApplyEdit, params, &raw)
	if refusal, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return &answer{Reason: refusal.Message}
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return &answer{disconnected: true}
	}
	var a answer
	if json.Unmarshal(raw, &a) != nil {
		return &answer{Reason: "an answer that is none", unreadable: true}
	}
	return &a
}
