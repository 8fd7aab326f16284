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

// heldPatches are the patches that a text holds, as they stand in it.
type heldPatches struct {
	patches []heldPatch
	// hunks are those of all patches, in order. People call them by their number there,
	// from 1.
	hunks []heldHunk
	// tooMuch says why nothing was read, "" if all was.
	tooMuch string
}

// heldPatch is one of them.
type heldPatch struct {
	line, end int // its lines in the text, [line,end) from 0
	patch     patch.Patch
	err       *edits.Error // it cannot be read
	unnamed   bool         // for it names no file
}

// heldHunk is what can be applied by itself: a hunk, or a part of a patch that has
// none, as one that deletes a file.
type heldHunk struct {
	patch, file int // indexes
	hunk        int // of file, -1 for the whole part
	line, end   int // its lines in the text, [line,end) from 0
}

// What is checked of a document is bounded, since it is done anew with each change.
const (
	checkedBytes = 8 << 20
	checkedFiles = 1000
	checkedHunks = 10_000
)

// readPatches reads the patches that a text holds. Where it is bounded, it reads none of
// those that are too much to be checked.
func readPatches(t text.Text, markdown, bounded bool) heldPatches {
	if bounded && t.Len() > checkedBytes {
		return heldPatches{tooMuch: fmt.Sprintf("This document has %d bytes; patches are checked in those of up to %d (8 MiB). It can be applied all the same.", t.Len(), checkedBytes)}
	}
	whole := t.String()
	blocks := []patch.Block{{Line: 1, Lines: t.Lines(), Patch: whole}}
	if markdown {
		blocks = patch.Blocks(whole)
	} else if strings.TrimSpace(whole) == "" {
		return heldPatches{} // it is only being begun
	}
	var held heldPatches
	files := 0
	for _, b := range blocks {
		held.add(b)
		files += len(held.patches[len(held.patches)-1].patch.Files)
	}
	switch {
	case bounded && files > checkedFiles:
		return heldPatches{tooMuch: fmt.Sprintf("The patches here change %d files; up to %d are checked. They can be applied all the same.", files, checkedFiles)}
	case bounded && len(held.hunks) > checkedHunks:
		return heldPatches{tooMuch: fmt.Sprintf("The patches here have %d hunks; up to %d are checked. They can be applied all the same.", len(held.hunks), checkedHunks)}
	}
	return held
}

func (held *heldPatches) add(b patch.Block) {
	p := heldPatch{line: b.Line - 1, end: b.Line - 1 + b.Lines}
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
		held.addHunks(p)
	}
	held.patches = append(held.patches, p)
}

// addHunks adds the hunks of a patch, each of which goes on to the next one.
func (held *heldPatches) addHunks(p heldPatch) {
	number := len(held.patches)
	begin := func(h heldHunk, line int) {
		h.patch, h.line, h.end = number, min(p.line+line-1, max(p.line, p.end-1)), p.end
		held.hunks = append(held.hunks, h)
	}
	ends := func(line int) {
		if n := len(held.hunks); n > 0 && held.hunks[n-1].patch == number {
			held.hunks[n-1].end = max(held.hunks[n-1].line+1, p.line+line-1)
		}
	}
	for i, f := range p.patch.Files {
		ends(f.Line)
		if f.Op != patch.UpdateFile || len(f.Hunks) == 0 {
			begin(heldHunk{file: i, hunk: -1}, f.Line)
			continue
		}
		for k, h := range f.Hunks {
			if k > 0 {
				ends(h.Line)
			}
			begin(heldHunk{file: i, hunk: k}, h.Line)
		}
	}
}

// at returns the index of the hunk on a line, from 0; -1 if there is none.
func (held *heldPatches) at(line int) int {
	for i, h := range held.hunks {
		if line >= h.line && line < h.end {
			return i
		}
	}
	return -1
}

// of returns the part of its patch that a hunk is of.
func (held *heldPatches) of(h heldHunk) patch.File {
	return held.patches[h.patch].patch.Files[h.file]
}

// hunksOf returns the indexes [from,to) of the hunks of a part.
func (held *heldPatches) hunksOf(nth, file int) (from, to int) {
	of := func(h heldHunk) bool { return h.patch == nth && h.file == file }
	from = max(0, slices.IndexFunc(held.hunks, of))
	for to = from; to < len(held.hunks) && of(held.hunks[to]); {
		to++
	}
	return from, to
}
