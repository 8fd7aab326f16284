package headless

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/disk"
)

// plan is a workspace edit that was checked but not yet applied. It is used under the editor's lock.
type plan struct {
	e       *Editor
	targets []*target
}

// target is one document of a plan.
type target struct {
	b       *Buffer
	closed  bool    // the server does not know of b yet
	enters  bool    // the server is to know of b, which is created, changed or removed
	from    *target // the document that was renamed to this one
	edited  bool    // its text edits are planned
	away    bool    // deleted or renamed by this plan
	text    text.Text
	batches []edits.Edits
}

// Perform applies a workspace edit as a whole or not at all. On error, at is the index of
// the documentChange at fault. The editor must be locked.
func (e *Editor) Perform(params *ApplyEditParams) (at *uint32, err error) {
	p := &plan{e: e}
	for i := range params.Edit.DocumentChanges {
		if err := p.check(&params.Edit.DocumentChanges[i]); err != nil {
			return new(uint32(i)), err
		}
	}
	once := *params // a copy, so that applying params again gives another pointer
	e.applying = &once
	defer func() { e.applying = nil }()
	for _, t := range p.targets {
		t.commit(e)
	}
	return nil, nil
}

func (p *plan) check(c *DocumentChange) error {
	switch c.Kind {
	case "":
		return p.edit(c)
	case "create":
		return p.create(c)
	case "rename":
		return p.rename(c)
	case "delete":
		return p.remove(c)
	}
	return fmt.Errorf("%q is no resource operation", c.Kind)
}

// edit plans the text edits of one document.
func (p *plan) edit(c *DocumentChange) error {
	t, err := p.target(c.TextDocument.URI)
	if err != nil {
		return err
	}
	if t.edited {
		return fmt.Errorf("%s is edited twice", c.TextDocument.URI)
	}
	batches, err := t.b.habits.Place(t.text, t.closed, c)
	if err != nil {
		return fmt.Errorf("%s: %w", c.TextDocument.URI, err)
	}
	t.edited, t.enters = true, t.enters || len(batches) > 0
	t.batches = batches
	for _, es := range batches {
		t.text = es.Apply(t.text)
	}
	return nil
}

// target finds a document in the plan, among the buffers, or on disk.
func (p *plan) target(uri string) (*target, error) {
	name, err := nameOfURI(uri)
	if err != nil {
		return nil, err
	}
	for _, t := range slices.Backward(p.targets) {
		switch {
		case t.b.key != name.key:
			continue
		case t.away:
			return nil, notThere(name.path)
		}
		return t, nil
	}
	if b := p.e.buffers[name.key]; b != nil {
		return p.add(&target{b: b}), nil
	}
	if name.path == "" {
		return nil, fmt.Errorf("%s: not open", uri)
	}
	b, err := p.e.load(name)
	if err != nil {
		return nil, err
	}
	return p.add(&target{b: b, closed: true}), nil
}

// add makes t the target of its key from here on.
func (p *plan) add(t *target) *target {
	t.text = t.b.State().Text
	if t.from != nil {
		t.text = t.from.text
	}
	p.targets = append(p.targets, t)
	return t
}

