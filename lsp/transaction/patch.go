package transaction

import (
	"cmp"
	"context"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// PatchArgs are the arguments of the command apply_patch.
type PatchArgs struct {
	Patch       string `json:"patch" jsonschema:"the patch"`
	Path        string `json:"path,omitempty" jsonschema:"the file, for a patch that names none, or two that were compared"`
	OnAmbiguous string `json:"on_ambiguous,omitempty" enum:"error,first" jsonschema:"what to do if a hunk matches several places: first takes the first one below the hunk before"`
	Match       string `json:"match,omitempty" enum:"lenient,exact" jsonschema:"exact: context and deleted lines must be in the text exactly as in the patch"`
	commands.EditOptions
}

// SetDefaults sets the values of arguments that are not sent.
func (a *PatchArgs) SetDefaults() {
	a.OnAmbiguous, a.Match = "error", commands.MatchLenient
}

// Size implements [commands.Sized].
func (a PatchArgs) Size() commands.Size { return commands.Size{Patch: len(a.Patch)} }

// parse reads the patch. In the result every part names a file.
func (a PatchArgs) parse() (patch.Patch, error) {
	p, err := patch.Parse(a.Patch)
	if err != nil {
		return p, err
	}
	for i := range p.Files {
		f := &p.Files[i]
		compared := len(p.Files) == 1 && slices.ContainsFunc(f.Readings, func(names []patch.Reading) bool { return len(names) > 1 })
		if compared && a.Path != "" {
			f.Path, f.Readings = a.Path, nil // two files were compared, and the caller says which one is meant
		}
		if f.Path != "" && a.Path != "" && f.Path != a.Path {
			return p, schema.Invalid(`the patch names %s and "path" is %s: "path" is only for a patch that names no file, or two that were compared`, edits.Printable(f.Path), edits.Printable(a.Path))
		}
		if f.Path = cmp.Or(f.Path, a.Path); f.Path == "" {
			return p, schema.Invalid(`the patch names no file: put its path on the line above the first block`)
		}
	}
	return p, nil
}

// Patch applies the patch given by the arguments.
func (s *Session) Patch(ctx context.Context, arrival *workspace.Turn, name string, args PatchArgs) (*Result, error) {
	how := place.Options{Exact: args.Match == commands.MatchExact, First: args.OnAmbiguous == "first", Shown: true}
	return s.ApplyPatch(ctx, arrival, name, args.parse, how, args.EditOptions)
}

// PlanIn returns a new plan of a patch, limited to the documents and files that now returns, which the session may access.
func (s *Session) PlanIn(now func() *workspace.Workspace, work *edits.Work, how place.Options, notes []string) *patchplan.Plan {
	return patchplan.New(patchplan.Surroundings{
		Workspace: now, See: func(snap workspace.Snapshot) workspace.Snapshot { return apply.AsSeenIn(s.Editor(), snap) }, Editor: s.Editor(), Work: work,
		Source: func(was workspace.Snapshot, path string, t text.Text) edits.Source {
			return s.source("", was, path, t, work, new(*lines.Map))
		},
	}, how, notes)
}

// ApplyPatch applies the patch that read returns. If the user has to be asked, it waits for their
// agreement. read is called each time the patch is planned.
func (s *Session) ApplyPatch(ctx context.Context, arrival *workspace.Turn, name string, read func() (patch.Patch, error), how place.Options, options commands.EditOptions) (*Result, error) {
	return s.confirmed(ctx, arrival, name, options, func(t *transaction) (*Result, error) {
		var sent patch.Patch
		var err error
		t.share.Compute(func() {
			if err = t.ended(false); err == nil {
				sent, err = read()
			}
		})
		if err = cmp.Or(err, s.Limits().CheckPatch(sent)); err != nil {
			return nil, err
		}
		return s.makePatch(t, sent, how)
	})
}

// patching makes the edits of a patch. patchplan.Plan first computes every file as the patch leaves
// it; then the files are edited one by one, each on its newest text.
type patching struct {
	*transaction
	plan *patchplan.Plan
}

// makePatch carries out a patch: plan, apply, result.
func (s *Session) makePatch(t *transaction, sent patch.Patch, how place.Options) (*Result, error) {
	sent, err := patchplan.InFolder(s.Workspace(), sent)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range sent.Files {
		names = append(names, f.Path, f.NewPath, f.NewRaw, f.CopyOf)
		names = append(names, lists.Map(slices.Concat(f.Readings...), func(r patch.Reading) string { return r.Name })...)
	}
	if err := t.Wait(names...); err != nil {
		return nil, err
	}
	next := func() *workspace.Workspace { t.advanced(); return t.workspace() } // for each file
	p := &patching{t, s.PlanIn(next, t.work, how, sent.Notes)}
	t.share.Compute(func() { err = p.plan.Patch(sent) })
	if ended := t.ended(false); ended != nil {
		return nil, ended
	}
	if err != nil {
		p.plan.Refused(s.Ledger.Refused)
		return nil, err
	}
	var steps []*step
	for _, f := range p.plan.InOrder() {
		for _, kind := range f.Changes() {
			steps = append(steps, &step{name: f.PatchName, part: f.Number, Change: planned(f, kind), plan: func() (*apply.Change, error) { return p.change(f, kind) }})
		}
	}
	files := inOrder(steps)
	if t.steps = steps; !t.onlyPlans() {
		if err := t.check(p.message(files), files...); err != nil {
			return nil, err
		}
		if err := p.run(steps...); err != nil {
			return nil, err
		}
		if len(p.done) == 0 { // the user has meanwhile made all of the changes themselves
			if err := p.plan.Idle(); err != nil {
				return nil, err
			}
		}
		files = inOrder(p.done)
	}
	return p.answer(func(*Result) string { return p.message(files) }, p.notes(files), files...)
}

// inOrder returns the files of the steps in the order in which the patch first mentions them.
func inOrder(steps []*step) []*step {
	files := perFile(steps)
	slices.SortStableFunc(files, func(a, b *step) int { return cmp.Compare(a.part, b.part) })
	return files
}

// planned returns a change of a file of a patch, as it was planned last.
func planned(f *patchplan.File, kind string) *apply.Change {
	c := &apply.Change{Snapshot: f.Was, Kind: kind}
	switch kind {
	case editor.Create:
		c.Target, c.Plan, c.After = f.At, f.Plan, f.Text // it may have had another name in the patch alone
	case editor.Delete:
		c.Plan.Hunks = f.Hunks()
	case editor.Rename:
		c.To, c.After = f.At, f.Was.Text
	case editor.Update:
		if c.Plan, c.After = f.Plan, f.Text; c.Key == f.From.Key && f.At.Key != f.From.Key { // it is renamed first
			c.Target = f.At
		}
	}
	return c
}

// message returns the sentence on the whole patch.
func (p *patching) message(files []*step) string {
	return p.plan.Message(len(files), lists.FlatMap(files, func(st *step) []edits.Hunk { return st.Plan.Hunks }))
}

// notes returns the notes on how the patch was read and placed, and on how the files were changed.
func (p *patching) notes(files []*step) []string {
	notes := slices.Clone(p.plan.Notes)
	for _, f := range p.plan.Files {
		placed := f.Plan.Notes
		notes = append(notes, f.InPlace...)
		if i := slices.IndexFunc(files, func(st *step) bool { return st.part == f.Number && len(st.Plan.Edits) > 0 }); i >= 0 {
			placed = files[i].Plan.Notes
		}
		for _, note := range placed {
			if len(p.plan.Files) > 1 {
				note = f.PatchName + ": " + note
			}
			notes = append(notes, note)
		}
	}
	return notes
}

// change plans a change of f on the current text. It returns nil if the user has made the same change meanwhile.
func (p *patching) change(f *patchplan.File, kind string) (*apply.Change, error) {
	w := p.workspace()
	if kind == editor.Create {
		c, err := apply.Adapt(planned(f, kind), p.s.Editor())
		if p.isTaken(w, f.At) {
			return nil, c.Failure(edits.AlreadyExists, "%s has come to exist meanwhile, so it was not made.", f.At.Path)
		}
		return c, err
	}
	at := f.From
	if kind == editor.Update {
		at = f.At // it was renamed before
	}
	snap, err := w.ReadToEdit(w.AsOpen(at))
	if err != nil {
		return nil, err
	}
	snap = apply.AsSeenIn(p.s.Editor(), snap)
	if !snap.Text.Equal(f.Was.Text) {
		if err := f.Again(snap); err != nil {
			p.s.Ledger.Refused(snap.Key, snap.Text, err)
			return nil, err
		}
	}
	f.Was = snap
	c := planned(f, kind)
	switch {
	case kind != editor.Update:
		if err = patchplan.CheckOperation(p.s.Editor(), kind, snap); err == nil && kind == editor.Rename && p.isTaken(w, f.At) {
			err = c.Failure(edits.AlreadyExists, "%s cannot be moved to %s, which has come to exist meanwhile.", f.From.Path, f.At.Path)
		}
		return c, err
	case len(f.Plan.Edits) == 0:
		return nil, nil //nolint:nilnil // nothing to do is no failure
	}
	if c, err = apply.Adapt(c, p.s.Editor()); edits.IsKind(err, edits.NoChange) && len(p.plan.Files) > 1 {
		f.Plan = edits.Plan{Notes: append(f.Plan.Notes, edits.Failure(err).Message)}
		return nil, nil //nolint:nilnil // as above
	}
	return c, err
}

// isTaken reports whether a file of that name exists. A file that the patch has deleted
// or moved does not count: the editor may leave it on disk until it saves.
func (p *patching) isTaken(w *workspace.Workspace, at paths.Target) bool {
	if w.IsOpen(at.Key) {
		return true
	}
	return paths.Listed(at.Abs) && !slices.ContainsFunc(p.done, func(st *step) bool { return st.IsFileOperation() && st.Key == at.Key })
}
