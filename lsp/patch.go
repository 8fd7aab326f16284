package lsp

import (
	"context"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// A patch is planned whole before anything is sent: patch_plan.go has the files
// as the patch leaves them. Then they are edited one after the other, each
// verified (patch_apply.go), and if one fails those before it are put back
// (patch_back.go).

type applyPatchArgs struct {
	Patch       string `json:"patch" jsonschema:"the patch"`
	Path        string `json:"path,omitempty" jsonschema:"the file, for a patch that names none"`
	OnAmbiguous string `json:"on_ambiguous,omitempty" enum:"error,first" jsonschema:"what to do where a hunk has several places: first takes the first one below the hunk before"`
	Match       string `json:"match,omitempty" enum:"lenient,exact" jsonschema:"exact: context and deleted lines must stand in the text as they are quoted"`
	editOptions
}

// The values of on_ambiguous.
const (
	ambiguousError = "error"
	ambiguousFirst = "first"
)

func (a *applyPatchArgs) setDefaults() { a.OnAmbiguous, a.Match = ambiguousError, matchLenient }

// parse reads the patch; every part of it names a file.
func (a applyPatchArgs) parse() (edits.Patch, error) {
	p, err := edits.ParsePatch(a.Patch)
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

// patching is one run of a patch.
type patching struct {
	s              *caller
	how            edits.Placing
	command, label string
	notes          []string // on how the patch was read
	terse          bool     // errors name no near paths

	several bool // the patch names several files
	files   []*patchedFile
	names   map[paths.Key]*patchedFile // by the name that each has as the patch leaves it
	vacated map[paths.Key]*patchedFile // by names that the patch has taken from them

	work  *edits.Work
	holds *holds
	done  []*patchStep // what was applied, in order
	// doubtful was sent and failed: it may have been applied all the same.
	doubtful *patchStep
}

// patchStep is one applyEdit of a patch.
type patchStep struct {
	file *patchedFile
	*job
	landed landed
}

// patch applies the patch that the arguments are.
func (s *caller) patch(ctx context.Context, arrival *workspace.Turn, name string, args applyPatchArgs) (*Result, error) {
	var patch edits.Patch
	var err error
	s.shareOf(ctx).compute(func() { patch, err = args.parse() })
	if err != nil {
		return nil, err
	}
	return s.applyPatch(ctx, arrival, name, patch, args.placing(), args.editOptions)
}

// placing says how the hunks are to be placed.
func (a applyPatchArgs) placing() edits.Placing {
	return edits.Placing{Exact: a.Match == matchExact, First: a.OnAmbiguous == ambiguousFirst}
}

// newPatching begins a patch whose hunks are placed as they are by default.
func newPatching(s *caller, work *edits.Work) *patching {
	return &patching{s: s, work: work, names: map[paths.Key]*patchedFile{}, vacated: map[paths.Key]*patchedFile{}}
}

// applyPatch applies a patch, after the user has agreed if they are to be asked.
func (s *caller) applyPatch(ctx context.Context, arrival *workspace.Turn, name string, patch edits.Patch, how edits.Placing, options editOptions) (*Result, error) {
	if err := s.limitsNow().patch(patch); err != nil {
		return nil, err
	}
	return s.confirmed(ctx, arrival, name, options, func(arrival *workspace.Turn, a *approval) (*Result, error) {
		return s.makePatch(ctx, arrival, name, patch, how, options, a)
	})
}

// makePatch is the journey of a patch: plan, apply, result.
func (s *caller) makePatch(ctx context.Context, arrival *workspace.Turn, name string, patch edits.Patch, how edits.Placing, options editOptions, a *approval) (*Result, error) {
	r, err := s.begin(ctx, arrival, s.patchTexts(patch))
	if err != nil {
		return nil, err
	}
	defer r.end()
	p := newPatching(s, r.work)
	p.holds, p.command, p.label, p.notes, p.how = &r.holds, name, s.label(name, options), patch.Notes, how
	r.share.compute(func() { err = p.plan(patch) })
	if ended := r.ended(0); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, err
	}
	if options.DryRun {
		return p.onlyPlanned(r, unapplied{})
	}
	if !s.client.Load().applyEdit {
		return p.onlyPlanned(r, unapplied{noApplyEdit: true})
	}
	if a.asks(p.guarded()) {
		if err := a.check(p.proposal()); err != nil {
			return nil, err
		}
	}
	forward, end := r.forward(s.server, p.total())
	defer end()
	if err := p.apply(r.ctx, forward); err != nil {
		return nil, err
	}
	if len(p.done) == 0 { // the user has made all of it meanwhile
		if err := p.idle(); err != nil {
			return nil, err
		}
	}
	return p.result(landed{}), nil
}

// onlyPlanned returns the answer of a patch of which nothing is applied.
func (p *patching) onlyPlanned(r *run, how unapplied) (planned *Result, err error) {
	r.share.compute(func() { planned = p.result(how) })
	if err := r.ended(0); err != nil {
		return nil, err
	}
	return planned, nil
}
