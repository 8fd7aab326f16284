package headless

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// plan is a workspace edit that was checked and not yet done. It lives under
// e.mu.
type plan struct {
	e        *Editor
	r        *reply
	params   *ApplyEditParams
	hold     bool // the didChanges wait for the answer
	index    int  // of the documentChange that is looked at
	targets  map[string]*target
	order    []*target
	versions *EditVersions // of the one document that is edited, nil for others
}

// target is one document of a plan.
type target struct {
	b       *Buffer
	isNew   bool    // the server has not been told of b yet
	created bool    // by this plan
	from    *target // created by a rename of this one
	edited  bool    // has had its text edits
	away    bool    // deleted or renamed by this plan
	cut     bool    // its file is made empty on disk
	unread  bool    // its text is none, and nobody is told of it
	text    text.Text
	batches []edits.Edits
}

// newPlan needs e.mu, as all that a plan does.
func (e *Editor) newPlan(r *reply, p *ApplyEditParams) *plan {
	return &plan{e: e, r: r, params: p, hold: e.answersFirst(), targets: map[string]*target{}}
}

// carryOut does the edit, all of it or nothing, or as far as it goes where the
// persona does one change after the other. The index is that of the
// documentChange which is at fault.
func (p *plan) carryOut() (at *uint32, err error) {
	changes := p.params.Edit.DocumentChanges
	if !p.e.opts.Persona.Edits.OneByOne || changes == nil {
		if at, err := p.check(); err != nil {
			return at, err
		}
		return nil, p.commit()
	}
	for i := range changes {
		p.targets, p.order = map[string]*target{}, nil
		err := p.checkOne(i, &changes[i])
		if err == nil {
			err = p.commit()
		}
		if err != nil {
			n := uint32(i)
			return &n, err
		}
	}
	return nil, nil
}

// check plans the whole edit.
func (p *plan) check() (at *uint32, err error) {
	edit := &p.params.Edit
	if edit.DocumentChanges == nil {
		for _, uri := range slices.Sorted(maps.Keys(edit.Changes)) {
			if err := p.edit(DocumentID{URI: uri}, edit.Changes[uri], false); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	for i := range edit.DocumentChanges {
		if err := p.checkOne(i, &edit.DocumentChanges[i]); err != nil {
			n := uint32(i)
			return &n, err
		}
	}
	return nil, nil
}

func (p *plan) checkOne(i int, c *DocumentChange) error {
	p.index = i
	if c.Kind != "" && p.e.opts.Persona.Files.Refused {
		return fmt.Errorf("unsupported operation %q", c.Kind)
	}
	switch c.Kind {
	case "":
		return p.edit(c.TextDocument, c.Edits, true)
	case "create":
		return p.create(c.URI, c.Options.Overwrite, c.Options.IgnoreIfExists)
	case "rename":
		return p.rename(c.OldURI, c.NewURI, c.Options.Overwrite, c.Options.IgnoreIfExists)
	case "delete":
		return p.remove(c.URI, c.Options.IgnoreIfNotExists)
	}
	return fmt.Errorf("%q is no resource operation", c.Kind)
}

// edit plans the text edits of one document.
func (p *plan) edit(id DocumentID, list []TextEdit, versioned bool) error {
	t, err := p.target(id.URI)
	switch files := &p.e.opts.Persona.Files; {
	case err == nil:
	case files.JunkUntitled && errors.Is(err, errNotOpen):
		return nil
	case files.MissingMade && errors.Is(err, fs.ErrNotExist):
		if t, err = p.createFrom(id.URI, nil); err != nil {
			return err
		}
		if s := *t.b.now.Load(); files.MissingText != "" {
			s.text = text.New(files.MissingText)
			t.b.now.Store(&s)
			t.text = s.text
		}
		t.created = false // by an edit a buffer is made, no file
	default:
		return err
	}
	if t.edited {
		return fmt.Errorf("%s is edited twice", id.URI)
	}
	base, changes := t.text, []edits.Edits(nil)
	if versioned {
		var drop bool
		if base, changes, drop, err = p.versioned(t, id); err != nil || drop {
			return err
		}
	}
	batches, err := p.batches(t, base, list, changes)
	if err != nil {
		return fmt.Errorf("%s: %w", id.URI, err)
	}
	t.edited = true
	t.replace(batches...)
	return nil
}

// target finds the document: in the plan, among the buffers, or on disk.
func (p *plan) target(uri string) (*target, error) {
	key, path, err := keyOfURI(uri)
	if err != nil {
		return nil, err
	}
	if t := p.targets[key]; t != nil {
		if t.away {
			return nil, notThere(path)
		}
		return t, nil
	}
	if b := p.e.buffers[key]; b != nil {
		return p.add(&target{b: b}), nil
	}
	if path == "" {
		return nil, fmt.Errorf("%s: %w", uri, errNotOpen)
	}
	b, err := p.e.load(key, uri, path)
	if err != nil {
		return nil, err
	}
	return p.add(&target{b: b, isNew: true}), nil
}

// add makes t what its key stands for from here on.
func (p *plan) add(t *target) *target {
	t.text = t.b.now.Load().text
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
