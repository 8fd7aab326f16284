package transaction

import (
	"context"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/shares"
	"github.com/patchls/patchls/workspace"
)

// A patch is planned whole before anything is sent: patchplan.Plan has the files
// as the patch leaves them. Then they are edited one after the other, each
// verified (patch_apply.go), and if one fails those before it are put back
// (patch_back.go).

// PatchArgs are the arguments of the command apply_patch.
type PatchArgs struct {
	Patch       string `json:"patch" jsonschema:"the patch"`
	Path        string `json:"path,omitempty" jsonschema:"the file, for a patch that names none"`
	OnAmbiguous string `json:"on_ambiguous,omitempty" enum:"error,first" jsonschema:"what to do where a hunk has several places: first takes the first one below the hunk before"`
	Match       string `json:"match,omitempty" enum:"lenient,exact" jsonschema:"exact: context and deleted lines must stand in the text as they are quoted"`
	commands.EditOptions
}

// The values of on_ambiguous.
const (
	ambiguousError = "error"
	ambiguousFirst = "first"
)

// SetDefaults sets what the arguments are where they are not sent.
func (a *PatchArgs) SetDefaults() {
	a.OnAmbiguous, a.Match = ambiguousError, commands.MatchLenient
}

// Size implements [commands.Sized].
func (a PatchArgs) Size() commands.Size { return commands.Size{Patch: len(a.Patch)} }

// parse reads the patch; every part of it names a file.
func (a PatchArgs) parse() (patch.Patch, error) {
	p, err := patch.Parse(a.Patch)
	if err != nil {
		return p, err
	}
	for i := range p.Files {
		f := &p.Files[i]
		if f.Path != "" && a.Path != "" && f.Path != a.Path {
			return p, schema.Invalid(`the patch names %s and "path" is %s: "path" is only for a patch that names no file`, f.Path, a.Path)
		}
		if f.Path == "" {
			f.Path = a.Path
		}
		if f.Path == "" {
			return p, schema.Invalid(`the patch names no file: put its path on the line above the first block, or send "path"`)
		}
	}
	return p, nil
}

// patching makes the edits of several files: those of a patch, or those that take others back.
type patching struct {
	s              *Session
	command, label string
	plan           *patchplan.Plan // of a patch; nil where edits are taken back
	files          []*patchplan.File

	work  *edits.Work
	share *shares.Share
	holds *holds
	done  []*patchStep // what was applied, in order
	// doubtful was sent and failed: it may have been applied all the same.
	doubtful *patchStep
}

// patchStep is one applyEdit of a patch.
type patchStep struct {
	file *patchplan.File
	*apply.Change
	landed      apply.Outcome
	hunksBefore int // of the files above it in the answer
}

// Patch applies the patch that the arguments are.
func (s *Session) Patch(ctx context.Context, arrival *workspace.Turn, name string, args PatchArgs) (*Result, error) {
	var sent patch.Patch
	var err error
	s.Shares.Share(ctx).Compute(func() { sent, err = args.parse() })
	if err != nil {
		return nil, err
	}
	return s.ApplyPatch(ctx, arrival, name, sent, args.placing(), args.EditOptions)
}

// placing says how the hunks are to be placed.
func (a PatchArgs) placing() place.Options {
	return place.Options{Exact: a.Match == commands.MatchExact, First: a.OnAmbiguous == ambiguousFirst}
}

// PlanIn begins a plan of a patch in what the session may touch.
func (s *Session) PlanIn(work *edits.Work, how place.Options, notes []string) *patchplan.Plan {
	return patchplan.New(patchplan.Surroundings{
		Workspace: s.Workspace, See: func(snap workspace.Snapshot) workspace.Snapshot { return apply.AsSeenIn(s.Editor(), snap) }, Editor: s.Editor(), Work: work,
		Source: func(path string, t text.Text) edits.Source { return s.Limits().Source(path, t, work) },
	}, how, notes)
}

// ApplyPatch applies a patch, as hunks of files, after the user has agreed if they are to be asked.
func (s *Session) ApplyPatch(ctx context.Context, arrival *workspace.Turn, name string, sent patch.Patch, how place.Options, options commands.EditOptions) (*Result, error) {
	if err := s.Limits().CheckPatch(sent); err != nil {
		return nil, err
	}
	return s.confirmed(ctx, arrival, name, options, func(arrival *workspace.Turn, a *approval) (*Result, error) {
		return s.makePatch(ctx, arrival, name, sent, how, options, a)
	})
}

// makePatch is the journey of a patch: plan, apply, result.
func (s *Session) makePatch(ctx context.Context, arrival *workspace.Turn, name string, sent patch.Patch, how place.Options, options commands.EditOptions, a *approval) (*Result, error) {
	var names []string
	for _, f := range sent.Files {
		names = append(names, f.Path, f.OtherPath, f.NewPath)
	}
	r, err := s.Begin(ctx, arrival, s.Texts(names...))
	if err != nil {
		return nil, err
	}
	defer r.End()
	p := &patching{s: s, work: r.work, share: r.share, holds: &r.holds, command: name, label: label(name, options), plan: s.PlanIn(r.work, how, sent.Notes)}
	r.share.Compute(func() { err = p.plan.Patch(sent) })
	p.files = p.plan.Files
	if ended := r.Ended(false); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, err
	}
	if options.DryRun {
		return p.onlyPlanned(r, outcomeDryRun)
	}
	if !s.Editor().ApplyEdit {
		return p.onlyPlanned(r, outcomeNoApplyEdit)
	}
	if a.asks(p.plan.Guarded()) {
		if err := a.check(p.proposed(), nil); err != nil {
			return nil, err
		}
	}
	forward, end := r.forward(s, p.total())
	defer end()
	if err := p.apply(r.Ctx, forward); err != nil {
		return nil, err
	}
	if len(p.done) == 0 { // the user has made all of it meanwhile
		if err := p.plan.Idle(); err != nil {
			return nil, err
		}
	}
	return p.result(outcomeApplied), nil
}

// onlyPlanned returns the answer of a patch of which nothing is applied.
func (p *patching) onlyPlanned(r *Run, how outcome) (planned *Result, err error) {
	r.share.Compute(func() { planned = p.result(how) })
	if err := r.Ended(false); err != nil {
		return nil, err
	}
	return planned, nil
}
