package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/plainjson"
)

// handle receives every message of the server. It starts on the goroutine that reads, which only touches memory and only
// takes short locks. Requests leave that goroutine before they are handled and before their answers are written, since the
// server may be writing to the editor at that time.
func (e *Editor) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() { // the server has nothing to say that an editor without a user would act on
		return nil, nil // an error would kill the connection
	}
	pass := func() {}
	var before chan struct{}
	if method := req.Method(); method == "patchls/save" || method == "workspace/applyEdit" { // one after the other
		mine := make(chan struct{})
		before, e.last = e.last, mine
		pass = sync.OnceFunc(func() { close(mine) })
	}
	jsonrpc2.Async(ctx) // copies the method, since the next message reuses its bytes
	r := &Request{ID: req.ID(), Method: req.Method(), Params: json.RawMessage(req.Params()), Pass: pass}
	defer r.Pass()
	if before != nil {
		select {
		case <-before:
		case <-e.base.Done():
		}
	}
	return e.answer(e.base, r)
}

func (e *Editor) answer(ctx context.Context, r *Request) (any, error) {
	if result, handled, err := e.habits.Answer(ctx, r); handled {
		return result, err
	}
	switch r.Method {
	case "workspace/applyEdit":
		return e.applyEdit(ctx, r)
	case "patchls/save":
		return e.saveURIs(r.Params)
	case "workspace/configuration":
		return configuration(r.Params)
	case "workspace/workspaceFolders":
		return workspaceFolders(e.opts.Roots)
	case "client/registerCapability", "client/unregisterCapability":
		return nil, nil
	case "window/showMessageRequest": // null would mean that the user chose none
		return nil, jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "there is no user to ask")
	}
	if strings.HasPrefix(r.Method, "workspace/") && strings.HasSuffix(r.Method, "/refresh") {
		return nil, nil
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %s", r.Method)
}

// applyEdit answers workspace/applyEdit.
func (e *Editor) applyEdit(ctx context.Context, r *Request) (any, error) {
	var p ApplyEditParams
	var has struct {
		Edit json.RawMessage `json:"edit"`
	}
	err := json.Unmarshal(r.Params, &has)
	if err == nil && has.Edit == nil {
		err = errors.New("no edit")
	}
	if err == nil {
		err = json.Unmarshal(r.Params, &p)
	}
	if err != nil {
		return nil, badParams(r.Method, err)
	}
	p.Raw = has.Edit
	<-e.ready // a server must not ask before initialized, but it may happen
	return e.habits.Apply(ctx, r, &p)
}

// saveResult is the part of patchls/save's answer for one URI.
type saveResult struct {
	URI   string `json:"uri"`
	Saved bool   `json:"saved"` // disk holds the buffer's text
	Error string `json:"error,omitempty"`
}

// saveURIs answers patchls/save: {"uris":[…]} gives {"results":[…]}, with one result per URI, in order. No other documents
// are saved. Saving a deleted document deletes its file; saving a renamed document also deletes the old file.
func (e *Editor) saveURIs(params json.RawMessage) (any, error) {
	var p struct {
		URIs  []string          `json:"uris"`
		Leads map[string]string `json:"leads"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("patchls/save", err)
	}
	results := make([]saveResult, len(p.URIs))
	for i, uri := range p.URIs {
		err := e.leads(uri, p.Leads[uri])
		if err == nil {
			err = e.SaveAll(uri)
		}
		results[i] = saveResult{URI: uri, Saved: err == nil || errors.Is(err, disk.ErrNotDurable)}
		if err != nil {
			results[i].Error = strings.ToValidUTF8(err.Error(), "\uFFFD")
		}
	}
	return map[string]any{"results": results}, nil
}

// leads returns an error if the name of a document leads elsewhere than want, "" for anywhere.
func (e *Editor) leads(uri, want string) error {
	path, isFile := pathOf(uri)
	if !isFile || want == "" {
		return nil
	}
	if now, _ := realPath(path); now != want && !(filepath.Separator == '\\' && strings.EqualFold(now, want)) { // Windows spells case in several ways
		return fmt.Errorf("save %s: its name leads elsewhere now", path)
	}
	return nil
}

// configuration answers workspace/configuration: nothing is configured.
func configuration(params json.RawMessage) (any, error) {
	var p struct {
		Items []any `json:"items"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams("workspace/configuration", err)
	}
	return make([]any, len(p.Items)), nil
}

// badParams returns the error for parameters that cannot be decoded.
func badParams(method string, err error) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %v", method, err)
}

// Most types of workspace/applyEdit are our own: the protocol module rewrites URIs while decoding and takes missing members
// for zeros. These keep the spelling and refuse what LSP does not allow.

// TextEdit is LSP's. A SnippetTextEdit, which has no newText, is refused.
type TextEdit struct {
	Range   protocol.Range `json:"range"`
	NewText string         `json:"newText"`
}

