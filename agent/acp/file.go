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
	ctx, cancel := context.WithTimeout(context.Background(), agent.LookTime)
	defer cancel()
	editor, _, err := f.find.Find(ctx, filepath.Dir(r.Path), agent.About{Files: []string{r.Path}, Edits: isWrite})
	switch {
	case words.IsKind(err, edits.Rejected), errors.Is(err, agent.ErrSilent):
		return nil, errors.New(words.ErrorOfWhole(err))
	case err != nil:
		return nil, errElsewhere
	}
	asks := view.DocumentArgs{URI: r.Path, StartLine: r.Line, Limit: r.Limit, Shown: true}
	if isWrite { // then it only asks whether the file is open
		asks = view.DocumentArgs{URI: r.Path, Limit: new(int)}
	}
	actor := f.self + " " + r.SessionID
	doc, err := agent.Document(ctx, editor, actor, asks)
	switch {
	case words.IsKind(err, edits.NotSettled), words.IsKind(err, edits.Unsupported): // it is open, and its text is not known
		return nil, errors.New(words.ErrorOfWhole(err))
	case err != nil:
		return nil, errElsewhere
	case isWrite:
		return struct{}{}, write(editor, actor, r, doc.URI)
	}
	return map[string]string{"content": doc.Text}, nil
}

// write has the editor make the text of a document what a session has written.
func write(editor agent.Editor, actor string, r request, uri string) error {
	ctx, cancel := context.WithTimeout(context.Background(), agent.WriteTime)
	defer cancel()
	_, err := editor.Execute(ctx, agent.Call{Command: "write", Arguments: commands.Write{Path: uri, Content: *r.Content}, Actor: actor})
	switch {
	case err == nil, words.IsKind(err, edits.NoChange):
		return nil
	case errors.Is(err, agent.ErrNotSent):
		return errElsewhere
	}
	return fmt.Errorf("%s: %s", paths.OneLine(r.Path, paths.MaxShownPath), words.ErrorOfWhole(err))
}
