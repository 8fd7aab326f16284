package acp

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/view"
)

// request is an agent's request for a file.
type request struct {
	SessionID string  `json:"sessionId"`
	Path      string  `json:"path"`
	Line      int     `json:"line"` // from 1
	Limit     *int    `json:"limit"`
	Content   *string `json:"content"`
}

// file returns the result of a request for a file that a live editor has open, or an error for the agent. If the client is
// to answer, both are nil.
func (p *proxy) file(m message) (any, error) {
	isWrite := m.Method == "fs/write_text_file"
	var r request
	if !isWrite && m.Method != "fs/read_text_file" ||
		json.Unmarshal(m.Params, &r) != nil || !filepath.IsAbs(r.Path) || isWrite == (r.Content == nil) {
		return nil, nil
	}
	doc, err := p.find.Open(context.Background(), isWrite, r.Path)
	if doc == nil {
		return nil, err
	}
	actor := p.actors + " " + r.SessionID
	if isWrite {
		ctx, cancel := context.WithTimeout(context.Background(), agent.WriteTime)
		defer cancel()
		_, err := doc.Editor.Execute(ctx, agent.Call{Command: "write", Arguments: commands.Write{Path: doc.URI, Content: *r.Content}, Actor: actor})
		if words.IsKind(err, edits.NoChange) {
			err = nil
		}
		return struct{}{}, err
	}
	shown, err := agent.Document(context.Background(), doc.Editor, actor, view.DocumentArgs{URI: doc.URI, StartLine: r.Line, Limit: r.Limit, Shown: true})
	if err != nil && !doc.Unsaved {
		return nil, nil // the disk has the text
	}
	return map[string]string{"content": shown.Text}, err
}
