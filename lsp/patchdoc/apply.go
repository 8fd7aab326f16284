package patchdoc

import (
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Command is the name of the command that applies a patch which stands in a document.
const Command = "apply_document"

// Args are its arguments.
type Args struct {
	Path  string `json:"path" jsonschema:"the document that holds the patch: relative to a workspace folder, absolute, or a URI"`
	Hunk  int    `json:"hunk,omitempty" jsonschema:"the one hunk to apply, counted from 1 through the document, a part without hunks being one; 0 is all"`
	Block int    `json:"block,omitempty" jsonschema:"of several patches in a Markdown document the one to apply, counted from 1; 0 is all, as one patch"`
	commands.EditOptions
}

// Chosen returns the patch that args mean among those in a document. snap is the document as it
// is now.
func (c *Checker) Chosen(snap workspace.Snapshot, args Args) (patch.Patch, error) {
	if args.Rev != "" && args.Rev != snap.Text.Hash() {
		return patch.Patch{}, &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
			"%s has changed since that rev, and its hunks may have other numbers; view it.", snap.Path)}
	}
	_, markdown := holdsPatches(snap.URI, "")
	if d := c.get(snap.Key); d != nil {
		markdown = d.markdown
	}
	sent, err := args.choose(snap.Path, readPatches(snap.Text, markdown, false))
	if err == nil && args.Hunk > 0 {
		c.pinLine(snap, args.Hunk-1, sent)
	}
	return sent, err
}

// choose returns the patch that the arguments mean.
func (a Args) choose(path string, c contents) (patch.Patch, error) {
	switch {
	case len(c.blocks) == 0:
		return patch.Patch{}, schema.Invalid("there is no patch in %s", path)
	case a.Hunk < 0 || a.Block < 0:
		return patch.Patch{}, schema.Invalid(`"hunk" and "block" must be 0 (all) or a number from 1`)
	case a.Block > len(c.blocks):
		return patch.Patch{}, schema.Invalid("there is no block %d in %s, which holds %s", a.Block, path, counted(len(c.blocks), "patch", "patches"))
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

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// only returns the patch that is just one hunk. The file that it changes is not moved,
// and may have been before.
func (c *contents) only(h hunk) patch.Patch {
	f := c.fileOf(h)
	if h.hunk >= 0 {
		f.Hunks = []patch.Hunk{f.Hunks[h.hunk]}
		if f.NewPath != "" {
			f.OtherPath, f.NewPath = f.NewPath, ""
		}
	}
	return patch.Patch{Files: []patch.File{f}, Notes: c.blocks[h.block].patch.Notes}
}

// pinLine gives a hunk that is applied by itself the line at which it stands as one of all:
// without the others it might have several places.
func (c *Checker) pinLine(snap workspace.Snapshot, index int, written patch.Patch) {
	var at status
	c.with(snap.Key, func(d *document) {
		if d.doc.Text == snap.Text && index < len(d.found) {
			at = d.found[index]
		}
	})
	if at.State != place.Placed || at.action != "" || len(written.Files[0].Hunks) != 1 || written.Files[0].Hunks[0].AtEnd {
		return
	}
	h := &written.Files[0].Hunks[0]
	head, olds := 0, 0
	for i, l := range h.Lines {
		if l.Kind == patch.KeptLine && head == i {
			head++
		}
		if l.Kind != patch.AddedLine {
			olds++
		}
	}
	if olds > 0 && at.Line > head {
		h.Numbered, h.Start = true, at.Line-head
	}
}

// Summary says in a sentence what a dry run of the command found, which ended with err. The
// diagnostics say the rest.
func (c *Checker) Summary(args Args, err error) (string, protocol.MessageType) {
	good, bad := protocol.MessageTypeInfo, protocol.MessageTypeWarning
	var n, fail, there int
	if key, keyErr := paths.KeyOf(args.Path); args.Hunk == 0 && keyErr == nil {
		c.with(key, func(d *document) { n, fail, there = d.count(args.Block) })
	}
	switch {
	case n == 0:
	case fail > 0 && n == 1:
		return "the hunk has no place.", bad
	case fail > 0:
		return fmt.Sprintf("%d of %d hunks have no place.", fail, n), bad
	case there == n && n == 1:
		return "the hunk is applied already.", good
	case there == n:
		return fmt.Sprintf("all %d hunks are applied already.", n), good
	case err == nil && n == 1:
		return "the hunk has a place.", good
	case err == nil && there > 0:
		return fmt.Sprintf("all %d hunks have a place, where %d of them are already.", n, there), good
	case err == nil:
		return fmt.Sprintf("all %d hunks have a place.", n), good
	}
	if err != nil {
		return paths.OneLine(editor.Failure(err).Message, maxDiagnostic), bad
	}
	return "it can be applied.", good
}

// count counts the hunks of a block, numbered from 1, or of all blocks for 0: all of them, those
// that cannot be applied, and those that are applied already.
func (d *document) count(block int) (n, fail, there int) {
	for i := range d.found {
		if block > 0 && d.contents.hunks[i].block != block-1 {
			continue
		}
		n++
		switch f := &d.found[i]; {
		case f.fails():
			fail++
		case f.State == place.InPlace:
			there++
		}
	}
	return n, fail, there
}
