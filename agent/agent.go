// Package agent connects agents to the editors of the same user: it has the socket of a server, how agents find the socket,
// and an agent's connection to it. Package mcp below it serves agents that speak the Model Context Protocol.
//
// It only carries commands: what they do is in lsp and below. What never lives
// here: how an edit is found, which paths may be touched, flags and exit codes.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/patchls/patchls/lsp/view"
)

// ErrNotSent says that a command did not reach a server, so that it can be sent to another one.
var ErrNotSent = errors.New("the command was not sent")

func notSent(cause error) error { return fmt.Errorf("%w: %w", ErrNotSent, cause) }

// Editor is where an agent's commands run: a live editor behind its server's socket,
// or one that is embedded. It is safe for concurrent use.
type Editor interface {
	// Execute runs one command. The error of a server's answer is a *jsonrpc2.Error,
	// whose data is an transaction.ErrorData; any other error means that no answer came. It
	// is not known then whether an edit was made, unless the error is ErrNotSent.
	Execute(ctx context.Context, call Call) (json.RawMessage, error)
}

// List asks an editor which documents are open, and which edits can be undone.
func List(ctx context.Context, e Editor) (list view.Listing, err error) {
	raw, err := e.Execute(ctx, Call{Command: "list"})
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	return list, err
}

// Document asks an editor, which has [LookTime], for the text of an open document. actor is as in [Call].
func Document(ctx context.Context, e Editor, actor string, args view.DocumentArgs) (doc view.Document, err error) {
	ctx, cancel := context.WithTimeout(ctx, LookTime)
	defer cancel()
	raw, err := e.Execute(ctx, Call{Command: "document", Arguments: args, Actor: actor})
	if err == nil {
		err = json.Unmarshal(raw, &doc)
	}
	return doc, err
}

// Call is one command of a server.
type Call struct {
	Command   string // without "patchls."
	Arguments any    // as JSON, one object
	Actor     string // who sends it; "" for the actor of the connection
	// OnSend, if not nil, is called once the command has its place in the order: commands executed from then on come after
	// it. OnSend is not called for a command that is not sent, and must not block.
	OnSend func()
}

// Host is a server that lets agents in, as lsp.Endpoint does.
type Host interface {
	// Serve serves one agent, which must know the token, until its connection ends or ctx is done. It closes conn. How many
	// it serves at once is for the host to bound.
	Serve(ctx context.Context, conn io.ReadWriteCloser, token string) error
	// Client is what the editor calls itself, and its version; both may be "".
	Client() (name, version string)
	// Roots returns the workspace folders, absolute paths of this machine, and a channel that is closed when they change.
	Roots() (roots []string, changed <-chan struct{})
}
