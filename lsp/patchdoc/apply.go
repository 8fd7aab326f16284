package patchdoc

import (
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
)

// Command is the name of the command that applies a patch in a document.
const Command = "apply_document"

// Args are the arguments of [Command].
type Args struct {
	Path  string `json:"path" jsonschema:"the document that contains the patch: relative to a workspace folder, absolute, or a URI"`
	Hunk  int    `json:"hunk,omitempty" jsonschema:"the hunk to apply, counted from 1 through the document, where a part without hunks counts as one; 0 is all"`
	Block int    `json:"block,omitempty" jsonschema:"of several patches in a Markdown document, the one to apply, counted from 1; 0 is all, as one patch"`
	Rev   string `json:"rev,omitempty" jsonschema:"the rev of the document that hunk and block are counted in: if it has changed, the command fails"`
	commands.EditOptions
}

// Chosen returns the patch that args choose among those in a document. snap is the document as it is now.
func (c *Checker) Chosen(snap workspace.Snapshot, args Args) (patch.Patch, error) {
	if args.Rev != "" && !text.IsHash(snap.Text.Hash(), args.Rev) {
		return patch.Patch{}, &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
			"%s has changed since that rev, and its hunks may have other numbers; view it.", snap.Path)}
	}
	p := c.read(snap.Doc)
	if p == nil {
		p = &patches{text: snap.Text}
		_, p.markdown = holdsPatches(snap.URI, "")
	}
	if p.tooMuch != "" || len(p.blocks) == 0 {
		p.readAll()
	} else if args.Hunk > 0 {
		p.check()
	}
	sent, err := args.choose(snap.Path, p)
	if err == nil && args.Hunk > 0 {
		p.hunks[args.Hunk-1].pin(sent.Files[0].Hunks)
	}
	return sent, err
}

// choose returns the patch that the arguments choose.
func (a Args) choose(path string, c *patches) (patch.Patch, error) {
	switch {
	case len(c.blocks) == 0:
		return patch.Patch{}, schema.Invalid("there is no patch in %s", path)
	case a.Hunk < 0 || a.Block < 0:
		return patch.Patch{}, schema.Invalid(`"hunk" and "block" must be 0 (all) or a number from 1`)
	case a.Block > len(c.blocks):
		return patch.Patch{}, schema.Invalid("there is no block %d in %s, which has %s", a.Block, path, edits.Count(len(c.blocks), "block"))
	case a.Hunk > len(c.hunks):
		return patch.Patch{}, schema.Invalid("there is no hunk %d in %s, which has %s", a.Hunk, path, edits.Count(len(c.hunks), "hunk"))
	case a.Hunk > 0 && a.Block > 0 && c.hunks[a.Hunk-1].block != a.Block-1:
		return patch.Patch{}, schema.Invalid("hunk %d of %s is in block %d", a.Hunk, path, c.hunks[a.Hunk-1].block+1)
	case a.Hunk > 0:
		return c.only(c.hunks[a.Hunk-1]), nil
	}
	var all patch.Patch
	for i, p := range c.blocks {
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

// only returns a patch of just one hunk. It does not move the file, which may have been moved already.
func (p *patches) only(h hunk) patch.Patch {
	f := p.blocks[h.block].patch.Files[h.file]
	if h.hunk >= 0 {
		f.Hunks = []patch.Hunk{f.Hunks[h.hunk]}
		if f.NewPath != "" {
			f.OtherPath, f.NewPath = f.NewPath, ""
		}
	}
	return patch.Patch{Files: []patch.File{f}, Notes: p.blocks[h.block].patch.Notes}
}

// pin gives the one hunk of a patch, which is h applied by itself, the line that h has among all
// hunks: without the others it might match several places.
func (h *hunk) pin(one []patch.Hunk) {
	if h.State != place.Placed || h.action != "" || len(one) != 1 || one[0].AtEnd {
		return
	}
	lines := one[0].Lines
	head := slices.IndexFunc(lines, func(l patch.Line) bool { return l.Kind != patch.KeptLine })
	quotes := slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Kind != patch.AddedLine })
	if quotes && head >= 0 && h.Line > head {
		one[0].Numbered, one[0].Start = true, h.Line-head
	}
}