// UnmarshalJSON refuses an edit that lacks a member.
func (t *TextEdit) UnmarshalJSON(data []byte) error {
	type position struct{ Line, Character *uint32 }
	var raw struct {
		Range   *struct{ Start, End *position }
		NewText *string
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	complete := func(p *position) bool { return p != nil && p.Line != nil && p.Character != nil }
	switch {
	case raw.NewText == nil:
		return errors.New("a text edit without newText")
	case raw.Range == nil || !complete(raw.Range.Start) || !complete(raw.Range.End):
		return errors.New("a text edit without a whole range")
	}
	type whole TextEdit // without this method
	return json.Unmarshal(data, (*whole)(t))
}

// DocumentID is an OptionalVersionedTextDocumentIdentifier. A nil Version is null or absent.
type DocumentID struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"`
}

// DocumentChange is one member of documentChanges: a TextDocumentEdit if Kind
// is empty, else the resource operation of that kind.
type DocumentChange struct {
	TextDocument DocumentID `json:"textDocument,omitzero"`
	Edits        []TextEdit `json:"edits,omitempty"`

	Kind    string   `json:"kind,omitempty"`
	URI     string   `json:"uri,omitempty"`
	OldURI  string   `json:"oldUri,omitempty"`
	NewURI  string   `json:"newUri,omitempty"`
	Options struct { // those that the server always sends as false are left out
		IgnoreIfExists bool `json:"ignoreIfExists,omitempty"` // of a create
	} `json:"options,omitzero"`
}

// WorkspaceEdit is LSP's, without the member changes, which has no versions: the editor
// declares that it supports documentChanges.
type WorkspaceEdit struct {
	DocumentChanges []DocumentChange `json:"documentChanges,omitempty"`
}

// ApplyEditParams are the parameters of workspace/applyEdit.
type ApplyEditParams struct {
	Label string        `json:"label,omitempty"`
	Edit  WorkspaceEdit `json:"edit"`

	Raw json.RawMessage `json:"-"` // the edit as it was received
}

// ApplyEditResult is the answer to workspace/applyEdit.
type ApplyEditResult struct {
	Applied       bool    `json:"applied"`
	FailureReason string  `json:"failureReason,omitempty"`
	FailedChange  *uint32 `json:"failedChange,omitempty"` // index in documentChanges
}

// codec encodes and decodes by encoding/json, with its usual strictness and tags. The protocol
// module's types are encoded by that module before they get here.
type codec struct{}

// Marshal implements [jsonrpc2.Codec].
func (codec) Marshal(v any) ([]byte, error) { return plainjson.Marshal(v) }

// Unmarshal implements [jsonrpc2.Codec].
func (codec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// ContentChange is LSP's TextDocumentContentChangeEvent.
type ContentChange struct {
	Range protocol.Range `json:"range"`
	Text  string         `json:"text"`
}

// tell notifies the server about b, whose URI keeps the spelling that it was opened with: the protocol module's types rewrite
// it. It ignores errors: the editor goes on without a server, and Done reports that the connection has ended.
func (c *connection) tell(method string, b *Buffer, document, more map[string]any) {
	document["uri"], more["textDocument"] = b.uri, document
	_ = c.Notify(context.Background(), "textDocument/"+method, more)
}

// TellOpen sends a didOpen for b with the text of now. The editor must be locked, as for the three methods below.
func (c *connection) TellOpen(b *Buffer, now *State) {
	c.tell("didOpen", b, map[string]any{"languageId": b.languageID, "version": now.Version, "text": now.Text.String()}, map[string]any{})
}

// TellChange sends a didChange with the changes that led to now.
func (c *connection) TellChange(b *Buffer, now *State, changes []ContentChange) {
	c.tell("didChange", b, map[string]any{"version": now.Version}, map[string]any{"contentChanges": append([]ContentChange{}, changes...)})
}

// TellSave sends a didSave with the text of now, which was saved.
func (c *connection) TellSave(b *Buffer, now *State) {
	c.tell("didSave", b, map[string]any{}, map[string]any{"text": now.Text.String()})
}

// TellClose sends a didClose for b.
func (c *connection) TellClose(b *Buffer) { c.tell("didClose", b, map[string]any{}, map[string]any{}) }

// ContentChanges returns a change in the form of didChange: the edits of each batch from the
// last to the first, so that none moves the positions of those after it in the list.
func (c *connection) ContentChanges(of Change) (list []ContentChange) {
	t := of.Before
	for i, batch := range of.Batches {
		if i > 0 {
			t = of.Batches[i-1].Apply(t)
		}
		for _, edit := range slices.Backward(batch) {
			r := protocol.Range{Start: position(t, edit.Start, c.encoding), End: position(t, edit.End, c.encoding)}
			list = append(list, ContentChange{r, edit.New})
		}
	}
	return list
}

func position(t text.Text, off int, enc text.Encoding) protocol.Position {
	p := t.Position(off, enc)
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}
