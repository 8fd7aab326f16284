package apply

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// partialEdit follows an edit in several places while an editor makes it one place after
// the other. It is there to show nothing half made, and to take a part out again
// if it remains one.
type partialEdit struct {
	remaining changeset.Changeset   // of the edit as it was sent, on the text now; what was typed over is dropped
	any       bool                  // kind of line ends may be told, since the text has none yet
	steps     []changeset.Changeset // the steps so far, of any edit
	applied   []int                 // which of them made a part
	// mayBeUndo: those together may be an undo of the user's.
	mayBeUndo bool
}

// take takes in a step that made st of before.
func (p *partialEdit) take(before text.Text, st workspace.Step) {
	defer func() { p.steps = append(p.steps, st.Change) }()
	if i := p.find(before, st); i >= 0 {
		p.applied, p.mayBeUndo = append(p.applied, len(p.steps)), false
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
		for _, e := range p.remaining {
			if one, _, meet := changeset.Transform(changeset.Changeset{e}, st.Change); meet == nil {
				left = append(left, one...)
			}
		}
	}
	p.remaining = left
}

// find returns which part the step makes of before, -1 if none does. Editors begin at
// one of the ends.
func (p *partialEdit) find(before text.Text, st workspace.Step) int {
	n := len(p.remaining)
	for i, e := range slices.Backward(p.remaining) {
		if i >= fewSteps && i < n-fewSteps {
			continue
		}
		if p.any && strings.Contains(st.Text.String(), "\r\n") {
			e = withCRLF(e)
		}
		if st.Change.Delta() == e.Delta() && before.Len() >= e.End() && before.Slice(e.At, e.End()) == e.Old && isMade(before, e, st) {
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

// isMade reports whether the step is e, however it was told: by whole lines, or by
// another of several equal places.
func isMade(before text.Text, e changeset.Change, st workspace.Step) bool {
	as := changeset.Replaced(before, e.At, e.End(), e.New)
	return slices.Equal(as, st.Change) || as.Edits().Apply(before).Equal(st.Text)
}

// isPartial reports whether some of the parts were made, and not all.
func (p *partialEdit) isPartial() bool { return len(p.applied) > 0 && len(p.remaining) > 0 }

// isLongInsertion reports whether changes that look like an agent's put in so much that
// nobody else can have done it. What is only deleted the user may have deleted,
// as by undoing what they had typed.
func isLongInsertion(c changeset.Changeset) bool {
	return slices.ContainsFunc(c, func(ch changeset.Change) bool { return len(ch.New) >= MinProof })
}

// made returns the parts that were made, in their order, as edits that are to be taken out.
func (p *partialEdit) made() []misplacedEdit {
	var all []misplacedEdit
	var since changeset.Changeset
	for i, st := range slices.Backward(p.steps) {
		if slices.Contains(p.applied, i) {
			all = append(all, misplacedEdit{change: st, since: since})
		}
		since = st.Then(since)
	}
	slices.Reverse(all)
	return all
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
