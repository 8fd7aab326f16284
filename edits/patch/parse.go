package patch

import (
	"slices"
	"strings"
)

// Parse reads a patch in any of the dialects that agents write: "*** Begin
// Patch", unified diffs, SEARCH/REPLACE blocks and bare hunks that begin with
// "@@". What it passes over on the way is in the notes.
func Parse(patch string) (Patch, error) {
	var r patchReader
	r.split(patch)
	for i := range r.lines {
		parse := r.dialect(i)
		if parse == nil {
			continue
		}
		if err := parse(); err != nil {
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

// patchReader reads a patch line by line. Whatever it does with a line it does
// once, or the time would not be linear.
type patchReader struct {
	lines   patchLines
	at      int    // the line that is next
	fence   string // the code fence that is open around the patch, "" if none
	heredoc string // the word that ends the shell's here-document around it, ""
	other   int    // the first line, from 1, of a patch of another kind that was skipped
	patch   Patch
}

// patchLines are the lines of a patch, without "\n".
type patchLines []string

// dialect returns what reads the patch if line i, and none above it, is a marker
// of a dialect.
func (r *patchReader) dialect(i int) func() error {
	l := r.lines[i]
	read := func(stripped bool, parse func() error) func() error {
		return func() error {
			if stripped {
				r.lines.stripCRs()
			}
			r.skipTo(i)
			return parse()
		}
	}
	switch {
	case beginsPatch(l):
		return read(true, r.beginPatch)
	case isSearchMarker(l):
		r.lines.stripCRs()
		return r.searchReplace // from the top: the file's name stands above
	case r.lines.fileBeginsAt(i):
		// The header tells whether its line ends are those of the patch. Not so
		// "@@": what follows it may be quoted from the file, with its line end.
		return read(strings.HasSuffix(l, "\r"), r.unified)
	case strings.HasPrefix(l, "@@"):
		return read(true, r.bareHunks)
	}
	return nil
}

// stripCRs takes one "\r" off the end of every line.
func (ls patchLines) stripCRs() {
	for i, l := range ls {
		ls[i] = strings.TrimSuffix(l, "\r")
	}
}

// bareHunks reads hunks that no file's name stands above.
func (r *patchReader) bareHunks() error {
	f := File{Line: r.at + 1}
	end := r.closing(r.at, len(r.lines))
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

// clip shortens a line that a message quotes.
func clip(l string) string {
	const enough = 100
	if len(l) <= enough {
		return l
	}
	return strings.ToValidUTF8(l[:enough], "") + "…"
}
