package headless

import (
	"context"
	"encoding/json"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
)

// Options say what an editor is like. The zero value is a compliant editor
// without a workspace folder.
type Options struct {
	// Roots are the workspace folders, absolute paths. A relative path given to
	// the editor is taken from the first one.
	Roots []string

	// OnlyRoots has the editor read, write and make no file that is not beneath the Roots,
	// also while a program swaps folders in them for links.
	OnlyRoots bool

	// Habits, if set, returns those of another editor, for tests. It is called before
	// anything is sent; the editor's methods work once Start returns.
	Habits func(*Editor) Habits

	// Client is the clientInfo of initialize. An empty Name means "patchls-headless".
	Client protocol.ClientInfo

	// Encodings are the positionEncodings offered, in order of preference. Nil
	// means utf-8, utf-16, utf-32; empty but not nil offers none, as clients before
	// LSP 3.17 do.
	Encodings []string

	// Settings are the initializationOptions, and the section "patchls" of
	// workspace/configuration. Nil sends none.
	Settings map[string]any

	// Capabilities, if set, changes what is declared, just before it is sent.
	// What the editor does stays as it is.
	Capabilities func(*protocol.ClientCapabilities)

	// ApplyEdit, if set, answers workspace/applyEdit in the editor's place: see
	// [ApplyEditFunc].
	ApplyEdit ApplyEditFunc

	// AllowSave, if set, is asked before a buffer is written to path; its error
	// refuses. It is asked as well for each file of a save that another process left
	// half done, before that is taken back; then the editor may be locked, so it must not
	// call the editor.
	AllowSave func(path string) error

	// Choose is the user who is asked a question with these answers; "" closes it.
	// Nil: nobody is there. It may take its time.
	Choose func(ctx context.Context, message string, answers []string) string

	// Answer, if set, answers the requests that the editor does not know: a plugin.
	Answer func(ctx context.Context, method string, params json.RawMessage) (any, error)

	// Logf takes the server's log and show messages. It is called on the
	// goroutine that reads from the server: it must not wait for the server.
	Logf func(format string, args ...any)

	// Recovered, if set, takes what became of a save that another process began and did
	// not live to end. It is called in Start and while a save goes on, when
	// the editor is locked.
	Recovered func(what string)

	// Trace, if set, takes the JSON of every message; dir is "send" or
	// "receive". The bytes are valid during the call only. Calls of different
	// directions come concurrently.
	Trace func(dir string, message []byte)

	// Changed, if set, takes each change of a buffer as it is made, whether the server is
	// told of it or not. The editor is locked then: it must not call the editor.
	Changed func(TextChange)

	// CloseTimeout bounds each of the two waits of Close: for the server's
	// answer to shutdown, and for the connection's goroutines. Zero means 2 s.
	CloseTimeout time.Duration
}

// TextChange is one change of a buffer's text.
type TextChange struct {
	Buffer        *Buffer
	Before, After text.Text
	Version       int32 // of the text after it
	// Edit is the applyEdit that made it, nil if it was the user or the editor itself.
	Edit *ApplyEditParams
}

// ApplyEditFunc answers one workspace/applyEdit. next applies the edit as a
// compliant editor does and returns what that one would answer; it may be
// called later, with changed parameters, or never. An error is sent as a
// JSON-RPC error. To leave the request unanswered, wait for ctx, which ends
// with the connection, with Kill and Close, and with $/cancelRequest.
//
// It runs on a goroutine of its own and holds no lock, so it may type into
// buffers and call the server. Edits of one server that meet an ApplyEditFunc
// run concurrently; without one they are applied in wire order.
type ApplyEditFunc func(ctx context.Context, e *Editor, params *ApplyEditParams,
	next func(*ApplyEditParams) ApplyEditResult) (ApplyEditResult, error)

const defaultCloseTimeout = 2 * time.Second

func (o Options) withDefaults() Options {
	if o.Client.Name == "" {
		o.Client.Name = "patchls-headless"
	}
	if o.Encodings == nil {
		o.Encodings = []string{"utf-8", "utf-16", "utf-32"}
	}
	if o.CloseTimeout <= 0 {
		o.CloseTimeout = defaultCloseTimeout
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	return o
}
