package patchdoc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
)

// contents are the patches in a text.
type contents struct {
	blocks []block
	// hunks are those of all blocks, in order. The command numbers them from 1.
	hunks []hunk
	// tooMuch says why nothing was read, "" if all was.
	tooMuch string
}

// block is one patch in a text.
type block struct {
	line, end int // its lines in the text, [line,end) from 0
	patch     patch.Patch
	err       *edits.Error // it cannot be read
	unnamed   bool         // for it names no file
}

// hunk is a hunk of a patch, or a part of a patch that has none, as one that deletes a file. It
// can be applied by itself.
type hunk struct {
	block, file int // indexes
	hunk        int // of file, -1 for the whole part
	line, end   int // its lines in the text, [line,end) from 0
}

// What is checked of a document is bounded, since it is done anew with each change.
const (
	maxBytes = 8 << 20
	maxFiles = 1000
	maxHunks = 10_000
)

// readPatches reads the patches that a text holds. Where it is bounded, it reads none of
// those that are too much to be checked.
func readPatches(t text.Text, markdown, bounded bool) contents {
	if bounded && t.Len() > maxBytes {
		return contents{tooMuch: fmt.Sprintf("This document has %d bytes; patches are checked in those of up to %d (8 MiB). It can be applied all the same.", t.Len(), maxBytes)}
	}
	whole := t.String()
	blocks := []patch.Block{{Line: 1, Lines: t.Lines(), Patch: whole}}
	if markdown {
		blocks = patch.Blocks(whole)
	} else if strings.TrimSpace(whole) == "" {
		return contents{} // it is only being begun
	}
	var c contents
	files := 0
	for _, b := range blocks {
		c.add(b)
		files += len(c.blocks[len(c.blocks)-1].patch.Files)
	}
	switch {
	case bounded && files > maxFiles:
		return contents{tooMuch: fmt.Sprintf("The patches here change %d files; up to %d are checked. They can be applied all the same.", files, maxFiles)}
	case bounded && len(c.hunks) > maxHunks:
		return contents{tooMuch: fmt.Sprintf("The patches here have %d hunks; up to %d are checked. They can be applied all the same.", len(c.hunks), maxHunks)}
	}
	return c
}

func (c *contents) add(b patch.Block) {
	p := block{line: b.Line - 1, end: b.Line - 1 + b.Lines}
	sent, err := patch.Parse(b.Patch)
	if p.patch = sent; err != nil {
		p.err = editor.Failure(err)
	}
	for _, f := range sent.Files {
		if f.Path == "" && p.err == nil {
			p.unnamed = true
			p.err = &edits.Error{Kind: edits.PatchSyntax, PatchLine: f.Line, Message: fmt.Sprintf(
				"Line %d of the patch: the patch names no file; put its path on the line above the first block.", f.Line)}
		}
	}
	if p.err == nil {
		c.addHunks(p)
	}
	c.blocks = append(c.blocks, p)
}

// addHunks adds the hunks of a patch, each of which goes on to the next one.
func (c *contents) addHunks(p block) {
	number := len(c.blocks)
	begin := func(h hunk, line int) {
		h.block, h.line, h.end = number, min(p.line+line-1, max(p.line, p.end-1)), p.end
		c.hunks = append(c.hunks, h)
	}
	ends := func(line int) {
		if n := len(c.hunks); n > 0 && c.hunks[n-1].block == number {
			c.hunks[n-1].end = max(c.hunks[n-1].line+1, p.line+line-1)
		}
	}
	for i, f := range p.patch.Files {
		ends(f.Line)
		if f.Op != patch.UpdateFile || len(f.Hunks) == 0 {
			begin(hunk{file: i, hunk: -1}, f.Line)
			continue
		}
		for k, h := range f.Hunks {
			if k > 0 {
				ends(h.Line)
			}
			begin(hunk{file: i, hunk: k}, h.Line)
		}
	}
}

// hunkAt returns the index of the hunk on a line, from 0; -1 if there is none.
func (c *contents) hunkAt(line int) int {
	for i, h := range c.hunks {
		if line >= h.line && line < h.end {
			return i
		}
	}
	return -1
}

// fileOf returns the part of its patch that a hunk is of.
func (c *contents) fileOf(h hunk) patch.File {
	return c.blocks[h.block].patch.Files[h.file]
}

// hunksOf returns the indexes [from,to) of the hunks of a part.
func (c *contents) hunksOf(nth, file int) (from, to int) {
	of := func(h hunk) bool { return h.block == nth && h.file == file }
	from = max(0, slices.IndexFunc(c.hunks, of))
	for to = from; to < len(c.hunks) && of(c.hunks[to]); {
		to++
	}
	return from, to
}
