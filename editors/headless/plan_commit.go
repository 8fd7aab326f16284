package headless

import (
	"github.com/patchls/patchls/editors/headless/internal/disk"
	"github.com/patchls/patchls/edits/text"
)

// commit does what was planned. A file is opened only to be changed, or to be
// deleted or renamed: so the server sees it go. Nothing fails of a compliant
// editor, which leaves the disk alone.
func (p *plan) commit() error {
	once := *p.params // so that the same edit, made again, is another
	p.e.applying = &once
	defer func() { p.e.applying = nil }()
	for _, t := range p.order {
		if err := p.makeFile(t); err != nil {
			return err
		}
		if t.from != nil {
			t.b.inherit(t.from.b)
		}
		hidden := p.e.opts.Persona.Files.WritesHidden && !t.isNew && t.b != p.e.current && !t.b.Dirty()
		if t.isNew && (t.created || len(t.batches) > 0 || t.away && !t.unread) {
			if done, err := p.open(t); done || err != nil {
				return err
			}
		}
		if err := p.moveFile(t); err != nil {
			return err
		}
		p.changeTold(t)
		if err := p.putAway(t); err != nil {
			return err
		}
		if hidden && len(t.batches) > 0 {
			if err := t.b.write(&t.b.stamp); err != nil {
				return err
			}
		}
	}
	return nil
}

// putAway closes a target that is deleted or has another name now.
func (p *plan) putAway(t *target) error {
	if !t.away {
		return nil
	}
	p.e.discard(t.b)
	if p.e.opts.Persona.Files.AtOnce {
		return p.e.carryOut(t.b.key)
	}
	return nil
}

// moveFile writes the file of a RenameFile under its new name where the persona
// does not wait until it is saved: what disk had, not what is unsaved.
func (p *plan) moveFile(t *target) error {
	if t.from == nil || !t.from.b.stamp.Exists() || !p.e.opts.Persona.Files.AtOnce {
		return nil
	}
	saved := t.from.b.now.Load().saved
	content := []byte(saved.String())
	if t.b.bom {
		content = append([]byte(text.BOM), content...)
	}
	if _, err := p.e.disk.Write(t.b.path, content, nil); err != nil {
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
func (p *plan) changeTold(t *target) {
	if !p.e.opts.Persona.Edits.Versions {
		p.change(t)
		return
	}
	t.b.flush()
	before := t.b.now.Load().version
	p.change(t)
	if !p.hold {
		t.b.flush()
	}
	if len(p.order) == 1 && t.edited && !t.created && !t.away && t.from == nil {
		p.versions = &EditVersions{before, t.b.now.Load().version}
	}
}

// change makes a target's edits in its buffer.
func (p *plan) change(t *target) {
	if len(t.batches) == 0 {
		return
	}
	if p.hold {
		t.b.hold()
		p.r.after(t.b.release)
	}
	if p.e.opts.Persona.Edits.ByLine {
		t.b.applyApart(p.params.Label, t.batches)
	} else {
		t.b.apply(p.params.Label, t.batches)
	}
}

// open opens the buffer of a target. done says that its edits are in it already.
func (p *plan) open(t *target) (done bool, err error) {
	if t.created || t.away {
		p.e.enter(t.b)
		return false, nil
	}
	switch p.e.opts.Persona.Files.Closed {
	case ClosedOpened:
	case ClosedOpenedLate:
		t.b.out.untold = true
		p.r.after(t.b.announceLater)
	case ClosedUntold:
		t.b.out.mute = true
	case ClosedWritten:
		return true, p.writeClosed(t)
	}
	p.e.enter(t.b)
	return false, nil
}

// writeClosed writes the edits to the file, and opens what was written.
func (p *plan) writeClosed(t *target) error {
	s := *t.b.now.Load()
	p.e.changed(t.b, s.text, t.text, s.version)
	s.text = t.text
	if _, err := t.b.writeFile(&s, nil); err != nil {
		return err
	}
	t.b.now.Store(&s)
	p.e.enter(t.b)
	return nil
}

// makeFile makes the file of a CreateFile where the persona does not wait until
// it is saved, or makes the one that is there empty.
func (p *plan) makeFile(t *target) error {
	if !t.cut && (!t.created || t.from != nil || !p.e.opts.Persona.Files.AtOnce) {
		return nil
	}
	if _, err := p.e.disk.Write(t.b.path, nil, nil); err != nil || t.cut {
		return err
	}
	t.b.stamp = disk.StampOf(nil)
	s := *t.b.now.Load()
	s.saved, s.onDisk = text.New(t.b.shape("", true)), true
	t.b.now.Store(&s)
	t.created = false // it is a file like any other now
	return nil
}
