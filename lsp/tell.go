package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// The server reports to the user: edits and warnings in the editor's log, and what only the user
// can act on in a message. It does not wait for the editor, which may be waiting for the server.

// telling is a notification for the user.
type telling struct {
	method string // window/logMessage or window/showMessage
	params *protocol.ShowMessageParams
}

// outbox holds the notifications for the user. It is safe for concurrent use.
type outbox chan telling

// maxOutbox is how many notifications may wait. More are dropped.
const maxOutbox = 100

// send sends the notifications to the client, in order, until ctx is done.
func (o outbox) send(ctx context.Context, client *rpc.Client) {
	for {
		select {
		case t := <-o:
			client.Notify(t.method, t.params)
		case <-ctx.Done():
			return
		}
	}
}

// add adds a message, as one line. It drops the message if the outbox is full.
func (o outbox) add(method string, kind protocol.MessageType, message string) {
	select {
	case o <- telling{method, &protocol.ShowMessageParams{Type: kind, Message: paths.OneLine(message, paths.MaxShownMessage)}}:
	default:
	}
}

// logDone has the editor's log say what the caller did.
func (s *caller) logDone(what string) {
	by := review.Author(s.called())
	s.outbox.add(protocol.MethodWindowLogMessage, protocol.MessageTypeInfo, by+": "+what)
}

// warnOf shows the user a message about an edit that could not be verified: only they can see
// whether their text is as it should be.
func (s *caller) warnOf(err error) {
	if !edits.IsKind(err, edits.NotSettled) {
		return
	}
	what := "an edit"
	if path := editor.Failure(err).Path; path != "" {
		what += " of " + paths.OneLine(path, paths.MaxShownPath)
	}
	s.outbox.add(protocol.MethodWindowShowMessage, protocol.MessageTypeWarning, fmt.Sprintf(
		"patchls could not verify %s by %s: please look whether the text is as it should be.", what, review.Author(s.called())))
}
