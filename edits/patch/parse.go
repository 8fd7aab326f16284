package patch

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lazy"
)

// Parse reads a patch in any of the dialects that agents write: "*** Begin
// Patch", unified diffs, SEARCH/REPLACE blocks and bare hunks that begin with
// "@@". The notes of the patch say what Parse skipped or tolerated.
func Parse(patch string) (Patch, error) {
	r := newReader(patch)
	for i := range r.lines {
		d := r.lines.dialectAt(i)
		if d == noDialect {
			continue
		}
		// The header of a unified diff shows whether the "\r" are those of the patch. A line with
		// "@@" does not: the text after it may be quoted from the file, with its line end.
		if d != unifiedDiff || strings.HasSuffix(r.lines[i], "\r") {
			for k, l := range r.lines {
				r.lines[k] = strings.TrimSuffix(l, "\r")
			}
		}
		if err := r.read(d, i); err != nil {
			return Patch{}, err
		}
		if r.other > 0 {
			return Patch{}, syntax(r.other, "%q begins a patch of another kind than the one above it; send each on its own", edits.Excerpt(r.lines[r.other-1]))
		}
		if r.cd > 0 {
			return Patch{}, syntax(r.cd, "%q names a folder that only the shell knows; send the patch alone, with names from the workspace folder", edits.Excerpt(r.lines[r.cd-1]))
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

// patchReader reads a patch line by line, each line once, so that the time is linear.
type patchReader struct {
	lines   patchLines
	at      int      // the next line, from 0
	closers []string // the lines that close what is open around the patch: code fences, the shell's here-documents
	cd      int      // the line, from 1, where a shell goes to a folder whose name is not known
	other   int      // the first line, from 1, of a patch of another kind that was skipped
	patch   Patch
}

// patchLines are the lines of a patch, without "\n".
type patchLines []string

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
		return r.searchReplace() // from the top, since the file's name is above
	}
	r.skipTo(i)
	switch d {
	case beginsPatch:
		return r.beginPatch()
	case unifiedDiff:
		if r.wellFormed() {
			return nil
		}
		return r.unifiedFiles()
	}
	return r.bareHunks()
}

// bareHunks reads hunks without the name of a file above them.
func (r *patchReader) bareHunks() error {
	f := File{Line: r.at + 1}
	end := r.until(len(r.lines), r.closes)
	if err := r.chunks(&f, end); err != nil {
		return err
	}
	if r.at < end {
		if m, _ := paddedMarkerOf(r.lines[r.at]); m != endPatch {
			return syntax(r.at+1, "%q stands below hunks that have no file", edits.Excerpt(r.lines[r.at]))
		}
	}
	if err := f.mustChange(); err != nil {
		return err
	}
	r.patch.Files = append(r.patch.Files, f)
	r.skipTo(len(r.lines))
	return nil
}

// mustChange returns an error for an update that changes nothing.
func (f File) mustChange() error {
	if f.Op != UpdateFile || f.NewPath != "" || len(f.Hunks) > 0 {
		return nil
	}
	if f.Path == "" {
		return syntax(f.Line, "no hunk changes a line")
	}
	return syntax(f.Line, "%s has no hunk that changes a line", edits.Printable(edits.Excerpt(f.Path)))
}

// note adds a note on how the patch was read, unless the patch has it already.
func (p *Patch) note(what string) {
	if !slices.Contains(p.Notes, what) {
		p.Notes = append(p.Notes, what)
	}
}

// The notes, one for each leniency.
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

// newReader returns a reader of the lines of a patch. Only "\n" ends a line; "\r" is a part of it.
func newReader(patch string) *patchReader {
	var r patchReader
	patch = strings.TrimPrefix(patch, text.BOM)
	if one := strings.TrimSpace(patch); !strings.Contains(one, "\n") && strings.Contains(one, `\n`) {
		patch = unescapeLine.Replace(one)
		r.patch.note(noteEscaped)
	}
	r.lines = strings.Split(strings.TrimSuffix(patch, "\n"), "\n")
	return &r
}

// unescapeLine undoes the escapes of JSON, for a text that was escaped once too often.
var unescapeLine = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r\n`, "\n", `\t`, "\t", `\"`, `"`)

// next returns the next line, and advances to the line after it.
func (r *patchReader) next() string {
	r.at++
	return r.lines[r.at-1]
}

// skip skips a line that is not part of the patch, but may open or close something around it.
func (r *patchReader) skip() {
	if d := r.lines.dialectAt(r.at); r.other == 0 && d != noDialect && d != bareHunks {
		r.other = r.at + 1
	}
	l := strings.TrimSpace(r.next())
	if l != "" && !strings.HasPrefix(l, "diff -") { // which diff -r prints above each file
		r.patch.note(noteAround)
	}
	if i := slices.Index(r.closers, l); i >= 0 {
		r.closers = r.closers[:i]
	} else if run := fenceRun(l); run != "" && len(r.closers) == 0 {
		r.closers = append(r.closers, run)
	} else if word := heredocWord(l); word != "" {
		if m := folder().FindStringSubmatch(l); m != nil {
			r.patch.Folder = strings.Trim(m[1], `'"`)
		} else if strings.HasPrefix(l, "cd ") && strings.Contains(l, "apply_patch") {
			r.cd = r.at
		}
		r.closers = append(r.closers, word)
	}
}

// skipTo skips the lines before to.
func (r *patchReader) skipTo(to int) {
	for r.at < to {
		r.skip()
	}
}

// closes reports whether a line closes, from its first column on, something around the patch.
func (r *patchReader) closes(l string) bool {
	return len(r.closers) > 0 && slices.Contains(r.closers, strings.TrimRight(l, " \t\r"))
}

// until returns the first line, from the next one on, for which is is true, or to if no line before to is.
func (r *patchReader) until(to int, is func(l string) bool) int {
	if i := slices.IndexFunc(r.lines[r.at:to], is); i >= 0 {
		return r.at + i
	}
	return to
}

// fenceRun returns the characters of a Markdown fence that a line begins with, else "".
func fenceRun(l string) string {
	if !strings.HasPrefix(l, "```") && !strings.HasPrefix(l, "~~~") {
		return ""
	}
	return l[:len(l)-len(strings.TrimLeft(l, l[:1]))]
}

// heredoc finds the word after the last "<<" of a line.
var heredoc = lazy.Regexp(`.*<<-?(?: *['"]([^'"]+)|(\w+))`)

// folder matches a cd before a command that takes a patch from a here-document, to a folder whose name the shell takes
// literally.
var folder = lazy.Regexp(`^\s*cd[ \t]+('[\pL\pN_./][^']*'|"[\pL\pN_./][\pL\pN_./+@=,: -]*"|[\pL\pN_./][\pL\pN_./+@=,:-]*)[ \t]*&&[ \t]*apply_patch\b`)

// heredocWord returns the word that ends the here-document which a line of shell
// begins, such as "apply_patch <<'EOF'"; "" if it begins none.
func heredocWord(l string) string {
	if !strings.Contains(l, "<<") {
		return ""
	}
	if m := heredoc().FindStringSubmatch(l); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// isWordByte reports whether a byte is a letter or digit of ASCII, or "_".
func isWordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}
