package history_test

import (
	"fmt"
	"testing"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// hold marks or pins the text now, or lets a pin go.
func (p *player) hold(b byte) {
	seq, doc := p.h.Seq(), p.h.Text().String()
	switch b % 3 {
	case 0:
		rev := p.h.Text().Hash()
		p.h.Mark(seq, rev)
		p.told[rev] = doc
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

// since checks the changes from each marked or pinned text to the current one.
func (p *player) since() error {
	now := p.h.Text()
	check := func(was string, c changeset.Changeset, ok bool) error {
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

// TestUndoneByTheEditorKeepsWhatIsHeld: a marked or pinned state stays, even if the edit is
// attributed later and the editor reports its undo in steps on both sides of that state.
func TestUndoneByTheEditorKeepsWhatIsHeld(t *testing.T) {
	s := newSession(t, "row\nrow\n\n}\nfive\n")
	c := changeset.Changeset{{At: 0, Old: "row\n"}, {At: 8, New: "x\none\n"}}
	from := s.Seq()
	made := s.record(c)
	half := s.record(changeset.Changeset{{At: 4, Old: "x\none\n"}})
	unpin, ok := s.Pin(half)
	if !ok {
		t.Fatal("no state to hold")
	}
	defer unpin()
	s.record(changeset.Changeset{{At: 4, New: "row\n"}})
	if err := s.Attribute(from, made, "e1", nil, c); err != nil {
		t.Fatal(err)
	}
	if since, ok := s.SinceSeq(half); !ok || len(since) != 1 {
		t.Errorf("since then %v, %t", since, ok)
	}
}
