package lsp

import (
	"context"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
)

// applyDocument is the name of the command that applies a patch which stands in a
// document.
const applyDocument = "apply_document"

type applyDocumentArgs struct {
	Path  string `json:"path" jsonschema:"the document that holds the patch: relative to a workspace folder, absolute, or a URI"`
	Hunk  int    `json:"hunk,omitempty" jsonschema:"the one hunk to apply, counted from 1 through the document, a part without hunks being one; 0 is all"`
	Block int    `json:"block,omitempty" jsonschema:"of several patches in a Markdown document the one to apply, counted from 1; 0 is all, as one patch"`
	commands.EditOptions
}

// applyDocument applies the patches that a document holds; the rev that it is sent is that of
// this document, since its hunks are counted. The user, who chose it in the
// editor, is told what a dry run found.
func (s *caller) applyDocument(ctx context.Context, arrival *workspace.Turn, _ string, args applyDocumentArgs) (*Result, error) {
	result, err := s.patchDocument(ctx, arrival, args)
	if args.DryRun && s == s.self {
		s.tellChecked(args, err)
	}
	return result, err
}

func (s *caller) patchDocument(ctx context.Context, turn *workspace.Turn, args applyDocumentArgs) (*Result, error) {
	w := s.workspace()
	place, err := w.Resolve(args.Path)
	if err != nil {
		return nil, err
	}
	snap, err := s.read(w, place)
	if err != nil {
		return nil, err
	}
	if args.Rev != "" && args.Rev != snap.Text.Hash() {
		return nil, &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
			"%s has changed since that rev, and its hunks may have other numbers; view it.", snap.Path)}
	}
	_, markdown := holdsPatches(snap.URI, "")
	if d := s.patchDocs.get(snap.Key); d != nil {
		markdown = d.markdown
	}
	sent, err := args.choose(snap.Path, readPatches(snap.Text, markdown, false))
	if err != nil {
		return nil, err
	}
	if args.Hunk > 0 {
		s.aim(snap, args.Hunk-1, sent)
	}
	return s.applyPatch(ctx, turn, applyDocument, sent, command.Placing{}, args.EditOptions)
}

// choose returns the patch that is meant of those that a document holds.
func (a applyDocumentArgs) choose(path string, held heldPatches) (patch.Patch, error) {
	switch {
	case len(held.patches) == 0:
		return patch.Patch{}, schema.Invalid("there is no patch in %s", path)
	case a.Hunk < 0 || a.Block < 0:
		return patch.Patch{}, schema.Invalid(`"hunk" and "block" must be 0 (all) or a number from 1`)
	case a.Block > len(held.patches):
		return patch.Patch{}, schema.Invalid("there is no block %d in %s, which holds %s", a.Block, path, counted(len(held.patches), "patch", "patches"))
	case a.Hunk > len(held.hunks):
		return patch.Patch{}, schema.Invalid("there is no hunk %d in %s, which has %s", a.Hunk, path, edits.Count(len(held.hunks), "hunk"))
	case a.Hunk > 0 && a.Block > 0 && held.hunks[a.Hunk-1].patch != a.Block-1:
		return patch.Patch{}, schema.Invalid("hunk %d of %s is in block %d", a.Hunk, path, held.hunks[a.Hunk-1].patch+1)
	case a.Hunk > 0:
		return held.only(held.hunks[a.Hunk-1]), nil
	}
	var all patch.Patch
	for i, p := range held.patches {
		if a.Block > 0 && i != a.Block-1 {
			continue
		}
		if p.err != nil {
			return patch.Patch{}, p.err
		}
		all.Files = append(all.Files, p.patch.Files...)
		all.Notes = append(all.Notes, p.patch.Notes...)
	}
	return all, nil
}

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// only returns the patch that is just one hunk. The file that it changes is not moved,
// and may have been before.
func (held *heldPatches) only(h heldHunk) patch.Patch {
	f := held.of(h)
	if h.hunk >= 0 {
		f.Hunks = []patch.Hunk{f.Hunks[h.hunk]}
		if f.NewPath != "" {
			f.OtherPath, f.NewPath = f.NewPath, ""
		}
	}
	return patch.Patch{Files: []patch.File{f}, Notes: held.patches[h.patch].patch.Notes}
}

// aim gives a hunk that is applied by itself the line at which it stands as one of all:
// without the others it might have several places.
func (s *caller) aim(snap workspace.Snapshot, index int, written patch.Patch) {
	if snap.Doc == nil {
		return
	}
	d, unlock := s.looked(snap.Doc)
	if d == nil {
		return
	}
	defer unlock()
	if d.state.Text != snap.Text || index >= len(d.found) || len(written.Files[0].Hunks) != 1 {
		return
	}
	f, h := d.found[index], &written.Files[0].Hunks[0]
	if f.State != command.Placed || f.does != "" || h.AtEnd {
		return
	}
	head, olds := 0, 0
	for i, l := range h.Lines {
		if l.Kind == patch.KeptLine && head == i {
			head++
		}
		if l.Kind != patch.AddedLine {
			olds++
		}
	}
	if olds > 0 && f.Line > head {
		h.Numbered, h.Start = true, f.Line-head
	}
}