// create plans a CreateFile: an empty buffer, which becomes a file when saved.
func (p *plan) create(c *DocumentChange) error {
	_, err := p.target(c.URI)
	switch {
	case err == nil && c.Options.IgnoreIfExists:
		return nil
	case err == nil:
		return fmt.Errorf("%s exists", c.URI)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return p.make(c.URI, nil)
}

// rename plans a RenameFile: a new buffer takes over the text and the history.
// Saving it makes the new file and removes the old one.
func (p *plan) rename(c *DocumentChange) error {
	from, err := p.file(c.OldURI)
	if err != nil {
		return err
	}
	path, _ := pathOf(c.NewURI)
	switch to, err := p.file(c.NewURI); {
	case to == from && disk.SameButForCase(from.b.path, path):
	case err == nil:
		return fmt.Errorf("%s exists", c.NewURI)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	from.away, from.enters = true, true
	return p.make(c.NewURI, from)
}

// remove plans a DeleteFile: the document is closed, and its file is deleted when the
// document is saved. Folders are refused. A file that is not UTF-8 is never opened.
func (p *plan) remove(c *DocumentChange) error {
	t, err := p.file(c.URI)
	switch {
	case err == nil:
		t.away, t.enters = true, true
		return nil
	case !errors.Is(err, disk.ErrNotUTF8):
		return err
	}
	name, err := nameOfURI(c.URI)
	if err != nil {
		return err
	}
	b := p.e.newBuffer(name)
	if b.stamp, err = p.e.disk.Look(name.path); err == nil {
		p.add(&target{b: b, closed: true, away: true})
	}
	return err
}

// make plans a document that does not exist yet.
func (p *plan) make(uri string, from *target) error {
	name, err := nameOfURI(uri)
	if err == nil {
		p.add(&target{b: p.e.newBuffer(name), closed: true, enters: true, from: from})
	}
	return err
}

// file is like target, but returns an error if the document is not a file.
func (p *plan) file(uri string) (*target, error) {
	t, err := p.target(uri)
	if err == nil && t.b.path == "" {
		return nil, fmt.Errorf("%s: %w", uri, ErrNoFile)
	}
	return t, err
}

// commit makes the planned changes of the target. A file is opened if it is changed, and if it is deleted or renamed, so
// that the server sees it close. commit cannot fail, since nothing is written to disk until the document is saved.
func (t *target) commit(e *Editor) {
	if t.from != nil {
		t.b.inherit(t.from.b)
	}
	if t.closed && t.enters {
		e.enter(t.b)
	}
	t.b.Make(t.batches)
	if t.away {
		e.leave(t.b)
	}
	if t.away && t.b.stamp != "" {
		e.removals[t.b.key] = removal{t.b.path, t.b.stamp}
	}
}

// removal is a file that was deleted or renamed in the editor but still exists on disk, since nothing is written to disk
// until it is saved. For the editor, the file no longer exists.
type removal struct {
	path  string
	stamp disk.Stamp
}

// notThere returns the error of opening a file that does not exist.
func notThere(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

// inherit makes b, which the server does not know of yet, continue old under another name. It needs the editor's lock.
func (b *Buffer) inherit(old *Buffer) {
	was := old.State()
	b.set(func(s *State) { s.Text, s.cursor = was.Text, was.cursor })
	b.undo, b.redo, b.bom = old.undo, old.redo, old.bom
	b.renamed = slices.Clone(old.renamed)
	if old.stamp != "" {
		b.renamed = append(b.renamed, old.key)
	}
}

// Locate turns LSP's text edits of t into edits sorted by their start. A character past the end of its line means the end of
// the line, as LSP says. A line past the last one and a range that ends before it starts are errors.
func Locate(t text.Text, list []TextEdit, enc text.Encoding) ([]edits.Edit, error) {
	last := t.Position(t.Len(), text.UTF8).Line
	es := make([]edits.Edit, 0, len(list))
	for i, te := range list {
		if line := max(te.Range.Start.Line, te.Range.End.Line); int64(line) > int64(last) {
			return nil, fmt.Errorf("edit %d: line %d is beyond the last line, %d", i, line, last)
		}
		e := edits.Edit{
			Start: offset(t, te.Range.Start, enc),
			End:   offset(t, te.Range.End, enc),
			New:   te.NewText,
		}
		if e.Start > e.End {
			return nil, fmt.Errorf("edit %d: the range ends before it starts", i)
		}
		es = append(es, e)
	}
	slices.SortStableFunc(es, func(a, b edits.Edit) int { return cmp.Compare(a.Start, b.Start) })
	return es, nil
}

// Join makes Edits of sorted edits, which may touch or be empty, and reuses their memory. Edits that overlap are an error.
// Inserts at one place keep their order, and may come before one replacement of the text that follows.
func Join(es []edits.Edit) (edits.Edits, error) {
	for i := 1; i < len(es); i++ {
		if a, b := es[i-1], es[i]; b.Start < a.End {
			return nil, fmt.Errorf("the edits of bytes [%d,%d) and [%d,%d) overlap", a.Start, a.End, b.Start, b.End)
		}
	}
	return edits.Coalesce(slices.DeleteFunc(es, func(e edits.Edit) bool { return e.Start == e.End && e.New == "" })), nil
}

func offset(t text.Text, p protocol.Position, enc text.Encoding) int {
	return t.Offset(text.Position{Line: int(p.Line), Character: int(p.Character)}, enc)
}
