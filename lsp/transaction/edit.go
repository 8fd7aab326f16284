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
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Report returns the message of the answer to an edit, from the kind of the change, the plan and the text after it, and which
// lines of that text the message shows. It has room bytes for them, as [page.Fit] counts.
type Report func(change string, plan edits.Plan, now text.Text, room int) (message string, shown lines.Spans)

// Edit makes an edit of one text. If the user has to be asked, it waits for their agreement. The message of the answer is what
// report returns, or that of the plan if report is nil.
func (s *Session) Edit(ctx context.Context, arrival *workspace.Turn, name string, args commands.Edit, report Report) (*Result, error) {
	return s.confirmed(ctx, arrival, name, args.Options(), func(t *transaction) (*Result, error) {
		return s.makeEdit(t, args, report)
	})
}

// makeEdit carries out one edit: snapshot, plan, apply, compare, result.
func (s *Session) makeEdit(t *transaction, args commands.Edit, report Report) (*Result, error) {
	if err := t.Wait(args.Target().Path); err != nil {
		return nil, err
	}
	err := t.run(&step{name: args.Target().Path, replan: func(l apply.Outcome) { s.replan(l, t.last.args, t.work) }, plan: func() (*apply.Change, error) {
		j, err := s.prepare(s.Workspace(), args, t.last, t.work)
		if err != nil {
			return nil, err
		}
		if t.last = j; t.onlyPlans() {
			return nil, nil //nolint:nilnil // there is nothing to make
		}
		if len(j.Plan.Edits) == 0 && !s.Editor().CreateFiles {
			return nil, j.Failure(edits.Unsupported, "The editor cannot create an empty file (%s): it lacks the resource operation create; send some content.", j.Path)
		}
		if t.inDoubt == nil {
			err = t.check(j.Plan.Message, &step{Change: j.Change})
		}
		return j.Change, err
	}})
	if err != nil {
		return nil, err
	}
	file := &step{Change: t.last.Change}
	if t.steps = []*step{file}; len(t.done) > 0 {
		file = t.done[0]
	}
	message, notes := file.Plan.Message, file.Plan.Notes
	moved := ""
	if t.last.moved != nil {
		moved = t.last.moved.Note()
	}
	switch {
	case report != nil:
		message, t.shown = report(file.Kind, file.Plan, file.After, page.Room(s.Name()))
		t.says = true
	case moved != "" && args.Target().Rev == "":
		message, moved = moved+" "+message, ""
	}
	if moved != "" {
		notes = append(notes, moved)
	}
	t.content = args.Target().Create
	return t.answer(func(*Result) string { return message }, notes, file)
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
	place, err := t.Place, error(nil)
	if place.Key == "" {
		place, err = w.Resolve(t.Path)
	}
	if err != nil {
		return nil, err
	}
	if t.Create != nil && strings.HasSuffix(t.Path, "/") {
		return nil, edits.ErrorIn(edits.IsDirectory, place.Path, "%s/ is the name of a directory; name a file in it.", place.Path)
	}
	if t.Create != nil { // the file is missing, as a rule
		w = w.Terse()
	}
	snap, err := w.ReadToEdit(place)
	if t.MustBeNew && t.Rev != "" {
		return nil, schema.Invalid(`"rev" is the text that overwrite replaces`)
	}
	if edits.IsKind(err, edits.FileNotFound) && t.Create != nil && place.Abs != "" {
		if t.Rev != "" {
			return nil, unknownRev(workspace.Snapshot{Target: place}, t.Rev)
		}
		if _, met := s.Ledger.Page(place.Key); met && !t.MustBeNew {
			s.Ledger.Forget(place.Key)
			return nil, edits.ErrorIn(edits.Stale, place.Path, "%s has been deleted or renamed since you saw it, so nothing was written; send the text again to create the file anew.", edits.Printable(place.Path))
		}
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
		return nil, edits.ErrorIn(edits.AlreadyExists, snap.Path, "%s exists already; use write or str_replace to change it, or send overwrite: true to replace all of it.", snap.Path)
	}
	snap.Mark()
	seen := apply.AsSeenIn(s.Editor(), snap)
	carried, moved, err := s.carry(args, seen, last, work)
	var plan edits.Plan
	var merged bool
	if err == nil {
		plan, merged, err = s.planOn(carried, seen, work)
	}
	if err == nil {
		err = paths.CheckEdits(snap.Path, seen.Text, plan.Edits)
	}
	if edits.IsKind(err, edits.NoMatch) {
		err = elsewhere(w, snap, args, err)
	}
	if err != nil {
		s.Ledger.Refused(snap.Key, seen.Text, err)
		return nil, workspace.About(err, snap)
	}
	j := &apply.Change{Snapshot: seen, Kind: editor.Update, Plan: plan, After: plan.Edits.Apply(seen.Text)}
	j.Rebased = moved != nil || merged || last != nil && !last.seen.Text.Equal(seen.Text)
	j, err = apply.Adapt(j, s.Editor())
	return &job{j, carried, seen, moved}, err
}

// planOn plans args on snap.
func (s *Session) planOn(args commands.Edit, snap workspace.Snapshot, work *edits.Work) (p edits.Plan, merged bool, err error) {
	m := &lines.Map{}
	src := s.source(args.Target().Rev, snap, snap.Path, snap.Text, work, &m)
	if content := args.Target().Create; content != nil {
		return s.planWhole(*content, args.Target().Rev, snap, src)
	}
	p, err = args.Plan(src)
	if note := m.Note(); note != "" {
		p.Notes, merged = append(p.Notes, note), true
	}
	return p, merged, err
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
	if plan, _, err := s.planOn(args, l.Change.Snapshot, work); err == nil && slices.Equal(plan.Edits, l.Change.Plan.Edits) {
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
