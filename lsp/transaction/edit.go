package transaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Edit makes an edit of one text. If the user has to be asked, it waits for their agreement.
func (s *Session) Edit(ctx context.Context, arrival *workspace.Turn, name string, args commands.Edit) (*Result, error) {
	return s.confirmed(ctx, arrival, name, args.Options(), func(r *Run, a *approval) (*Result, error) {
		return s.makeEdit(r, name, args, a)
	})
}

// makeEdit carries out one edit: snapshot, plan, apply, compare, result.
func (s *Session) makeEdit(r *Run, name string, args commands.Edit, a *approval) (*Result, error) {
	if err := r.Wait(args.Target().Path); err != nil {
		return nil, err
	}
	t := r.begin(name, args.Options())
	err := t.run(&step{name: args.Target().Path, plan: func() (*apply.Change, error) {
		j, err := s.prepare(s.Workspace(), args, a.last, r.work)
		if err != nil {
			return nil, err
		}
		if a.last = j; t.onlyPlans() {
			return nil, nil //nolint:nilnil // there is nothing to make
		}
		if len(j.Plan.Edits) == 0 && !s.Editor().CreateFiles {
			return nil, j.Failure(editor.Unsupported, "The editor cannot create an empty file (%s): it lacks the resource operation create; send some content.", j.Path)
		}
		if t.inDoubt == nil {
			err = a.check(j.Plan.Message, &step{Change: j.Change})
		}
		return j.Change, err
	}})
	if err != nil {
		return nil, err
	}
	file := &step{Change: a.last.Change}
	if t.planned = []*apply.Change{a.last.Change}; len(t.done) > 0 {
		file = t.done[0]
		s.replan(*file.outcome, a.last.args, r.work)
		t.wholeTexts = args.Target().Create != nil
	}
	answer, err := t.result(file.Plan.Notes, file)
	if err != nil {
		return nil, err
	}
	message := file.Plan.Message
	if tool, ok := a.last.args.(*reference.Edit); ok {
		message = tool.Report(file.Kind, file.Plan, file.After)
		answer.Rebased = answer.Rebased || tool.LinesMoved
	}
	answer.Message = t.prefix() + message
	t.record(answer)
	t.saveClean(answer)
	return answer, nil
}

// job is the planned change of a command that edits one document.
type job struct {
	*apply.Change
	args  commands.Edit      // their line numbers refer to seen
	seen  workspace.Snapshot // the text as the user saw it when the change was planned
	moved *lines.Map         // by which the line numbers were carried over, nil if they were not
}

// prepare plans args on the current text. It carries line numbers over from the text
// that they refer to, which after a failed try is the text of that try.
func (s *Session) prepare(w *workspace.Workspace, args commands.Edit, last *job, work *edits.Work) (*job, error) {
	t := args.Target()
	place, err := t.Place(w)
	if err != nil {
		return nil, err
	}
	if t.Create != nil && strings.HasSuffix(t.Path, "/") {
		return nil, &edits.Error{Kind: paths.IsDirectory, Path: place.Path, Message: fmt.Sprintf("%s/ is the name of a directory; name a file in it.", place.Path)}
	}
	snap, err := w.ReadToEdit(place)
	if edits.IsKind(err, paths.FileNotFound) && t.Create != nil && place.Abs != "" {
		j := newFile(place, *t.Create)
		if err := paths.CheckEdits(place.Path, j.Text, j.Plan.Edits); err != nil {
			return nil, err
		}
		j, err := apply.Adapt(j, s.Editor())
		return &job{Change: j, args: args, seen: workspace.Snapshot{Target: place}}, err
	}
	if err != nil {
		return nil, err
	}
	if t.MustBeNew {
		return nil, &edits.Error{Kind: paths.AlreadyExists, Path: snap.Path, Message: fmt.Sprintf(
			"%s exists already; use write or str_replace to change it, or send overwrite: true to replace all of it.", snap.Path)}
	}
	snap.Mark()
	seen := apply.AsSeenIn(s.Editor(), snap)
	carried, moved, err := s.carry(args, seen, last, work)
	if err != nil {
		return nil, workspace.About(err, snap)
	}
	plan, err := s.planOn(carried, seen, work)
	if err == nil {
		err = paths.CheckEdits(snap.Path, seen.Text, plan.Edits)
	}
	if edits.IsKind(err, edits.NoMatch) {
		err = elsewhere(w, snap, args, err)
	}
	if err != nil {
		return nil, workspace.About(err, snap)
	}
	j := &apply.Change{Snapshot: seen, Kind: editor.Update, Plan: plan, After: plan.Edits.Apply(seen.Text)}
	if moved != nil {
		j.Rebased = true
		if note := moved.Note(); note != "" {
			j.Plan.Notes = append(j.Plan.Notes, note)
		}
	}
	j, err = apply.Adapt(j, s.Editor())
	return &job{j, carried, seen, moved}, err
}

