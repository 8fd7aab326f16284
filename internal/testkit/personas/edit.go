package personas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// edit is a workspace/applyEdit in progress, or one change of it if the persona makes its
// changes one after the other.
type edit struct {
	q     *quirks
	reply *reply
	hold  bool // the didChanges wait for the answer
	raw   json.RawMessage
	index int // of the change whose text edits are placed
	texts int // how many changes had text edits before it

	// By URI: buffers made for the edit; URIs whose buffers are opened in the editor's own
	// way; and for each new URI the one it was renamed from.
	loaded map[string]*document
	plain  map[string]bool
	from   map[string]string
	made   map[string]bool // files that the edit makes without a CreateFile

	placed  *document   // whose text edits were placed last
	changed []*document // in order

	hidden    []*headless.Buffer // to be written if they are changed
	unwritten []*document        // to be written, and then opened
	fresh     []string           // paths that were made, in case the edit is refused
	cut       []string           // paths of files to be made empty
	gone      []string           // URIs of files to be removed
	moved     []move
}

// move is a file that gets a new name, with what disk had under the old one.
type move struct {
	old, uri string
	content  []byte
}

// apply performs an edit as the persona does: all of it or nothing, or, if it makes one
// change after the other, up to the first that fails.
func (q *quirks) apply(r *reply, p *headless.ApplyEditParams) headless.ApplyEditResult {
	hold := q.answersFirst()
	changes := p.Edit.DocumentChanges
	if !q.Edits.OneByOne {
		e := &edit{q: q, reply: r, hold: hold, raw: p.Raw}
		if at, err := e.perform(p); err != nil {
			return q.refusal(at, err)
		}
		result := headless.ApplyEditResult{Applied: true}
		if d := e.placed; q.Edits.Versions && d != nil && len(changes) == 1 {
			result.Raw, _ = json.Marshal(map[string]any{"applied": true, "versions": map[string]int32{"before": d.before, "after": d.after}}) // numbers always encode
		}
		return result
	}
	texts := 0
	for i := range changes {
		one, at := *p, uint32(i)
		one.Edit.DocumentChanges = changes[i : i+1]
		e := &edit{q: q, reply: r, hold: hold, raw: p.Raw, index: i, texts: texts}
		if changes[i].Kind == "" {
			texts++
		}
		if _, err := e.perform(&one); err != nil {
			return q.refusal(&at, err)
		}
	}
	return headless.ApplyEditResult{Applied: true}
}

// perform lets the editor make its part of the edit, between what the persona does with
// files before and after it.
func (e *edit) perform(p *headless.ApplyEditParams) (at *uint32, err error) {
	e.loaded, e.plain = map[string]*document{}, map[string]bool{}
	e.from, e.made = map[string]string{}, map[string]bool{}
	todo, at, err := e.prepare(p)
	if err == nil {
		at, err = e.performLocked(todo)
	}
	if err != nil {
		for _, path := range e.fresh {
			_ = os.Remove(path)
		}
	}
	return at, err
}

func (e *edit) performLocked(p *headless.ApplyEditParams) (at *uint32, err error) {
	q := e.q
	q.e.Lock()
	defer q.e.Unlock()
	if current := q.current; current != nil {
		e.hidden = slices.DeleteFunc(e.hidden, func(b *headless.Buffer) bool { return b == current })
	}
	q.edit = e
	defer func() { q.edit = nil }()
	if at, err := q.e.Perform(p); err != nil {
		return at, err
	}
	for _, d := range e.changed {
		if d.parts = 0; q.Edits.Versions && !e.hold {
			d.Flush()
		}
	}
	if d := e.placed; d != nil {
		if d.after = d.b.Version(); !slices.Contains(e.changed, d) {
			d.before = d.after
		}
	}
	return nil, e.follow()
}

// prepare does what the persona does with files before the edit, and returns what is left
// for the editor. at is the index of the change that failed.
func (e *edit) prepare(p *headless.ApplyEditParams) (todo *headless.ApplyEditParams, at *uint32, err error) {
	left := *p
	left.Edit.DocumentChanges = []headless.DocumentChange{}
	for i, c := range p.Edit.DocumentChanges {
		changes, err := e.prepareChange(c)
		if err != nil {
			n := uint32(i)
			return nil, &n, err
		}
		left.Edit.DocumentChanges = append(left.Edit.DocumentChanges, changes...)
	}
	return &left, nil, nil
}

