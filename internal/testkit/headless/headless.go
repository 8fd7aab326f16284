// Package headless is the embedded editor with what tests ask of an editor besides: what it declares, how a user or a plugin
// answers, and what it does. It has the names of editors/headless that tests use.
package headless

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/internal/testkit/wire"
)

type (
	// Buffer is the type of that name in the editor.
	Buffer = headless.Buffer
	// State is the type of that name in the editor.
	State = headless.State
	// Change is the type of that name in the editor.
	Change = headless.Change
	// Document is the type of that name in the editor.
	Document = headless.Document
	// Request is the type of that name in the editor.
	Request = headless.Request
	// ApplyEditParams is the type of that name in the editor.
	ApplyEditParams = headless.ApplyEditParams
	// DocumentChange is the type of that name in the editor.
	DocumentChange = headless.DocumentChange
	// DocumentID is the type of that name in the editor.
	DocumentID = headless.DocumentID
	// ContentChange is the type of that name in the editor.
	ContentChange = headless.ContentChange
	// TextEdit is the type of that name in the editor.
	TextEdit = headless.TextEdit
	// Position is LSP's.
	Position = protocol.Position
	// Range is LSP's.
	Range = protocol.Range
	// SaveError is the type of that name in the editor.
	SaveError = headless.SaveError
)

// Habits are those of the editor, and what they make of its messages.
type Habits interface {
	// The editor calls these as it calls those of its own [headless.Habits].
	Document(b *Buffer) Document
	Initialize(p *protocol.InitializeParams)
	Answer(ctx context.Context, r *Request) (result any, handled bool, err error)
	Apply(ctx context.Context, r *Request, p *ApplyEditParams) ApplyEditResult
	// Calling is called with each [Editor.Call] before it is sent, and Wrote with each message after it was written.
	Calling(method string, params json.RawMessage)
	Wrote(message []byte)
	// Trace is called with the JSON of each message, before it is written and before it is read; dir is "send" or "receive".
	// The bytes are valid only during the call. Calls for different directions may be concurrent.
	Trace(dir string, message []byte)
}

// ApplyEditResult is the response to workspace/applyEdit: LSP's, or another one in its place.
type ApplyEditResult struct {
	Applied       bool
	FailureReason string
	FailedChange  *uint32 // index in documentChanges

	Raw json.RawMessage // if set, is sent instead: for answers that LSP does not know
	Err error           // if set, is sent instead, as a JSON-RPC error
}

// own is the habits of the editor, which makes nothing of its messages.
type own struct{ headless.Habits }

// Apply implements [Habits].
func (o own) Apply(ctx context.Context, r *Request, p *ApplyEditParams) ApplyEditResult {
	response, err := o.Habits.Apply(ctx, r, p)
	said, _ := response.(headless.ApplyEditResult)
	return ApplyEditResult{Applied: said.Applied, FailureReason: said.FailureReason, FailedChange: said.FailedChange, Err: err}
}

func (own) Calling(string, json.RawMessage) {}
func (own) Wrote([]byte)                    {}
func (own) Trace(string, []byte)            {}

// The errors and functions of the editor.
var (
	ErrServerGone = headless.ErrServerGone
	ErrBadRange   = headless.ErrBadRange
	Locate        = headless.Locate
	Join          = headless.Join
)

// Editor is a [headless.Editor] that a test can look into, and can make crash.
type Editor struct {
	*headless.Editor
	habits habits
	rwc    io.Closer
	roots  []string
	killed atomic.Bool
}

// Kill drops the connection without any message, like an editor that crashes. It does not wait; a later Close does.
func (e *Editor) Kill() {
	e.killed.Store(true)
	_ = e.rwc.Close()
}

// Call is [headless.Editor.Call].
func (e *Editor) Call(ctx context.Context, method string, params, result any) error {
	sent, err := plainjson.Marshal(params)
	if err != nil {
		return err
	}
	e.habits.Calling(method, sent)
	return e.Editor.Call(ctx, method, json.RawMessage(sent), result)
}

// Close is [headless.Editor.Close]; after Kill it is no error that the connection has ended.
func (e *Editor) Close() error {
	if err := e.Editor.Close(); !e.killed.Load() {
		return err
	}
	return nil
}

// Buffer returns the open buffer of a path or a URI, however it is spelled. A relative path is relative to the first root.
func (e *Editor) Buffer(pathOrURI string) (*Buffer, bool) {
	want := e.nameOf(pathOrURI)
	for _, b := range e.Buffers() {
		if b.URI() == pathOrURI || e.nameOf(b.URI()) == want {
			return b, true
		}
	}
	return nil, false
}

// nameOf returns the same for all spellings of a document's name.
func (e *Editor) nameOf(pathOrURI string) string {
	path := pathOrURI
	if scheme, _, is := strings.Cut(path, ":"); is && len(scheme) > 1 && !filepath.IsAbs(path) && !strings.ContainsAny(scheme, `/\ .`) {
		u, err := uri.Parse(path)
		switch {
		case err != nil:
			return path
		case !u.IsFile():
			return string(u)
		}
		path = u.Path()
		if runtime.GOOS == "windows" {
			path = u.FsPath()
		}
	}
	if !filepath.IsAbs(path) && len(e.roots) > 0 {
		path = filepath.Join(e.roots[0], path)
	}
	path, _ = filepath.Abs(path) // it fails where there is no working directory
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if runtime.GOOS != "linux" { // whose disks mostly ignore case
		path = strings.ToLower(path)
	}
	return path
}

