package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// putBack takes back what was applied before f failed with err, the last first,
// and returns err with what came of that. It has the time that going forward has
// left to it.
func (p *patching) putBack(f *patchplan.File, err error) error {
	if broken, ok := errors.AsType[*fault](err); ok {
		p.s.log.ErrorContext(p.holds.under(p.s.base), "panic", "file", broken.method, "value", broken.value, "stack", string(broken.stack))
	}
	defer p.tell("", true)
	full := *editor.Failure(p.inPart(f, err))
	if p.s.base.Err() != nil || full.Kind == editor.Gone {
		return &full // nobody is left to put anything back, or to be told
	}
	if len(p.files) == 1 && len(p.done) == 0 {
		return &full // it says itself what may still come
	}
	ctx, cancel := p.s.withTimeout(p.holds.under(p.s.base), p.s.applyTimeout()-p.s.forwardTime())
	defer cancel()
	var report backReport
	p.takeBackDoubtful(ctx, &report)
	unclear := p.doubtful != nil && !p.s.isAsBefore(p.doubtful.Change)
	for _, st := range slices.Backward(p.done) {
		p.takeBack(ctx, st, &report)
	}
	// It may have been late: the editor had it before all that was put back.
	if p.doubtful != nil {
		select {
		case <-p.s.opts.After(p.s.client.Load().Quirks.Settle):
		case <-ctx.Done():
		}
		p.takeBackDoubtful(ctx, &report)
	}
	if unclear && p.doubtful != nil {
		report.unclear = p.doubtful.file.Given
	}
	if len(p.files) > 1 || len(p.done) > 0 {
		full.Message += " " + report.String()
	}
	return &full
}

// takeBackDoubtful takes back what failed and was applied all the same.
func (p *patching) takeBackDoubtful(ctx context.Context, report *backReport) {
	st := p.doubtful
	if st == nil || !p.s.isDone(st.Change) {
		return
	}
	p.doubtful = nil
	st.landed = landed{doc: &workspace.Document{Key: st.Key, URI: st.URI, Text: st.after}}
	p.takeBack(ctx, st, report)
}

// isDone reports whether a job whose outcome was not clear is done by now. Where
// it only deletes from an open document, the text does not tell: the user may have done that.
func (s *server) isDone(j *Change) bool {
	switch j.kind {
	case editor.Delete:
		if s.client.Load().Quirks.Announces {
			return j.Doc != nil && s.docs.Get(j.Key) == nil
		}
		return !paths.Listed(j.Abs)
	case editor.Rename:
		return s.docs.Get(j.to.Key) != nil || paths.Listed(j.to.Abs) && !paths.Listed(j.Abs)
	}
	inserts := func(ch edits.Change) bool { return ch.New != "" }
	if j.kind == editor.Update && j.Doc != nil && !slices.ContainsFunc(j.plan.Edits.On(j.Text), inserts) {
		return false
	}
	snap, err := s.workspace().Read(j.Target)
	return err == nil && text.Same(snap.Text, j.after, j.Doc == nil) && (j.kind == editor.Create || !snap.Text.Equal(j.Text))
}

// isAsBefore reports whether what a job was about is as it found it.
func (s *server) isAsBefore(j *Change) bool {
	snap, err := s.workspace().Read(j.Target)
	if j.kind == editor.Create {
		return edits.IsKind(err, paths.FileNotFound)
	}
	return err == nil && snap.Text.Equal(j.Text)
}

// takeBack takes back one edit, and tries again while the text keeps moving on.
func (p *patching) takeBack(ctx context.Context, st *patchStep, report *backReport) {
	err := p.applyBack(ctx, st, p.s.reverse)
	if err != nil && st.kind == editor.Create && ctx.Err() == nil {
		if st.landed.doc != nil && p.applyBack(ctx, st, p.s.inverse) == nil {
			report.emptied = append(report.emptied, st.Path)
			return
		}
	}
	if err != nil {
		report.held = append(report.held, heldFile{st.file.Given, err})
		return
	}
	if !slices.Contains(report.back, st.file.Given) {
		report.back = append(report.back, st.file.Given)
	}
	if late := p.doubtful; late != nil && late.file == st.file && st.kind == editor.Rename {
		moved := *late.Change
		moved.Target = st.Target
		late.Change = &moved
	}
}

// errUnseen says that the editor took an edit, and shows the text to nobody.
var errUnseen = errors.New("the editor said that it made the edit, and shows the text to nobody")

func (p *patching) applyBack(ctx context.Context, st *patchStep, plan func(*patchStep) (*Change, error)) error {
	for tries := 0; ; tries++ {
		if ctx.Err() != nil {
			return errors.New("there was no time left for it")
		}
		j, err := plan(st)
		if err != nil || j == nil {
			return err
		}
		j.withOthers, j.pins = true, &p.holds.pins
		p.s.planned(ctx, j)
		_, err = p.s.engine.apply(ctx, j, p.label)
		var again *notAppliedError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &again):
			return err
		case again.unsent:
			tries--
		case tries+1 == maxTries:
			return again.err
		}
	}
}

