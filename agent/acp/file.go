package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/rewrite"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Bounds.
const (
	lookTime  = 2 * time.Second  // to say whether a file is open
	writeTime = 30 * time.Second // to make an edit, about which the user may be asked
	maxGiven  = 256 << 20        // of the texts that are remembered, in bytes
)

// files answers an agent's requests for files that live editors have open. Only one goroutine may use it.
type files struct {
	find *agent.Finder

	texts  map[place]sessionText
	bytes  int  // of texts
	forgot bool // texts has lost entries
}

// place is a file in a session.
type place struct{ session, path string }

// sessionText is what a session knows of a file.
type sessionText struct {
	text string          // with Unix line ends
	live rewrite.Version // the editor's text at that time
}

func (g sessionText) size() int { return len(g.text) + len(g.live.Text) }

// request is an agent's request for a file.
type request struct {
	SessionID string  `json:"sessionId"`
	Path      string  `json:"path"`
	Line      *int    `json:"line"` // from 1
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
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	editor, _, err := f.find.Find(ctx, filepath.Dir(r.Path), agent.About{Files: []string{r.Path}})
	switch {
	case words.IsKind(err, agent.Refused), errors.Is(err, agent.ErrSilent):
		return nil, errors.New(agentError(err))
	case err != nil:
		return nil, errElsewhere
	}
	doc, err := agent.Document(ctx, editor, r.Path)
	switch {
	case words.IsKind(err, workspace.OutOfStep):
		return nil, errors.New(agentError(err))
	case err != nil:
		return nil, errElsewhere
	case isWrite:
		return struct{}{}, f.write(editor, r, doc)
	}
	return map[string]string{"content": f.read(r, doc)}, nil
}

// read returns the requested lines of a document, and remembers what the session was given.
func (f *files) read(r request, doc view.Document) string {
	at := place{r.SessionID, r.Path}
	g := f.textOf(at, doc)
	g.live = rewrite.Version{Text: doc.Text, Rev: doc.Rev}
	t, unix := text.New(doc.Text), text.New(diff.UnixLines(doc.Text))
	from, to := 0, t.Lines()
	if r.Line != nil {
		from = min(max(*r.Line-1, 0), to)
	}
	if r.Limit != nil {
		to = from + min(max(*r.Limit, 0), to-from)
	}
	g.text = partlySeen(g.text, unix, offset(unix, from), offset(unix, to))
	f.keep(at, g)
	return t.Slice(offset(t, from), offset(t, to))
}

// offset returns where a line begins, from 0; a byte order mark is a part of the first one.
func offset(t text.Text, line int) int {
	if line == 0 {
		return 0
	}
	return t.LineStart(line)
}

// partlySeen returns what a session knows of a text if it knew was, and was then shown the part [from,to) of now: was with the
// changes in that part. The changes left out were not shown, or make no difference.
func partlySeen(was string, now text.Text, from, to int) string {
	if from == 0 && to == now.Len() {
		return now.String()
	}
	base, grown := text.New(was), 0
	var shown edits.Edits
	for _, e := range diff.Rewrite(base, 0, base.Len(), now.String()) {
		start := e.Start + grown
		end := start + len(e.New)
		if grown += len(e.New) - (e.End - e.Start); from <= start && end <= to && (start < end || from < start && start < to) {
			shown = append(shown, e)
		}
	}
	return shown.Apply(base).String()
}

// write turns a whole text into an edit of the text that the session was given.
func (f *files) write(editor agent.Editor, r request, doc view.Document) error {
	at := place{r.SessionID, r.Path}
	g, content := f.textOf(at, doc), diff.UnixLines(*r.Content)
	merged := merge.Texts(g.text, diff.UnixLines(g.live.Text), content)
	if len(merged.Conflicts) > 0 {
		return refused(r, changed)
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if c := rewrite.Of(doc.URI, g.live, merged.Text); c.Size() > 0 {
		switch err := c.Make(ctx, editor); {
		case errors.Is(err, agent.ErrNotSent):
			return errElsewhere
		case err != nil:
			return refused(r, agentError(err))
		}
	}
	doc, err := agent.Document(ctx, editor, doc.URI)
	if err != nil {
		f.keep(at, sessionText{}) // the editor is gone; the file must be read before the next write
		return nil
	}
	f.keep(at, sessionText{content, rewrite.Version{Text: doc.Text, Rev: doc.Rev}})
	return nil
}

// changed is the reason for refusing a text: the user has changed the lines that it was made from.
const changed = "Nothing was written: the user has changed the same lines since this session read them. Read the whole file again, and write it with what the user has typed."

func refused(r request, why string) error {
	return fmt.Errorf("%s: %s", paths.OneLine(r.Path, paths.MaxShownPath), why)
}

// agentError returns the message of a server's error, reworded where it would not help an agent that writes whole texts.
func agentError(err error) string {
	message, data := words.ErrorData(err)
	if data.Kind == edits.Stale {
		message = changed
	}
	return message + words.Advice(data)
}

// textOf returns what a session was given of a file. A session that has not read the file may know its text on disk.
func (f *files) textOf(at place, doc view.Document) sessionText {
	g, is := f.texts[at]
	if is {
		return g
	}
	g.live = rewrite.Version{Text: doc.Text, Rev: doc.Rev}
	// The editor's server has just let the agent have the document, so its file is no other's either.
	policy := paths.Policy{AllowOutside: true, Terse: true}
	file, err := policy.Resolve(at.path, nil)
	if err != nil || f.forgot {
		return g
	}
	if disk, err := policy.ReadClosed(file); err == nil && rewrite.IsText(disk.Text.String()) {
		raw := disk.Text.String()
		if disk.BOM {
			raw = text.BOM + raw
		}
		g.text = diff.UnixLines(rewrite.FormOf(raw, doc.Text).Text(raw))
	}
	return g
}

// keep remembers what a session was given. If all that exceeds maxGiven, everything before is forgotten, and files must
// be read again before they are written.
func (f *files) keep(at place, g sessionText) {
	if f.bytes += g.size() - f.texts[at].size(); f.bytes > maxGiven {
		clear(f.texts)
		f.bytes, f.forgot = g.size(), true
	}
	f.texts[at] = g
}
