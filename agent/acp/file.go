package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
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
	doc, err := f.find.Open(context.Background(), r.Path)
	switch actor := f.self + " " + r.SessionID; {
	case doc == nil && err != nil:
		return nil, errors.New(words.ErrorOfWhole(err))
	case doc == nil:
		return nil, errElsewhere
	case isWrite:
		return struct{}{}, write(doc, actor, r)
	default:
		return read(doc, actor, r)
	}
}

// read returns the text of a document as the result of a request. The file on disk has it if it was saved.
func read(doc *agent.File, actor string, r request) (any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), agent.LookTime)
	defer cancel()
	shown, err := agent.Document(ctx, doc.Editor, actor, view.DocumentArgs{URI: doc.URI, StartLine: r.Line, Limit: r.Limit, Shown: true})
	switch {
	case err == nil:
		return map[string]string{"content": shown.Text}, nil
	case doc.Unsaved:
		return nil, errors.New(words.ErrorOfWhole(err))
	}
	return nil, errElsewhere
}

// write has the editor make the text of a document what a session has written.
func write(doc *agent.File, actor string, r request) error {
	ctx, cancel := context.WithTimeout(context.Background(), agent.WriteTime)
	defer cancel()
	_, err := doc.Editor.Execute(ctx, agent.Call{Command: "write", Arguments: commands.Write{Path: doc.URI, Content: *r.Content}, Actor: actor})
	if err == nil || words.IsKind(err, edits.NoChange) {
		return nil
	}
	return fmt.Errorf("%s: %s", paths.OneLine(r.Path, paths.MaxShownPath), words.ErrorOfWhole(err))
}
