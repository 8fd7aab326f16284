package lsp

import (
	"context"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/patch"
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

type applyPatchArgs struct {
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

func (a *applyPatchArgs) SetDefaults() {
	a.OnAmbiguous, a.Match = ambiguousError, commands.MatchLenient
}

func (a applyPatchArgs) Size() commands.Size { return commands.Size{Patch: len(a.Patch)} }

// parse reads the patch; every part of it names a file.
func (a applyPatchArgs) parse() (patch.Patch, error) {
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
	s              *caller
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

// patch applies the patch that the arguments are.
func (s *caller) patch(ctx context.Context, arrival *workspace.Turn, name string, args applyPatchArgs) (*Result, error) {
	var sent patch.Patch
	var err error
	s.shares().Share(ctx).Compute(func() { sent, err = args.parse() })
	if err != nil {
		return nil, err
	}
	return s.applyPatch(ctx, arrival, name, sent, args.placing(), args.EditOptions)
}

// placing says how the hunks are to be placed.
func (a applyPatchArgs) placing() command.Placing {
	return command.Placing{Exact: a.Match == commands.MatchExact, First: a.OnAmbiguous == ambiguousFirst}
}

// planIn begins a plan of a patch in what the caller may touch.
func (s *caller) planIn(work *edits.Work, how command.Placing, notes []string) *patchplan.Plan {
	return patchplan.New(patchplan.Surroundings{
		Workspace: s.workspace, See: func(snap workspace.Snapshot) workspace.Snapshot { return apply.AsSeenIn(s.client.Load(), snap) }, Editor: s.client.Load(), Work: work,
		Source: func(path string, t text.Text) edits.Source { return s.limitsNow().Source(path, t, work) },
	}, how, notes)
}

// applyPatch applies a patch, after the user has agreed if they are to be asked.
func (s *caller) applyPatch(ctx context.Context, arrival *workspace.Turn, name string, sent patch.Patch, how command.Placing, options commands.EditOptions) (*Result, error) {
	if err := s.limitsNow().CheckPatch(sent); err != nil {
		return nil, err
	}
	return s.confirmed(ctx, arrival, name, options, func(arrival *workspace.Turn, a *approval) (*Result, error) {
		return s.makePatch(ctx, arrival, name, sent, how, options, a)
	})
}

// makePatch is the journey of a patch: plan, apply, result.
func (s *caller) makePatch(ctx context.Context, arrival *workspace.Turn, name string, sent patch.Patch, how command.Placing, options commands.EditOptions, a *approval) (*Result, error) {
	r, err := s.begin(ctx, arrival, s.patchTexts(sent))
	if err != nil {
		return nil, err
	}
	defer r.end()
	p := &patching{s: s, work: r.work, share: r.share, holds: &r.holds, command: name, label: label(name, options), plan: s.planIn(r.work, how, sent.Notes)}
	r.share.Compute(func() { err = p.plan.Patch(sent) })
	p.files = p.plan.Files
	if ended := r.ended(false); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, err
	}
	if options.DryRun {
		return p.onlyPlanned(r, outcomeDryRun)
	}
	if !s.client.Load().ApplyEdit {
		return p.onlyPlanned(r, outcomeNoApplyEdit)
	}
	if a.asks(p.plan.Guarded()) {
		if err := a.check(p.proposed(), nil); err != nil {
			return nil, err
		}
	}
	forward, end := r.forward(s.server, p.total())
	defer end()
	if err := p.apply(r.ctx, forward); err != nil {
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
func (p *patching) onlyPlanned(r *run, how outcome) (planned *Result, err error) {
	r.share.Compute(func() { planned = p.result(how) })
	if err := r.ended(false); err != nil {
		return nil, err
	}
	return planned, nil
}
