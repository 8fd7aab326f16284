package patch

import (
	"slices"
	"strings"
)

// Parse reads a patch in any of the dialects that agents write: "*** Begin
// Patch", unified diffs, SEARCH/REPLACE blocks and bare hunks that begin with
// "@@". What it passes over on the way is in the notes.
func Parse(patch string) (Patch, error) {
	r := newReader(patch)
	for i := range r.lines {
		d := r.lines.dialectAt(i)
		if d == noDialect {
			continue
		}
		// The header of a unified diff tells whether its line ends are those of the patch. Not
		// so "@@": what follows it may be quoted from the file, with its line end.
		if d != unifiedDiff || strings.HasSuffix(r.lines[i], "\r") {
			r.lines.stripCRs()
		}
		if err := r.read(d, i); err != nil {
			return Patch{}, err
		}
		if r.other > 0 {
			return Patch{}, syntax(r.other, "%q begins a patch of another kind than the one above it; send each on its own", clip(r.lines[r.other-1]))
		}
		if len(r.patch.Files) == 0 {
			return Patch{}, syntax(len(r.lines), "the patch changes no text")
		}
		return r.patch, nil
	}
	return Patch{}, syntax(1, `this is no patch: it must hold "*** Begin Patch", "<<<<<<< SEARCH", the header of a unified diff ("--- a/x" and "+++ b/x") or hunks that begin with "@@"`)
}

// dialect is a way to write patches.
type dialect int

const (
	noDialect dialect = iota
	beginsPatch
	searchReplace
	unifiedDiff
	bareHunks
)

// dialectAt returns the dialect that line i is a marker of.
func (ls patchLines) dialectAt(i int) dialect {
	l := ls[i]
	switch m, _ := paddedMarkerOf(l); {
	case m == beginPatch || m == updateFile || m == addFile || m == deleteFile:
		return beginsPatch
	case isSearchMarker(l):
		return searchReplace
	case ls.fileBeginsAt(i):
		return unifiedDiff
	case strings.HasPrefix(l, "@@"):
		return bareHunks
	}
	return noDialect
}

// read reads a patch in a dialect, the first marker of which is line i.
func (r *patchReader) read(d dialect, i int) error {
	if d == searchReplace {
		return r.searchReplace() // from the top: the file's name stands above
	}
	r.skipTo(i)
	switch d {
	case beginsPatch:
		return r.beginPatch()
	case unifiedDiff:
		return r.unified()
	}
	return r.bareHunks()
}

// bareHunks reads hunks that no file's name stands above.
func (r *patchReader) bareHunks() error {
	f := File{Line: r.at + 1}
	end := r.closing(len(r.lines))
	if err := r.chunks(&f, end); err != nil {
		return err
	}
	if r.at < end {
		if m, _ := paddedMarkerOf(r.lines[r.at]); m != endPatch {
			return syntax(r.at+1, "%q stands below hunks that have no file", clip(r.lines[r.at]))
		}
	}
	if err := f.mustChange(); err != nil {
		return err
	}
	r.patch.Files = append(r.patch.Files, f)
	r.skipTo(len(r.lines))
	return nil
}

// mustChange reports an update that has nothing to do.
func (f File) mustChange() error {
	if f.Op != UpdateFile || f.NewPath != "" || len(f.Hunks) > 0 {
		return nil
	}
	if f.Path == "" {
		return syntax(f.Line, "no hunk changes a line")
	}
	return syntax(f.Line, "%s has no hunk that changes a line", clip(f.Path))
}

// note says once what it took to read the patch.
func (p *Patch) note(text string) {
	if !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}

// The leniencies.
const (
	noteAround     = "Text around the patch was skipped."
	noteEscaped    = `The patch came in one line, whose \n were read as line breaks.`
	noteNoBegin    = `"*** Begin Patch" was missing.`
	noteNoEnd      = `"*** End Patch" was missing.`
	noteDiffNames  = `The "---" and "+++" lines below "*** Update File" were skipped.`
	noteNoPlus     = `The lines of a new file were taken as they are, since none of them begins with "+".`
	noteEmptyAdded = `Empty lines between the "+" lines of a new file were added as well.`
	noteNoSign     = `Lines that do not begin with " ", "-" or "+" were read as context.`
	noteNoChange   = "A hunk that changes no line was left out."
	noteElided     = `"@@ ... @@" names no place and was read as "@@".`
	noteNumbers    = "Line numbers that cannot be were passed over."
	noteCounts     = "A hunk's header has none or other line counts than the hunk; the lines that are there were taken."
	noteModes      = "File modes are not changed."
	noteMarkers    = `Markers of SEARCH/REPLACE blocks were read though they are not spelt "<<<<<<< SEARCH", "=======" and ">>>>>>> REPLACE".`
	noteNoReplace  = `A block that ends in "=======" was read as if it ended in ">>>>>>> REPLACE".`
)
