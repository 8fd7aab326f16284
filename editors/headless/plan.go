package headless

import (
	"fmt"
	"maps"
	"slices"

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

// check plans the whole edit. The index is that of the documentChange which is
// at fault.
func (p *plan) check(edit WorkspaceEdit) (at *uint32, err error) {
	if edit.DocumentChanges == nil {
		for _, uri := range slices.Sorted(maps.Keys(edit.Changes)) {
			if err := p.edit(DocumentID{URI: uri}, edit.Changes[uri], false); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	for i := range edit.DocumentChanges {
		switch c := &edit.DocumentChanges[i]; c.Kind {
		case "":
			err = p.edit(c.TextDocument, c.Edits, true)
		case "create":
			err = p.create(c.URI, c.Options.Overwrite, c.Options.IgnoreIfExists)
		case "rename":
			err = p.rename(c.OldURI, c.NewURI, c.Options.Overwrite, c.Options.IgnoreIfExists)
		case "delete":
			err = p.remove(c.URI, c.Options.IgnoreIfNotExists)
		default:
			err = fmt.Errorf("%q is no resource operation", c.Kind)
		}
		if err != nil {
			n := uint32(i)
			return &n, err
		}
	}
	return nil, nil
}

// edit plans the text edits of one document.
func (p *plan) edit(id DocumentID, list []TextEdit, versioned bool) error {
	t, err := p.target(id.URI)
	if err != nil {
		return err
	}
	if t.edited {
		return fmt.Errorf("%s is edited twice", id.URI)
	}
	if versioned {
		if err := t.checkVersion(id); err != nil {
			return err
		}
	}
	es, err := resolve(t.text, list, p.e.encoding)
	if err != nil {
		return fmt.Errorf("%s: %w", id.URI, err)
	}
	t.edited = true
	t.replace(es)
	return nil
}

// checkVersion holds the server to what LSP says of versions: the number of an
// open document, or null where the text on disk is meant.
func (t *target) checkVersion(id DocumentID) error {
	s := t.b.now.Load()
	switch {
	case id.Version == nil && (t.isNew || !s.dirty(t.b.path)):
		return nil
	case id.Version == nil:
		return fmt.Errorf("%s: version null means the text on disk, but the buffer (version %d) has unsaved changes", id.URI, s.version)
	case t.isNew:
		return fmt.Errorf("%s is not open, so it has no version %d", id.URI, *id.Version)
	case *id.Version != s.version:
		return fmt.Errorf("%s has changed: the edit is for version %d, the buffer has %d", id.URI, *id.Version, s.version)
	}
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
		return nil, fmt.Errorf("%s is not open", uri)
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

func (t *target) replace(es edits.Edits) {
	if len(es) > 0 {
		t.batches = append(t.batches, es)
		t.text = es.Apply(t.text)
	}
}

// commit does what was planned. A file is opened only to be changed, or to be
// deleted or renamed: so the server sees it go.
func (p *plan) commit(label string) {
	for _, t := range p.order {
		if t.from != nil {
			t.b.inherit(t.from.b)
		}
		if t.isNew && (t.created || len(t.batches) > 0 || t.away && !t.unread) {
			p.e.enter(t.b)
		}
		t.b.apply(label, t.batches)
		if t.away {
			p.e.discard(t.b)
		}
	}
}
