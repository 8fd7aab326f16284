package transaction

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// apply edits the files one after the other. If one fails, those before it are
// put back, and the error says so. ctx ends with a cancel as well, bounded with
// the command's time alone.
func (p *patching) apply(ctx, bounded context.Context) error {
	for _, f := range p.plan.InOrder() {
		for _, change := range f.Changes() {
			// A panic must not leave half of the patch behind.
			_, err := rpc.Fenced(f.Given, func() (any, error) { return nil, p.applyOne(ctx, bounded, f, change) })
			if err != nil {
				return p.putBack(f, err)
			}
		}
	}
	return nil
}

// applyOne does one change of a file, on its newest text.
func (p *patching) applyOne(ctx, bounded context.Context, f *patchplan.File, change string) error {
	return p.applyPlanned(ctx, bounded, f, func() (*apply.Change, error) { return p.job(f, change) })
}

// applyPlanned does what plan plans, which is asked again for each try; a nil job
// means that there is nothing left to do.
func (p *patching) applyPlanned(ctx, bounded context.Context, f *patchplan.File, plan func() (*apply.Change, error)) error {
	for retry := (apply.Retry{}); ; {
		for _, c := range []context.Context{bounded, ctx} { // which may not know of the other yet
			if c.Err() != nil {
				return retry.Ended(p.interrupted(c))
			}
		}
		var j *apply.Change
		var err error
		p.share.Compute(func() { j, err = plan() })
		if p.work.Err() != nil && ctx.Err() != nil {
			return retry.Ended(p.interrupted(ctx))
		}
		if err != nil || j == nil {
			return retry.Unplannable(err)
		}
		st := &patchStep{file: f, Change: j}
		p.doubtful = st
		j.Pins = &p.holds.pins
		p.s.planned(ctx, j)
		l, err := p.s.Engine.Apply(bounded, j, p.label)
		if err == nil {
			st.Change, st.landed = l.Change, l
			f.Landed(l.Change.Kind, l.Change.Text, l.Change.Plan, l.Change.After)
			p.done, p.doubtful = append(p.done, st), nil
			return nil
		}
		next := retry.Next(j, err)
		if _, again := errors.AsType[*apply.NotAppliedError](err); !retry.InDoubt && (again || edits.IsKind(err, editor.Rejected)) {
			p.doubtful = nil // a clear no is nothing that may still come
		}
		if next != nil {
			return next
		}
	}
}

// job plans a change of f on the text as it is now. It is nil where the user
// has made the change meanwhile.
func (p *patching) job(f *patchplan.File, change string) (*apply.Change, error) {
	w := p.s.Workspace()
	place := f.From
	if change == editor.Create || p.renamed(f) {
		place = f.At
	}
	if change == editor.Create {
		return p.createJob(w, f)
	}
	snap, err := w.ReadToEdit(asOpen(w, place))
	if err != nil {
		return nil, p.inPart(f, err)
	}
	snap = apply.AsSeenIn(p.s.Editor(), snap)
	if !snap.Text.Equal(f.Was.Text) {
		if err := f.Again(snap); err != nil {
			return nil, err
		}
	}
	f.Was.Doc = snap.Doc
	j := &apply.Change{Snapshot: snap, Kind: change, Plan: f.Plan, After: f.Text, WithOthers: len(p.files) > 1}
	switch change {
	case editor.Delete:
		j.After = text.Text{}
		err = patchplan.CheckDelete(snap)
	case editor.Rename:
		j.To, j.After = f.At, snap.Text
		if err = p.plan.CheckMove(snap); err == nil && p.isTaken(w, f.At) {
			err = j.Failure(paths.AlreadyExists, "%s cannot be moved to %s, which has come to exist meanwhile.", f.From.Path, f.At.Path)
		}
	default:
		if len(f.Plan.Edits) == 0 {
			return nil, nil //nolint:nilnil // nothing to do is no failure
		}
		if j, err = apply.Adapt(j, p.s.Editor()); edits.IsKind(err, edits.NoChange) && len(p.files) > 1 {
			f.Plan = edits.Plan{Notes: append(f.Plan.Notes, editor.Failure(err).Message)}
			f.Text = snap.Text // which is as it was
			return nil, nil    //nolint:nilnil // as above
		}
	}
	return j, p.inPart(f, err)
}

// createJob plans the making of f.
func (p *patching) createJob(w *workspace.Workspace, f *patchplan.File) (*apply.Change, error) {
	j := newFile(f.At, f.Text.String())
	j.WithOthers = len(p.files) > 1
	if j, _ = apply.Adapt(j, p.s.Editor()); p.isTaken(w, f.At) {
		return nil, p.inPart(f, j.Failure(paths.AlreadyExists, "%s has come to exist meanwhile, so it was not made.", f.At.Path))
	}
	return j, nil
}

// isTaken reports whether there is a file of that name. What the patch has taken
// away may be on disk until it is saved.
func (p *patching) isTaken(w *workspace.Workspace, t paths.Target) bool {
	if w.IsOpen(t.Key) {
		return true
	}
	for _, st := range p.done {
		if st.IsFileOperation() && st.Key == t.Key {
			return false
		}
	}
	return paths.Listed(t.Abs)
}

// asOpen returns the target as the editor has come to open it, perhaps by another
// name.
func asOpen(w *workspace.Workspace, t paths.Target) paths.Target {
	if t.Abs == "" || w.IsOpen(t.Key) {
		return t
	}
	if open, err := w.Resolve(t.Abs); err == nil && w.IsOpen(open.Key) {
		return open
	}
	return t
}

// renamed reports whether f has its new name by now.
func (p *patching) renamed(f *patchplan.File) bool {
	for _, st := range p.done {
		if st.file == f && st.Kind == editor.Rename {
			return true
		}
	}
	return false
}

// inPart returns err as one of f's part of the patch.
func (p *patching) inPart(f *patchplan.File, err error) error {
	if err == nil {
		return nil
	}
	full := *editor.Failure(err)
	if full.File == 0 {
		full.File = f.Number
	}
	return &full
}

// interrupted is the error of a patch that was cancelled, or whose time was up,
// between two edits.
func (p *patching) interrupted(ctx context.Context) error {
	if len(p.done) == 0 {
		return apply.NotSent(ctx, "the text kept changing")
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return &edits.Error{Kind: editor.TimedOut, Message: fmt.Sprintf("The command's time (apply_timeout_ms) was up after %d of %d edits.", len(p.done), p.total())}
	}
	return &edits.Error{Kind: editor.Cancelled, Message: fmt.Sprintf("The command was cancelled after %d of %d edits.", len(p.done), p.total())}
}

// total is how many edits the patch takes.
func (p *patching) total() int {
	n := 0
	for _, f := range p.files {
		n += len(f.Changes())
	}
	return n
}