// Options configure an [Editor]. Roots, Disk, Habits and CloseTimeout are those of [headless.Options].
type Options struct {
	Roots        []string
	Disk         disk.Disk
	Habits       func(e *Editor, own Habits) Habits
	CloseTimeout time.Duration

	// Client is the clientInfo of initialize. An empty Name means "patchls-headless".
	Client protocol.ClientInfo

	// Encodings are the positionEncodings offered, in order of preference. Nil means utf-8, utf-16, utf-32; empty but not
	// nil offers none, as clients before LSP 3.17 do.
	Encodings []string

	// Settings are the initializationOptions, and the section "patchls" of workspace/configuration. Nil sends none.
	Settings map[string]any

	// Capabilities, if set, modifies the declared capabilities just before they are
	// sent. The behavior of the editor stays the same.
	Capabilities func(*protocol.ClientCapabilities)

	// Answer, if set, answers the requests that the editor does not know, as a plugin or a user would. It may be slow.
	Answer func(ctx context.Context, method string, params json.RawMessage) (any, error)

	// Trace, if set, is called with each message, as [Habits] says.
	Trace func(dir string, message []byte)

	// Changed, if set, is called with each change of a buffer as it is made, even if the
	// server is not notified. now is the new state, and by the applyEdit that made the change, nil if the user
	// or the editor itself did. The editor is locked then, so Changed must not call it.
	Changed func(b *Buffer, c Change, now State, by *ApplyEditParams)
}

// Start is [headless.Start].
func Start(ctx context.Context, rwc io.ReadWriteCloser, o Options) (*Editor, error) {
	e := &Editor{rwc: rwc, roots: o.Roots}
	conn := &wire.Conn{
		ReadWriteCloser: rwc,
		Sending:         func(m []byte) { e.habits.Trace("send", m) },
		Sent:            func(m []byte) { e.habits.Wrote(m) },
		Received:        func(m []byte) { e.habits.Trace("receive", m) },
	}
	_, err := headless.Start(ctx, conn, headless.Options{
		Roots: o.Roots, Disk: o.Disk, CloseTimeout: o.CloseTimeout,
		Habits: func(inner *headless.Editor, its headless.Habits) headless.Habits {
			e.Editor, e.habits = inner, habits{own{its}, o}
			if o.Habits != nil {
				e.habits.Habits = o.Habits(e, e.habits.Habits)
			}
			return e.habits
		},
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// habits are those of an editor with options.
type habits struct {
	Habits
	o Options
}

// Initialize implements [headless.Habits].
func (h habits) Initialize(p *protocol.InitializeParams) {
	h.Habits.Initialize(p)
	if h.o.Client.Name != "" {
		p.ClientInfo = h.o.Client
	}
	if h.o.Encodings != nil {
		p.Capabilities.General = nil
	}
	for _, name := range h.o.Encodings {
		if p.Capabilities.General == nil {
			p.Capabilities.General = &protocol.GeneralClientCapabilities{}
		}
		p.Capabilities.General.PositionEncodings = append(p.Capabilities.General.PositionEncodings, protocol.PositionEncodingKind(name))
	}
	if h.o.Settings != nil {
		raw, err := json.Marshal(h.o.Settings)
		if err != nil {
			panic(err)
		}
		p.InitializationOptions = raw
	}
	if h.o.Capabilities != nil {
		h.o.Capabilities(&p.Capabilities)
	}
}

// known are the requests that the editor answers itself.
var known = []string{
	"workspace/applyEdit", "patchls/save", "workspace/configuration", "workspace/workspaceFolders",
	"client/registerCapability", "client/unregisterCapability",
}

// Answer implements [headless.Habits].
func (h habits) Answer(ctx context.Context, r *Request) (result any, handled bool, err error) {
	if result, handled, err = h.Habits.Answer(ctx, r); handled {
		return result, true, err
	}
	var asks struct{ Items []struct{ Section string } }
	switch {
	case r.Method == "workspace/configuration" && h.o.Settings != nil && json.Unmarshal(r.Params, &asks) == nil:
		values := make([]any, len(asks.Items))
		for i, item := range asks.Items {
			if item.Section == "patchls" {
				values[i] = h.o.Settings
			}
		}
		return values, true, nil
	case h.o.Answer != nil && !slices.Contains(known, r.Method):
		result, err = h.o.Answer(ctx, r.Method, r.Params)
		return result, true, err
	}
	return nil, false, nil
}

// Apply implements [headless.Habits].
func (h habits) Apply(ctx context.Context, r *Request, p *ApplyEditParams) (any, error) {
	switch result := h.Habits.Apply(ctx, r, p); {
	case result.Err != nil:
		return nil, result.Err
	case result.Raw != nil:
		return result.Raw, nil
	default:
		return headless.ApplyEditResult{Applied: result.Applied, FailureReason: result.FailureReason, FailedChange: result.FailedChange}, nil
	}
}

// Trace implements [Habits].
func (h habits) Trace(dir string, message []byte) {
	h.Habits.Trace(dir, message)
	if h.o.Trace != nil {
		h.o.Trace(dir, message)
	}
}

// Document implements [headless.Habits].
func (h habits) Document(b *Buffer) Document {
	d := h.Habits.Document(b)
	if h.o.Changed == nil {
		return d
	}
	return watched{d, b, h.o.Changed}
}

// watched is a document whose changes are shown to a test.
type watched struct {
	Document
	b       *Buffer
	changed func(b *Buffer, c Change, now State, by *ApplyEditParams)
}

// Changed implements [headless.Document].
func (w watched) Changed(s *State, c Change) {
	w.changed(w.b, c, *s, c.By)
	w.Document.Changed(s, c)
}

// HabitsOf returns what the Habits in the options have returned for a buffer.
func HabitsOf(b *Buffer) Document {
	if w, is := b.Habits().(watched); is {
		return w.Document
	}
	return b.Habits()
}
