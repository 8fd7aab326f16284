package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
)

// savingEditor is the embedded editor for an agent that works on files: it saves what a
// command has edited and closes all buffers, so that the next command finds what is
// on disk by then. The zero value is to be started. It is safe for concurrent use;
// commands go one after the other, in the order in which they come.
type savingEditor struct {
	commands workspace.Queue

	mu      sync.Mutex // of starting
	editor  *embeddedEditor
	changed chan struct{}
}

// start starts the editor if that was not done before. ctx bounds its life.
func (s *savingEditor) start(ctx context.Context, root string, find *agent.Finder) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.editor != nil {
		return nil
	}
	e, err := embedded(ctx, root, find)
	if err == nil {
		s.editor, s.changed = e, make(chan struct{}, 1)
	}
	return err
}

// Execute implements [agent.Editor].
func (s *savingEditor) Execute(ctx context.Context, call agent.Call) (json.RawMessage, error) {
	turn := s.commands.Take()
	defer turn.Done()
	if call.Sent != nil {
		call.Sent()
	}
	if err := turn.Wait(ctx); err != nil {
		return nil, err
	}
	// It is not cancelled any more: what is half done would be in the buffers that the next
	// command finds, and saves. It ends soon by itself.
	ctx = context.WithoutCancel(ctx)
	raw, err := s.editor.Execute(ctx, call)
	if err != nil {
		s.closeBuffers() // that it may have opened
		return nil, err
	}
	var result map[string]json.RawMessage
	var edit transaction.Result
	if json.Unmarshal(raw, &result) != nil || json.Unmarshal(raw, &edit) != nil || !edit.Applied || call.Command == "save" {
		return raw, nil // it edited nothing
	}
	defer s.closeBuffers()
	if err := s.editor.saveFiles(&edit); err != nil {
		return nil, s.takenBack(ctx, edit, err)
	}
	if result["files"], err = json.Marshal(edit.Files); err != nil {
		return nil, err
	}
	if len(edit.Notes) > 0 {
		if result["notes"], err = json.Marshal(edit.Notes); err != nil {
			return nil, err
		}
	}
	return json.Marshal(result)
}

// takenBack takes an edit back that could not be saved, and returns its error.
func (s *savingEditor) takenBack(ctx context.Context, edit transaction.Result, err error) error {
	if edit.EditID != "" {
		undo := agent.Call{Command: "undo", Arguments: map[string]any{"edit_id": edit.EditID}}
		if _, undone := s.editor.Execute(ctx, undo); undone != nil {
			err = errors.Join(err, undone)
		}
	}
	if plain, ok := errors.AsType[failed](err); ok {
		return &jsonrpc2.Error{Code: jsonrpc2.InternalError, Message: plain.Error()}
	}
	return err
}

func (s *savingEditor) closeBuffers() {
	s.editor.Discard()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Changed implements [agent.Editor]. Between two commands no document is open.
func (s *savingEditor) Changed() <-chan struct{} { return s.changed }

// Close implements [agent.Editor].
func (s *savingEditor) Close() error {
	turn := s.commands.Take()
	defer turn.Done()
	_ = turn.Wait(context.Background()) // it has no end that could be an error
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.editor == nil {
		return nil
	}
	close(s.changed)
	e := s.editor
	s.editor = nil
	return e.Close()
}
