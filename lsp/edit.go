package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	path string
	err  error // the arguments name none

	byLine   bool // the place is given by line numbers, which rev guards
	from, to int  // those lines, from 1

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
	var first *job
	for tries := 0; ; {
		job, err := s.prepare(s.workspace(), t, args, first)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = job
		}
		if args.options().DryRun {
			return job.answer(s, args, unapplied{}), nil
		}
		if !s.client.Load().applyEdit {
			return job.answer(s, args, unapplied{noApplyEdit: true}), nil
		}
		if c := s.client.Load(); len(job.plan.Edits) == 0 && !c.createFiles {
			return nil, job.failure(unsupported, "The editor cannot create an empty file (%s): it lacks the resource operation create; send some content.", job.Path)
		}
		for _, c := range []context.Context{bounded, ctx} { // which may not know of the other yet
			if c.Err() != nil {
				return nil, waitError(c, "the text kept changing")
			}
		}
		landed, err := s.apply(bounded, job, s.label(name, args.options()))
		if err == nil {
			return job.answer(s, args, landed), nil
		}
		var again *notAppliedError
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
	kind    string // as results call the change
	plan    edits.Plan
	after   text.Text
	rebased bool             // the plan was carried over from an earlier text
	to      workspace.Target // of a rename
	// withOthers: it is one of several, so an editor that would tell of it must.
	withOthers bool
	// mustBeNew: a file that is there is not to be made.
	mustBeNew bool
}

// prepare plans args on the text as it is now. Line numbers are about the text of
// the first try: their plan is carried over to what that has become since.
func (s *server) prepare(w *workspace.Workspace, t target, args editArguments, first *job) (*job, error) {
	place, err := t.place(w)
	if err != nil {
		return nil, err
	}
	if t.create != nil && strings.HasSuffix(t.path, "/") {
		return nil, &edits.Error{Kind: workspace.IsDirectory, Path: place.Path, Message: fmt.Sprintf("%s/ is the name of a directory; name a file in it.", place.Path)}
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
	if rev := args.options().Rev; first == nil && rev != "" && t.byLine && rev != snap.Text.Hash() {
		return nil, staleLines(snap, t, "since rev "+rev)
	}
	src := edits.Source{Path: snap.Path, Text: snap.Text}
	if first != nil && t.byLine && !first.Text.Equal(snap.Text) {
		plan, ok := first.plan.Rebased(edits.Source{Path: snap.Path, Text: first.Text}, src)
		if !ok {
			return nil, staleLines(snap, t, "since the command came")
		}
		return &job{Snapshot: snap, kind: changeUpdate, plan: plan, after: plan.Edits.Apply(snap.Text), rebased: true}, nil
	}
	plan, err := s.planOn(args, snap)
	if isKind(err, edits.NoMatch) {
		err = elsewhere(w, snap, args, err)
	}
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

// staleLines refuses line numbers that may be about other lines by now, and
// shows those that have them.
func staleLines(snap workspace.Snapshot, t target, since string) error {
	const most = 40
	e := &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
		"The text of %s has changed %s, so its line numbers may be about other lines; view it and send the numbers and the rev that it has now.", snap.Path, since)}
	from, to := max(t.from, 1), min(t.to, snap.Text.Lines(), t.from+most)
	if from <= to {
		e.Snippet = edits.Numbered(snap.Text, from, to)
	}
	return e
}

// quoting are arguments that quote the text which they are about.
type quoting interface{ quoted() string }

// elsewhere adds to an error the other open documents that have the text which
// was looked for: often it is only the path that is wrong.
func elsewhere(w *workspace.Workspace, snap workspace.Snapshot, args editArguments, err error) error {
	q, ok := args.(quoting)
	var e *edits.Error
	if !ok || !errors.As(err, &e) {
		return err
	}
	var paths []string
	for _, doc := range w.Documents.All() {
		if doc.Key == snap.Key || !edits.Contains(doc.Text, q.quoted()) {
			continue
		}
		if place, err := w.Resolve(doc.URI); err == nil {
			paths = append(paths, place.Path)
		}
	}
	if len(paths) == 0 {
		return err
	}
	full := *e
	full.Message += fmt.Sprintf(" It stands in %s, which is open in the editor.", strings.Join(paths[:min(len(paths), 3)], ", "))
	return &full
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
func (s *server) label(name string, o editOptions) string {
	switch label := o.Label; {
	case s.client.Load().traits.noLabel:
		return ""
	case label != "":
		return label
	}
	return prefix + name
}