// prepareChange returns what the editor is to do of a change.
func (e *edit) prepareChange(c headless.DocumentChange) ([]headless.DocumentChange, error) {
	files := &e.q.Files
	if c.Kind == "" {
		return e.prepareEdit(c), nil
	}
	if files.Refused {
		return nil, fmt.Errorf("unsupported operation %q", c.Kind)
	}
	_, open := e.q.e.Buffer(c.URI)
	path := pathOf(c.URI)
	switch c.Kind {
	case "create":
		there := open || exists(path)
		switch {
		case there && path != "" && files.Exists == ExistsTruncated && !c.Options.IgnoreIfExists:
			e.cut = append(e.cut, path)
			return nil, nil
		case !there && path != "" && files.AtOnce:
			e.fresh = append(e.fresh, path)
			return nil, write(path, nil)
		}
		e.plain[c.URI] = !there
	case "delete":
		if files.DeletesSaved && open && !exists(path) {
			return nil, fmt.Errorf("delete %s: %w", path, fs.ErrNotExist)
		}
		e.plain[c.URI] = true
		if files.AtOnce && exists(path) {
			e.gone = append(e.gone, c.URI)
		}
	case "rename":
		e.plain[c.OldURI], e.plain[c.NewURI] = true, true
		e.from[c.NewURI] = c.OldURI
		if b, open := e.q.e.Buffer(c.OldURI); open {
			e.loaded[c.OldURI] = docOf(b)
		}
		if old := pathOf(c.OldURI); files.AtOnce && exists(old) {
			content, err := os.ReadFile(old)
			if err != nil {
				return nil, err
			}
			e.moved = append(e.moved, move{c.OldURI, c.NewURI, content})
		}
	}
	return []headless.DocumentChange{c}, nil
}

// prepareEdit returns an edit, and before it the creation of a missing file if the persona makes such files.
func (e *edit) prepareEdit(c headless.DocumentChange) []headless.DocumentChange {
	files, u := &e.q.Files, c.TextDocument.URI
	b, open := e.q.e.Buffer(u)
	path := pathOf(u)
	switch {
	case open && files.WritesHidden && !b.Dirty():
		e.hidden = append(e.hidden, b)
	case open:
	case path == "" && files.JunkUntitled:
		return nil
	case path != "" && files.MissingMade && !exists(path):
		e.made[u] = true
		create := headless.DocumentChange{Kind: "create", URI: u}
		create.Options.IgnoreIfExists = true
		return []headless.DocumentChange{create, c}
	}
	return []headless.DocumentChange{c}
}

// opens records that the edit opens a document. The editor is locked.
func (e *edit) opens(d *document) {
	u := d.b.URI()
	if old := e.loaded[e.from[u]]; old != nil {
		d.eol, d.crlf, d.bare = old.eol, old.crlf, old.bare
	}
	if e.plain[u] {
		return
	}
	switch e.q.Files.Closed {
	case ClosedOpened:
	case ClosedOpenedLate:
		d.out.untold = true
		e.reply.after(d.announceLater)
	case ClosedUntold:
		d.out.mute = true
	case ClosedWritten:
		d.out.mute = true
		e.unwritten = append(e.unwritten, d)
	}
}

// changes records that the edit changes a document, of that version. The editor is locked.
func (e *edit) changes(d *document, version int32) {
	if slices.Contains(e.changed, d) {
		return
	}
	e.changed = append(e.changed, d)
	if d.before = version; e.hold {
		d.hold()
		e.reply.after(d.release)
	}
}

// follow does what the persona does with files after the edit. The editor is locked.
func (e *edit) follow() error {
	var failed []error
	for _, b := range e.hidden {
		if b.Dirty() {
			failed = append(failed, save(b))
			s := b.State()
			docOf(b).Flush()
			docOf(b).Saved(&s)
		}
	}
	for _, d := range e.unwritten {
		failed = append(failed, save(d.b))
		s := d.b.State()
		d.out.mute = false
		d.announce(&s)
		d.b.SetState(s)
	}
	for _, u := range e.gone {
		failed = append(failed, os.Remove(pathOf(u)))
		e.q.e.Removed(u)
	}
	for _, m := range e.moved {
		failed = append(failed, m.make(e))
	}
	for _, path := range e.cut {
		failed = append(failed, write(path, nil))
	}
	return errors.Join(failed...)
}

// save writes a buffer.
func save(b *headless.Buffer) error {
	s := b.State()
	content := b.Content(s.Text)
	b.Wrote(content, s.Text)
	return write(b.Path(), content)
}

// make gives the file, or the link, its new name.
func (m move) make(e *edit) error {
	if d := e.loaded[m.uri]; d != nil {
		saved := (&document{q: e.q}).Open(string(bytes.TrimPrefix(m.content, []byte(text.BOM))), true)
		d.b.Wrote(m.content, text.New(saved))
	}
	path := pathOf(m.uri)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.Rename(pathOf(m.old), path)
	}
	e.q.e.Removed(m.old)
	return err
}

// pathOf returns the path that a URI names, "" if it is no file's.
func pathOf(raw string) string {
	if u, err := uri.Parse(raw); err == nil && u.IsFile() {
		return u.FsPath()
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return path != "" && err == nil
}

// write writes a file, and makes its folder if there is none.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}
