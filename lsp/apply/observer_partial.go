package apply

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// partialEdit follows an edit in several places while an editor makes it one place after
// the other. It is there to show nothing half made, and to take a part out again
// if it remains one.
type partialEdit struct {
	remaining changeset.Changeset // of the edit as it was sent, on the text now; what was typed over is dropped
	any       bool                // kind of line ends may be told, since the text has none yet
	applied   []int               // the steps of the timeline that made a part
	// mayBeUndo: those together may be an undo of the user's.
	mayBeUndo bool
}

// take records the step of the timeline with the index nth.
func (p *partialEdit) take(nth int, st step) {
	if i := p.find(st); i >= 0 {
		p.applied, p.mayBeUndo = append(p.applied, nth), false
		delta := st.Change.Delta()
		p.remaining = append(p.remaining[:i:i], p.remaining[i+1:]...)
		for k := i; k < len(p.remaining); k++ {
			p.remaining[k].At += delta
		}
		return
	}
	left, _, meet := changeset.Transform(p.remaining, st.Change)
	if meet != nil {
		left = nil
		if len(st.Change) > maxSteps { // many parts at once: they are not followed, since that would cost their number squared
			p.remaining = nil
		}
		for _, e := range p.remaining {
			if one, _, meet := changeset.Transform(changeset.Changeset{e}, st.Change); meet == nil {
				left = append(left, one...)
			}
		}
	}
	p.remaining = left
}

// find returns which part the step makes, -1 if none does. Editors begin at one of the ends.
func (p *partialEdit) find(st step) int {
	n := len(p.remaining)
	for i, e := range slices.Backward(p.remaining) {
		if i >= fewSteps && i < n-fewSteps {
			continue
		}
		if p.any && strings.Contains(st.Text.String(), "\r\n") {
			e = withCRLF(e)
		}
		if st.Change.Delta() == e.Delta() && st.before.Len() >= e.End() && st.before.Slice(e.At, e.End()) == e.Old && st.makes(e) {
			return i
		}
	}
	return -1
}

// withCRLF returns the change with line ends of that kind.
func withCRLF(ch changeset.Change) changeset.Change {
	ch.New = strings.ReplaceAll(strings.ReplaceAll(ch.New, "\r\n", "\n"), "\n", "\r\n")
	return ch
}

// makes reports whether the step is e, however it was told: by whole lines, or by
// another of several equal places.
func (st *step) makes(e changeset.Change) bool {
	as := changeset.Replaced(st.before, e.At, e.End(), e.New)
	return slices.Equal(as, st.Change) || as.Edits().Apply(st.before).Equal(st.Text)
}

// isPartial reports whether some of the parts were made, and not all.
func (p *partialEdit) isPartial() bool { return len(p.applied) > 0 && len(p.remaining) > 0 }

// isLongInsertion reports whether changes that look like an agent's put in too much to be the
// user's by coincidence. A deletion may always be the user's, as by undoing what they had typed.
func isLongInsertion(c changeset.Changeset) bool {
	return slices.ContainsFunc(c, func(ch changeset.Change) bool { return len(ch.New) >= MinProof })
}

// withoutNewest returns the text without the newest edit of an agent, nil if there is
// none that can be undone.
func (j *Change) withoutNewest() *text.Text {
	if j.Doc == nil {
		return nil
	}
	ids := j.Doc.History.Edits()
	if len(ids) == 0 {
		return nil
	}
	c, seq, err := j.Doc.History.Undo(ids[len(ids)-1])
	if err != nil || seq != j.Doc.Seq {
		return nil
	}
	t := c.Edits().Apply(j.Text)
	return &t
}
