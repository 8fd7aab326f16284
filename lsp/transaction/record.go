package transaction

import (
	"context"
	"errors"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace/history"
)

// remember adds an edit of the session, which was done in these steps, to the log and to
// the histories of its documents, and returns its id.
func (s *Session) remember(ctx context.Context, command string, steps ...*patchStep) string {
	return s.Made.Add(command, s.Name(), len(steps), func(id string, i int) review.Step {
		call.Of(ctx).Made(id)
		st := s.recorded(ctx, id, steps[i].landed)
		st.Before = steps[i].hunksBefore
		return st
	}, s.forget)
}

// forget has histories treat an edit, which nobody can name any more, like what anybody
// wrote: it is not marked, and takes no room of its own.
func (s *Server) forget(e *review.Edit) {
	for _, st := range e.Steps {
		if h := s.Documents.History(st.Target.Key); h != nil {
			h.Forget(e.ID)
		}
	}
}

// recorded enters a landing into the history of its document.
func (s *Session) recorded(ctx context.Context, id string, l apply.Outcome) review.Step {
	j := l.Change
	st := review.Step{Change: j.Kind, Target: j.Target, Given: j.Path, BOM: j.BOM, Hunks: len(j.Plan.Hunks)}
	switch j.Kind {
	case editor.Create:
		st.Text = j.After
		s.attributeFile(id, l)
	case editor.Delete:
		st.Hunks = 1
		st.Text = j.Text
	case editor.Rename:
		st.Target, st.Was, st.Hunks = j.To, j.Target, 0 // they are of the edit that comes with it
		s.Documents.Renamed(j.Key, j.To.Key)
	default:
		st.Unseen = l.Doc == nil
		if l.OpenedToEdit() {
			s.Documents.SetDisk(j.Key, l.Landing.Text, j.Text)
		}
		if err := s.attribute(id, l); err != nil {
			s.Log.WarnContext(ctx, "an edit cannot be undone", "edit", id, "error", err)
		}
	}
	return st
}

// attributeFile says in the history of a document that an edit made its file. That is
// for its mark alone: what is undone is the file.
func (s *Session) attributeFile(id string, l apply.Outcome) {
	if l.Doc == nil || l.Doc.History != nil && s.attribute(id, l) == nil {
		return
	}
	j := l.Change
	h := s.Documents.CatchUp(j.Key, j.After) // the editor may tell of it later
	if h == nil {
		h = s.Documents.History(j.Key)
	}
	switch seq := h.Seq(); {
	case !h.Text().Equal(j.After):
	case seq == 0:
		h.AttributeBase(id, changeset.Changeset{{New: j.After.String()}})
	default: // there was one of that name before
		if c, ok := h.SinceSeq(seq - 1); ok {
			_ = h.Attribute(seq-1, seq, id, nil, c, nil, 1)
		}
	}
}

// attribute says in the history of a document that an edit was an agent's.
func (s *Session) attribute(id string, l apply.Outcome) error {
	numbers := diff.HunkNumbers(l.Change.Plan, l.Change.Text)
	if l.Landing != nil && l.Landing.From >= 0 {
		l.Doc.History.Mark(l.Landing.From, l.Landing.Was.Hash()) // as it was shown while it was closed
		return l.Doc.History.Attribute(l.Landing.From, l.Landing.Seq, id, l.Landing.Before, l.Landing.Own, nil, numbers...)
	}
	h, seq, own, err := s.unseen(l)
	switch {
	case err != nil:
		return err
	case seq == 0:
		h.AttributeBase(id, own, numbers...)
		return nil
	}
	return h.Attribute(seq-1, seq, id, nil, own, nil, numbers...)
}

// unseen returns where in the history of its document an edit is whose text was
// seen before and after, and not on the way.
func (s *Session) unseen(l apply.Outcome) (h *history.History, seq int, own changeset.Changeset, err error) {
	j := l.Change
	own = changeset.Of(j.Plan.Edits, j.Text)
	switch {
	case l.Doc != nil && l.Doc.History != nil && l.Doc.History.Seq() == 0:
		return l.Doc.History, 0, own, nil
	case l.Doc != nil && l.Doc.History != nil:
		return l.Doc.History, l.Landing.Seq, l.Landing.Own, nil
	}
	if h = s.Documents.CatchUp(j.Key, j.Text); h == nil {
		return nil, 0, nil, errors.New("the file was opened meanwhile")
	}
	seq = h.Record(own, j.After)
	return h, seq, own, nil
}
