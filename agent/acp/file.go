package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/rewrite"
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

// files answers what an agent asks of files that live editors have open. One goroutine has it.
type files struct {
	find *agent.Finder

	given  map[place]given
	held   int  // bytes in it
	forgot bool // some that were in it
}

// place is a file in a session.
type place struct{ session, path string }

// given is a text as a session takes it to be.
type given struct {
	text string          // with Unix line ends
	live rewrite.Version // as the editor had it then
}

func (g given) size() int { return len(g.text) + len(g.live.Text) }

// request is what an agent asks of a file.
type request struct {
	SessionID string  `json:"sessionId"`
	Path      string  `json:"path"`
	Line      *int    `json:"line"` // from 1
	Limit     *int    `json:"limit"`
	Content   *string `json:"content"`
}

// errElsewhere says that the client is to answer: no live editor has the file open.
var errElsewhere = errors.New("no live editor has the file open")

// answer returns the result of a request. The error is [errElsewhere], or for the agent.
func (f *files) answer(method string, params json.RawMessage) (any, error) {
	isWrite := method == "fs/write_text_file"
	var r request
	if !isWrite && method != "fs/read_text_file" ||
		json.Unmarshal(params, &r) != nil || !filepath.IsAbs(r.Path) || isWrite == (r.Content == nil) {
		return nil, errElsewhere
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	editor, err := f.find.Find(ctx, filepath.Dir(r.Path), r.Path)
	if err != nil {
		return nil, errElsewhere
	}
	doc, err := agent.Document(ctx, editor, r.Path)
	switch {
	case agent.IsKind(err, workspace.OutOfStep):
		return nil, errors.New(told(err))
	case err != nil:
		return nil, errElsewhere
	case isWrite:
		return struct{}{}, f.write(editor, r, doc)
	}
	return map[string]string{"content": f.read(r, doc)}, nil
}

// read returns the lines of a document that are asked for, and remembers what the session was given.
func (f *files) read(r request, doc view.Document) string {
	at := place{r.SessionID, r.Path}
	g := f.known(at, doc)
	g.live = rewrite.Version{Text: doc.Text, Rev: doc.Rev}
	t, unix := text.New(doc.Text), text.New(diff.UnixLines(doc.Text))
	from, to := 0, t.Lines()
	if r.Line != nil {
		from = min(max(*r.Line-1, 0), to)
	}
	if r.Limit != nil {
		to = from + min(max(*r.Limit, 0), to-from)
	}
	g.text = seen(g.text, unix, offset(unix, from), offset(unix, to))
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

// seen returns what a text is for one who knew it as was, and was shown a part of what it is now: was, with what has changed in
// that part. What is left out here was not seen, or makes no difference.
func seen(was string, now text.Text, from, to int) string {
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

// write makes of a whole text an edit of what the session was given.
func (f *files) write(editor agent.Executor, r request, doc view.Document) error {
	at := place{r.SessionID, r.Path}
	g, content := f.known(at, doc), diff.UnixLines(*r.Content)
	merged := merge.Texts(g.text, diff.UnixLines(g.live.Text), content)
	if merged.Conflicts > 0 {
		return refused(r, changed)
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if c := rewrite.Of(doc.URI, g.live, merged.Text); c.Size() > 0 {
		switch err := c.Make(ctx, editor); {
		case errors.Is(err, agent.ErrNotSent):
			return errElsewhere
		case err != nil:
			return refused(r, told(err))
		}
	}
	doc, err := agent.Document(ctx, editor, doc.URI)
	if err != nil {
		f.keep(at, given{}) // the editor is gone; what comes next has to be read
		return nil
	}
	f.keep(at, given{content, rewrite.Version{Text: doc.Text, Rev: doc.Rev}})
	return nil
}

// changed is why a text is not written that is made of another one than the user has.
const changed = "Nothing was written: the user has changed the same lines since this session read them. Read the whole file again, and write it with what the user has typed."

func refused(r request, why string) error {
	return fmt.Errorf("%s: %s", paths.OneLine(r.Path, paths.MaxShownPath), why)
}

// told is an error of an editor's server, in its words where they are of use to who writes whole texts.
func told(err error) string {
	message, data := agent.ErrorData(err)
	if data.Kind == edits.Stale {
		message = changed
	}
	return message + agent.Advice(data)
}

// known returns what a session was given of a file; of one that it has not asked for, it may know what is on disk.
func (f *files) known(at place, doc view.Document) given {
	g, is := f.given[at]
	if is {
		return g
	}
	g.live = rewrite.Version{Text: doc.Text, Rev: doc.Rev}
	if raw, err := os.ReadFile(at.path); err == nil && !f.forgot && rewrite.IsText(string(raw)) {
		g.text = diff.UnixLines(rewrite.FormOf(string(raw), doc.Text).Text(string(raw)))
	}
	return g
}

// keep remembers what a session was given. Where that is too much in all, what was before is forgotten, and has to be read
// again before it is written.
func (f *files) keep(at place, g given) {
	if f.held += g.size() - f.given[at].size(); f.held > maxGiven {
		clear(f.given)
		f.held, f.forgot = g.size(), true
	}
	f.given[at] = g
}
