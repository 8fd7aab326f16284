package workspace_test

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// hold marks or pins the text now, or lets a pin go.
func (p *player) hold(b byte) {
	seq, doc := p.h.Seq(), p.h.Text().String()
	switch b % 3 {
	case 0:
		p.h.Mark(seq, doc)
		p.told[doc] = doc
	case 1:
		if _, ok := p.pinned[seq]; ok {
			return
		}
		if unpin, ok := p.h.Pin(seq); ok {
			p.pinned[seq] = pinned{doc, unpin}
		}
	default:
		for seq, pin := range p.pinned {
			pin.unpin()
			delete(p.pinned, seq)
		}
	}
}

// since holds what happened since each text that was told to the text now.
func (p *player) since() error {
	now := p.h.Text()
	check := func(was string, c edits.Changeset, ok bool) error {
		p.seen.since++
		if !ok || !c.Fits(text.New(was)) || !apply(c, text.New(was)).Equal(now) {
			return fmt.Errorf("%q became %q, not by %v (%v)", was, now, c, ok)
		}
		return nil
	}
	for rev, was := range p.told {
		c, ok := p.h.Since(rev)
		if err := check(was, c, ok); err != nil {
			return err
		}
	}
	for seq, pin := range p.pinned {
		c, ok := p.h.SinceSeq(seq)
		if err := check(pin.text, c, ok); err != nil {
			return err
		}
	}
	return nil
}
