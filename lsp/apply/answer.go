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
	applied    bool
	reason     string
	versions   *versions // that the edit gave the document, nil if the editor does not say
	unreadable bool      // it is no answer that can be read, so it tells of nothing that was not done
	err        error
}

// quotedReason words the client's reason.
func (a *answer) quotedReason() string {
	if a.reason == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", a.reason)
}

// knownReason words the reasons whose words are known, "" for others. They are final: a
// file with a swap file is edited by Neovim if it is asked again (hazard: final-refusal).
func (a *answer) knownReason() string {
	for _, k := range [...]struct{ has, words string }{
		{"E325", "it has a swap file, so it is open in another Neovim or was when one crashed; close it there, or remove the swap file"},
		{"not 'modifiable'", "its buffer is read-only ('modifiable' is off)"},
		{"compare number with nil", "the edit was sent without a version, which is a fault of patchls; please report it"},
	} {
		if !a.applied && strings.Contains(a.reason, k.has) {
			return k.words
		}
	}
	return ""
}

var errDisconnected = errors.New("the connection has ended")

// callApplyEdit sends an applyEdit. An error, a null and applied: false are
// three spellings of no (hazard: spellings-of-no).
func (e *Engine) callApplyEdit(ctx context.Context, params *protocol.ApplyWorkspaceEditParams) answer {
	var raw jsonrpc2.RawMessage
	_, err := e.Client.Call(ctx, protocol.MethodWorkspaceApplyEdit, params, &raw)
	var refusal *jsonrpc2.Error
	switch {
	case errors.As(err, &refusal):
		return answer{reason: refusal.Message, err: err}
	case err != nil && ctx.Err() != nil:
		return answer{err: ctx.Err()}
	case err != nil:
		return answer{err: errors.Join(errDisconnected, err)}
	}
	var result struct {
		Applied       bool      `json:"applied"`
		FailureReason string    `json:"failureReason"`
		Versions      *versions `json:"versions"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return answer{reason: "an answer that is none", unreadable: true, err: err}
	}
	return answer{applied: result.Applied, reason: result.FailureReason, versions: result.Versions}
}
