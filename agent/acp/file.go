package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/view"
)

// files answers an agent's requests for files that live editors have open. Only one goroutine may use it.
type files struct {
	find *agent.Finder
	self string // names this process: agents may count their sessions from 1
}

// request is an agent's request for a file.
type request struct {
	SessionID string  `json:"sessionId"`
	Path      string  `json:"path"`
	Line      int     `json:"line"` // from 1
	Limit     *int    `json:"limit"`
	Content   *string `json:"content"`
}

// errElsewhere says that the client is to answer: no live editor has the file open.
var errElsewhere = errors.New("no live editor has the file open")

// answer returns the result of a request. An error other than [errElsewhere] is for the agent.
func (f *files) answer(method string, params json.RawMessage) (any, error) {
	isWrite := method == "fs/write_text_file"
	var r request
	if !isWrite && method != "fs/read_text_file" ||
		json.Unmarshal(params, &r) != nil || !filepath.IsAbs(r.Path) || isWrite == (r.Content == nil) {
		return nil, errElsewhere
	}
	doc, err := f.find.Open(context.Background(), isWrite, r.Path)
	if doc == nil {
		return nil, cmp.Or(err, errElsewhere)
	}
	actor := f.self + " " + r.SessionID
	if isWrite {
		ctx, cancel := context.WithTimeout(context.Background(), agent.WriteTime)
		defer cancel()
		_, err := doc.Editor.Execute(ctx, agent.Call{Command: "write", Arguments: commands.Write{Path: doc.URI, Content: *r.Content}, Actor: actor})
		if words.IsKind(err, edits.NoChange) {
			err = nil
		}
		return struct{}{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), agent.LookTime)
	defer cancel()
	shown, err := agent.Document(ctx, doc.Editor, actor, view.DocumentArgs{URI: doc.URI, StartLine: r.Line, Limit: r.Limit, Shown: true})
	if err != nil && !doc.Unsaved {
		err = errElsewhere // the disk has the text
	}
	return map[string]string{"content": shown.Text}, err
}