// reverse plans the taking back of an edit on the text as it is now. It is nil
// where there is nothing to take back.
func (s *server) reverse(st *patchStep) (*Change, error) {
	w := s.workspace()
	switch st.kind {
	case editor.Create:
		return s.unmake(w, st.Target, st.after, st.landed.doc == nil)
	case editor.Delete:
		return s.remake(w, st.Target, st.Text, st.BOM)
	case editor.Rename:
		snap, err := w.ReadToEdit(st.to)
		return &Change{Snapshot: snap, kind: editor.Rename, to: st.Target, after: snap.Text}, err
	}
	return s.inverse(st)
}

// remake plans the making of a file that was deleted.
func (s *server) remake(w *workspace.Workspace, at paths.Target, was text.Text, bom bool) (*Change, error) {
	c := s.client.Load()
	if w.IsOpen(at.Key) || !c.Quirks.Announces && paths.Listed(at.Abs) {
		return nil, errors.New("there is a file of that name again")
	}
	content := was.String()
	if bom {
		content = text.BOM + content
	}
	if !c.CreateFiles && (!c.Quirks.CreatesByEdit || content == "") {
		return nil, errors.New("the editor lacks the resource operation create")
	}
	j := newFile(at, content)
	j.mustBeNew = c.Quirks.Announces // where others truncate what is there (hazard: create-truncates)
	return adapt(j, s.client.Load())
}

// unmake plans the deletion of a file that was made with a text, unless the user
// has written into it. unseen: the editor never showed it.
func (s *server) unmake(w *workspace.Workspace, at paths.Target, made text.Text, unseen bool) (*Change, error) {
	snap, err := w.Read(at)
	switch {
	case err != nil && unseen:
		return nil, errors.New("the editor shows it to nobody")
	case err != nil:
		return nil, err
	case !text.Same(snap.Text, made, true):
		return nil, errors.New("its text has changed since it was made")
	case !s.client.Load().DeleteFiles:
		return nil, errors.New("the editor lacks the resource operation delete")
	}
	if c := s.client.Load(); c.Quirks.DeletesSaved && c.Plugin == (editor.Plugin{}) && snap.Doc != nil && !paths.Listed(snap.Abs) {
		j := &Change{Snapshot: snap, kind: editor.Update, plan: edits.PlanOf(snap.Text, edits.Edits{{End: snap.Text.Len()}})}
		j.plan.Notes = append(j.plan.Notes, fmt.Sprintf("%s was never saved, so the editor cannot delete it; its buffer is left empty.", at.Path))
		return adapt(j, s.client.Load())
	}
	return &Change{Snapshot: snap, kind: editor.Delete}, nil
}

// inverse plans what makes a text again what it was, and leaves what the user has
// typed since. It is nil where they have taken the edit back themselves.
func (s *server) inverse(st *patchStep) (*Change, error) {
	snap, err := s.workspace().ReadToEdit(st.Target)
	if err != nil {
		return nil, err
	}
	if st.landed.doc == nil && snap.Doc == nil && !snap.Text.Equal(st.after) {
		return nil, errUnseen // it may never have been made, and then its inverse does damage
	}
	back, err := s.takenBack(st, snap)
	if err != nil || len(back) == 0 {
		return nil, err
	}
	j := &Change{Snapshot: snap, kind: editor.Update, plan: edits.PlanOf(snap.Text, back.Edits())}
	j.after = j.plan.Edits.Apply(snap.Text)
	return j, nil
}

// errTyped says that the user has typed where an edit is to be taken back.
var errTyped = errors.New("its text has changed there since")

// takenBack returns what takes the edit out of the text of a snapshot, nothing if it is
// taken back already.
func (s *server) takenBack(st *patchStep, snap workspace.Snapshot) (edits.Changeset, error) {
	if h := s.historyOf(snap); h != nil && st.landed.how != nil && st.landed.doc != nil && h == st.landed.doc.History {
		c, seq, err := h.UndoChange(st.landed.how.seq, st.landed.how.own)
		met, conflict := errors.AsType[*history.UndoConflict](err)
		switch {
		case conflict && met.AlreadyUndone && !st.isLeft(snap.Text):
			return nil, nil
		case conflict:
			return nil, errTyped
		case err == nil && (snap.Doc == nil || seq == snap.Doc.Seq):
			return c, nil
		}
	}
	if snap.Text.Equal(st.Text) {
		return nil, nil
	}
	_, c, meet := edits.Transform(edits.Difference(st.after, snap.Text), st.plan.Edits.Invert(st.Text).On(st.after))
	if meet != nil {
		return nil, errTyped
	}
	return c, nil
}

// isLeft reports whether t has something that only the edit has put in. Where the edit counts
// as undone all the same, the user has moved it.
func (st *patchStep) isLeft(t text.Text) bool {
	return slices.ContainsFunc(st.landed.how.own, func(ch edits.Change) bool {
		put := strings.TrimSpace(ch.New)
		return len(put) >= minProof && !edits.Contains(st.Text, put) && edits.Contains(t, put)
	})
}

// historyOf returns the history of a text, nil if there is none.
func (s *server) historyOf(snap workspace.Snapshot) *history.History {
	if snap.Doc != nil {
		return snap.Doc.History
	}
	if s.docs.History(snap.Key) == nil {
		return nil
	}
	return s.docs.CatchUp(snap.Key, snap.Text)
}
