package headless

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/patchls/patchls/editors/headless/internal/disk"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// prepare implements [habits].
func (q *quirks) prepare(p *plan, c *DocumentChange) (skip bool, err error) {
	if c.Kind != "" && q.Files.Refused {
		return false, fmt.Errorf("unsupported operation %q", c.Kind)
	}
	switch c.Kind {
	case "":
		return q.prepareEdit(p, c.TextDocument.URI)
	case "create":
		if q.Files.Exists == ExistsTruncated && !c.Options.Overwrite && !c.Options.IgnoreIfExists {
			if t, err := p.target(c.URI); err == nil && t.b.path != "" {
				q.cut[t] = true
				return true, nil
			}
		}
	case "delete":
		if t, err := p.anyFile(c.URI); q.Files.DeletesSaved && err == nil && t.b != nil && !t.b.stamp.Exists() {
			return false, fmt.Errorf("delete %s: %w", t.b.path, fs.ErrNotExist)
		}
	}
	return false, nil
}

// prepareEdit makes what is to be edited and is not there, where the persona does.
func (q *quirks) prepareEdit(p *plan, uri string) (skip bool, err error) {
	switch _, err := p.target(uri); {
	case q.Files.JunkUntitled && errors.Is(err, errNotOpen):
		return true, nil
	case q.Files.MissingMade && errors.Is(err, fs.ErrNotExist):
		t, err := p.createFrom(uri, nil)
		if err != nil {
			return false, err
		}
		if s := *t.b.now.Load(); q.Files.MissingText != "" {
			s.text = text.New(q.Files.MissingText)
			t.b.now.Store(&s)
			t.text = s.text
		}
		t.created = false // by an edit a buffer is made, no file
	}
	return false, nil
}

// carryOut does the edit, all of it or nothing, or as far as it goes where the persona
// does one change after the other. The index is that of the change which is at fault.
func (q *quirks) carryOut(p *plan) (at *uint32, err error) {
	changes := p.params.Edit.DocumentChanges
	if !q.Edits.OneByOne || changes == nil {
		return p.carryOut()
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

// commit implements [habits].
func (q *quirks) commit(p *plan, t *target) error {
	if err := q.makeFile(t); err != nil {
		return err
	}
	if t.from != nil {
		t.b.inherit(t.from.b)
	}
	hidden := q.Files.WritesHidden && !t.isNew && t.b != q.current && !t.b.Dirty()
	if t.opens() {
		if done, err := q.open(t); done || err != nil {
			return err
		}
	}
	if err := q.moveFile(t); err != nil {
		return err
	}
	q.changeTold(p, t)
	if err := q.putAway(t); err != nil {
		return err
	}
	if hidden && len(t.batches) > 0 {
		return t.b.write(&t.b.stamp)
	}
	return nil
}

// carryOutRemoval removes the file of a removal, if there is one and if no other
// program has changed it. It needs e.mu.
func (q *quirks) carryOutRemoval(key string) error {
	_, err := q.e.commit(q.e.savingRemoval(key))
	return err
}

// writeNow writes the text of s to the buffer's file, and sets in s that it is
// there.
func writeNow(b *Buffer, s *state) error {
	content := b.content(s.text)
	if _, err := b.e.disk.Write(b.path, content, nil); err != nil {
		return err
	}
	b.stamp = disk.StampOf(content)
	s.saved, s.onDisk = s.text, true
	return nil
}

// applyApart is Buffer.apply with a change of its own for each batch, an empty one
// included.
func applyApart(b *Buffer, label string, batches []edits.Edits) {
	s := step{label: label}
	for _, batch := range batches {
		inverse := b.play([]edits.Edits{batch})
		if len(batch) > 0 {
			s.forward = append(s.forward, batch)
			s.inverse = append(inverse, s.inverse...)
		}
	}
	if len(s.forward) > 0 {
		b.record(s)
	}
}

// putAway closes a target that is deleted or has another name now.
func (q *quirks) putAway(t *target) error {
	if !t.away {
		return nil
	}
	q.e.discard(t.b)
	if q.Files.AtOnce {
		return q.carryOutRemoval(t.b.key)
	}
	return nil
}

// moveFile writes the file of a RenameFile under its new name where the persona
// does not wait until it is saved: what disk had, not what is unsaved.
func (q *quirks) moveFile(t *target) error {
	if t.from == nil || !t.from.b.stamp.Exists() || !q.Files.AtOnce {
		return nil
	}
	saved := t.from.b.now.Load().saved
	content := []byte(saved.String())
	if t.b.bom {
		content = append([]byte(text.BOM), content...)
	}
	if _, err := q.e.disk.Write(t.b.path, content, nil); err != nil {
		return err
	}
	t.b.renamed = nil // it is gone by now
	t.b.stamp = disk.StampOf(content)
	s := *t.b.now.Load()
	s.saved, s.onDisk = saved, true
	t.b.now.Store(&s)
	return nil
}

// changeTold makes a target's edits and, where the persona says which versions they
// are, notes those. Then no didChange has what somebody else did as well.
func (q *quirks) changeTold(p *plan, t *target) {
	if !q.Edits.Versions {
		q.change(p, t)
		return
	}
	docOf(t.b).flush()
	before := t.b.now.Load().version
	q.change(p, t)
	if !q.hold {
		docOf(t.b).flush()
	}
	if len(p.order) == 1 && t.edited && !t.created && !t.away && t.from == nil {
		q.versions = &EditVersions{before, t.b.now.Load().version}
	}
}

// change makes a target's edits in its buffer.
func (q *quirks) change(p *plan, t *target) {
	if len(t.batches) == 0 {
		return
	}
	if q.hold {
		docOf(t.b).hold()
		q.reply.after(docOf(t.b).release)
	}
	if q.Edits.ByLine {
		applyApart(t.b, p.params.Label, t.batches)
	} else {
		t.b.apply(p.params.Label, t.batches)
	}
}

// open opens the buffer of a target. done says that its edits are in it already.
func (q *quirks) open(t *target) (done bool, err error) {
	if t.created || t.away {
		q.e.enter(t.b)
		return false, nil
	}
	switch q.Files.Closed {
	case ClosedOpened:
	case ClosedOpenedLate:
		docOf(t.b).out.untold = true
		q.reply.after(docOf(t.b).announceLater)
	case ClosedUntold:
		docOf(t.b).out.mute = true
	case ClosedWritten:
		return true, q.writeClosed(t)
	}
	q.e.enter(t.b)
	return false, nil
}

// writeClosed writes the edits to the file, and opens what was written.
func (q *quirks) writeClosed(t *target) error {
	s := *t.b.now.Load()
	q.e.changed(t.b, s.text, t.text, s.version)
	s.text = t.text
	if err := writeNow(t.b, &s); err != nil {
		return err
	}
	t.b.now.Store(&s)
	q.e.enter(t.b)
	return nil
}

// makeFile makes the file of a CreateFile where the persona does not wait until
// it is saved, or makes the one that is there empty.
func (q *quirks) makeFile(t *target) error {
	if !q.cut[t] && (!t.created || t.from != nil || !q.Files.AtOnce) {
		return nil
	}
	if _, err := q.e.disk.Write(t.b.path, nil, nil); err != nil || q.cut[t] {
		return err
	}
	t.b.stamp = disk.StampOf(nil)
	s := *t.b.now.Load()
	s.saved, s.onDisk = text.New(t.b.form.open("", true)), true
	t.b.now.Store(&s)
	t.created = false // it is a file like any other now
	return nil
}
