package lsp

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// editArguments are the arguments of a command that edits one text.
type editArguments interface {
	options() editOptions
	target() target
	// plan is called again on the newest text whenever an edit did not land.
	plan(src edits.Source) (edits.Plan, error)
}

// target says which text a command is about.
type target struct {
	path   string
	err    error   // the arguments name none
	byLine bool    // the place is given by line numbers, which rev guards
	create *string // the text that the command makes if there is no such file
	// mustBeNew: a file that is there is an error.
	mustBeNew bool
	vault     bool // the path is found as SmartHole finds it
}

// maxTries bounds how often an edit that did not land is planned again.
const maxTries = 5

// edit is the journey of one edit: snapshot, plan, apply, compare, result.
func (s *server) edit(ctx context.Context, turn *workspace.Turn, name string, args editArguments) (*Result, error) {
	t := args.target()
	if t.err != nil {
		return nil, t.err
	}
	// Two contexts with one deadline: ctx ends with a cancel as well, bounded with
	// the server. Once the edit is sent only bounded counts.
	bounded, cancel := s.withTimeout(s.base, s.applyTimeout())
	defer cancel()
	ctx, cancelBoth := context.WithCancelCause(ctx)
	defer context.AfterFunc(bounded, func() { cancelBoth(context.Cause(bounded)) })()
	defer cancelBoth(nil)
	if turn.Wait(ctx) != nil {
		return nil, waitError(ctx, "other edits went first")
	}
	for tries := 0; ; {
		w := s.workspace()
		job, err := s.prepare(w, t, args)
		if err != nil {
			return nil, err
		}
		if args.options().DryRun {
			return job.answer(s, args, unapplied{}), nil
		}
		if !s.client.Load().applyEdit {
			return job.answer(s, args, unapplied{noApplyEdit: true}), nil
		}
		if ctx.Err() != nil {
			return nil, waitError(ctx, "the text kept changing")
		}
		landed, err := s.apply(bounded, job, s.label(name, args))
		if err == nil {
			return job.answer(s, args, landed), nil
		}
		var again *notApplied
		if !errors.As(err, &again) {
			return nil, err
		}
		if !again.unsent {
			tries++
		}
		if tries == maxTries {
			return nil, again.err
		}
	}
}

// job is one try of an edit: what is planned, on which text.
type job struct {
	workspace.Snapshot
	kind  string // as results call the change: "update" or "create"
	plan  edits.Plan
	after text.Text
}

// prepare plans args on the text as it is now.
func (s *server) prepare(w *workspace.Workspace, t target, args editArguments) (*job, error) {
	place, err := t.place(w)
	if err != nil {
		return nil, err
	}
	snap, err := w.ReadToEdit(place)
	if isKind(err, workspace.FileNotFound) && t.create != nil && place.Abs != "" {
		return newFile(place, *t.create), nil
	}
	if err != nil {
		return nil, err
	}
	if t.mustBeNew {
		return nil, &edits.Error{Kind: workspace.AlreadyExists, Path: snap.Path, Message: fmt.Sprintf(
			"%s exists already; use write or str_replace to change it, or send overwrite: true to replace all of it.", snap.Path)}
	}
	if err := checkRev(snap, args.options().Rev, t.byLine); err != nil {
		return nil, err
	}
	plan, err := s.planOn(args, snap)
	if err != nil {
		return nil, about(err, snap)
	}
	return &job{Snapshot: snap, kind: changeUpdate, plan: plan, after: plan.Edits.Apply(snap.Text)}, nil
}

// newFile is the job of making a file.
func newFile(place workspace.Target, content string) *job {
	j := &job{Snapshot: workspace.Snapshot{Target: place}, kind: changeCreate, after: text.New(content)}
	n := j.after.Lines()
	if content != "" {
		j.plan.Edits = edits.Edits{{New: content}}
		j.plan.Hunks = []edits.Hunk{{StartLine: 1, EndLine: n, NewLines: n, Match: edits.Exact}}
	}
	j.plan.Message = fmt.Sprintf("Created %s (%s).", place.Path, edits.Count(n, "line"))
	return j
}

// checkRev refuses line numbers that are about another text.
func checkRev(snap workspace.Snapshot, rev string, byLine bool) error {
	if rev == "" || !byLine || rev == snap.Text.Hash() {
		return nil
	}
	return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
		"The text of %s has changed since rev %s, so its line numbers may be about other lines; view it and send the numbers and the rev that it has now.", snap.Path, rev)}
}

// about completes an error of planning with what was planned on.
func about(err error, snap workspace.Snapshot) error {
	var e *edits.Error
	if !errors.As(err, &e) {
		return err
	}
	full := *e
	full.Path, full.Rev = snap.Path, snap.Text.Hash()
	return &full
}

// isKind reports whether err is an [edits.Error] of that kind.
func isKind(err error, kind edits.Kind) bool {
	var e *edits.Error
	return errors.As(err, &e) && e.Kind == kind
}

// label is what the editor's undo menu shows.
func (s *server) label(name string, args editArguments) string {
	switch label := args.options().Label; {
	case s.client.Load().traits.noLabel:
		return ""
	case label != "":
		return label
	}
	return prefix + name
}
