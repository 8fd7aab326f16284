package headless

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// plan is a workspace edit that was checked and not yet done. It lives under
// e.mu.
type plan struct {
	e       *Editor
	targets map[string]*target
	order   []*target
}

// target is one document of a plan.
type target struct {
	b       *Buffer
	isNew   bool    // the server has not been told of b yet
	created bool    // by this plan
	from    *target // created by a rename of this one
	edited  bool    // has had its text edits
	away    bool    // deleted or renamed by this plan
	unread  bool    // its text is none, and nobody is told of it
	text    text.Text
	batches []edits.Edits
}

// Perform does an edit, all of it or nothing. The index is that of the documentChange
// which is at fault. The editor must be locked.
func (e *Editor) Perform(params *ApplyEditParams) (at *uint32, err error) {
	p := &plan{e: e, targets: map[string]*target{}}
	for i := range params.Edit.DocumentChanges {
		if err := p.check(&params.Edit.DocumentChanges[i]); err != nil {
			return new(uint32(i)), err
		}
	}
	once := *params // so that the same edit, made again, is another
	e.applying = &once
	defer func() { e.applying = nil }()
	for _, t := range p.order {
		t.commit(e, params.Label)
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
	batches, err := t.b.habits.Place(t.text, t.isNew, c)
	if err != nil {
		return fmt.Errorf("%s: %w", c.TextDocument.URI, err)
	}
	t.edited = true
	t.replace(batches...)
	return nil
}

// target finds the document: in the plan, among the buffers, or on disk.
func (p *plan) target(uri string) (*target, error) {
	name, err := nameOfURI(uri)
	if err != nil {
		return nil, err
	}
	if t := p.targets[name.key]; t != nil {
		if t.away {
			return nil, notThere(name.path)
		}
		return t, nil
	}
	if b := p.e.buffers[name.key]; b != nil {
		return p.add(&target{b: b}), nil
	}
	if name.path == "" {
		return nil, fmt.Errorf("%s: %w", uri, errNotOpen)
	}
	b, err := p.e.load(name)
	if err != nil {
		return nil, err
	}
	return p.add(&target{b: b, isNew: true}), nil
}

// add makes t what its key stands for from here on.
func (p *plan) add(t *target) *target {
	t.text = t.b.State().Text
	if t.from != nil {
		t.text = t.from.text
	}
	p.targets[t.b.key] = t
	p.order = append(p.order, t)
	return t
}

func (t *target) replace(batches ...edits.Edits) {
	for _, es := range batches {
		t.batches = append(t.batches, es)
		t.text = es.Apply(t.text)
	}
}

// commit does what was planned of the target. A file is opened only to be changed, or to
// be deleted or renamed: so the server sees it go. Nothing of it can fail: the disk is left
// alone until the document is saved.
func (t *target) commit(e *Editor, label string) {
	if t.from != nil {
		t.b.inherit(t.from.b)
	}
	if t.isNew && (t.created || len(t.batches) > 0 || t.away && !t.unread) {
		e.enter(t.b)
	}
	t.b.apply(label, t.batches)
	if t.away {
		e.discard(t.b)
	}
}