// planOn plans args on snap.
func (s *Session) planOn(args commands.Edit, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error) {
	src := s.Limits().Source(snap.Path, snap.Text, work)
	if t, ok := args.(*reference.Edit); ok && t.ByLedger != nil {
		return t.ByLedger(t, s.Ledger, snap.Key, src)
	}
	return args.Plan(src)
}

// replan replaces the plan of an edit that landed on a newer text than it was planned on
// with a plan on the text where it landed, so that the answer describes that text.
func (s *Session) replan(l apply.Outcome, args commands.Edit, work *edits.Work) {
	if l.Landing == nil || len(l.Landing.Before) == 0 {
		return
	}
	if lined, ok := args.(commands.ByLines); ok && args.Target().ByLine {
		var carried bool
		if args, carried = lined.At(lines.NewMap(l.Landing.Was, l.Change.Text, l.Landing.Before)); !carried {
			return
		}
	}
	if plan, err := s.planOn(args, l.Change.Snapshot, work); err == nil && slices.Equal(plan.Edits, l.Change.Plan.Edits) {
		plan.Notes = l.Change.Plan.Notes
		l.Change.Plan = plan
	}
}

// newFile returns the change that creates a file.
func newFile(place paths.Target, content string) *apply.Change {
	return &apply.Change{Snapshot: workspace.Snapshot{Target: place}, Kind: editor.Create, Plan: command.NewFile(place.Path, content), After: text.New(content)}
}

// elsewhere adds to an error the names of other open documents that contain the
// text which was not found: often only the path is wrong.
func elsewhere(w *workspace.Workspace, snap workspace.Snapshot, args commands.Edit, err error) error {
	replace, ok := args.(commands.StrReplace)
	var e *edits.Error
	if !ok || !errors.As(err, &e) {
		return err
	}
	var found []string
	for _, doc := range w.Documents.All() {
		if doc.Key == snap.Key || doc.Drift != "" || !doc.Text.Contains(replace.OldStr) {
			continue
		}
		if place, err := w.Resolve(doc.URI); err == nil {
			found = append(found, place.Path)
		}
	}
	if len(found) == 0 {
		return err
	}
	full := *e
	full.Message += fmt.Sprintf(" It stands in %s, which is open in the editor.", strings.Join(found[:min(len(found), 3)], ", "))
	return &full
}

// label returns the label that the editor's undo menu shows.
func label(name string, o commands.EditOptions) string {
	return cmp.Or(paths.OneLine(o.Label, maxLabel), commands.Prefix+name)
}

// maxLabel is how many characters of a label an editor gets.
const maxLabel = 60

// Line numbers refer to a text that the agent has seen. Before the edit is made, that
// text may change: the user types, and other agents edit. The numbers are therefore
// carried over to where their lines are now. If a line itself has changed, it is
// unclear what the agent meant, and the edit is refused.

// carry returns args with line numbers that refer to snap. As given, the numbers refer
// to the text of the previous try, or to the text that rev names.
func (s *Session) carry(args commands.Edit, snap workspace.Snapshot, prior *job, work *edits.Work) (commands.Edit, *lines.Map, error) {
	t, rev := args.Target(), args.Options().Rev
	lined, ok := args.(commands.ByLines)
	if tool, of := args.(*reference.Edit); !ok || !t.ByLine || of && tool.ByLedger != nil && rev == "" {
		return args, nil, nil
	}
	var m *lines.Map
	switch {
	case prior != nil && prior.seen.Text.Equal(snap.Text):
		return prior.args, prior.moved, nil
	case prior != nil:
		lined, _ = prior.args.(commands.ByLines)
		m = lines.NewMap(prior.seen.Text, snap.Text, workspace.Between(prior.seen, snap))
	case rev == "" || text.IsHash(snap.Text.Hash(), rev):
		return args, nil, nil
	default:
		was, changes, known := snap.At(rev)
		if !known {
			return nil, nil, staleLines(snap, t, "since rev "+rev)
		}
		if _, err := s.planOn(args, workspace.Snapshot{Target: snap.Target, Text: was}, work); err != nil {
			return nil, nil, err // the numbers were already wrong in the text of rev
		}
		m = lines.NewMap(was, snap.Text, changes)
	}
	now, ok := lined.At(m)
	if !ok {
		return nil, nil, staleLines(snap, t, "in those lines")
	}
	return now, m, nil
}

// staleLines returns the error for line numbers that now belong to other lines, with
// a snippet of those lines.
func staleLines(snap workspace.Snapshot, t commands.Target, since string) error {
	const most = 40
	return &edits.Error{
		Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
			"The text of %s has changed %s, so its line numbers may be about other lines; view it and send the numbers and the rev that it has now.", snap.Path, since),
		Snippet: edits.Numbered(snap.Text, max(t.From, 1), min(t.To, snap.Text.Lines(), t.From+most)),
	}
}
