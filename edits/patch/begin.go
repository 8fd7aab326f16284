package patch

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lazy"
)

// marker is the start of a header line in "*** Begin Patch"; its argument follows.
type marker string

const (
	noMarker      marker = ""
	beginPatch    marker = "*** Begin Patch"
	endPatch      marker = "*** End Patch"
	updateFile    marker = "*** Update File:"
	addFile       marker = "*** Add File:"
	deleteFile    marker = "*** Delete File:"
	moveTo        marker = "*** Move to:"
	endOfFile     marker = "*** End of File"
	environment   marker = "*** Environment ID:"
	unknownMarker marker = "*** "
)

// markerOf returns the marker at the first column of a line, and its argument.
// Words after "*** " count as a marker even if it is unknown.
func markerOf(l string) (marker, string) {
	if !strings.HasPrefix(l, string(unknownMarker)) {
		return noMarker, ""
	}
	for _, m := range []marker{beginPatch, endPatch, updateFile, addFile, deleteFile, moveTo, endOfFile, environment} {
		if rest, is := strings.CutPrefix(l, string(m)); is {
			return m, strings.TrimSpace(rest)
		}
	}
	return marker(unknownWord().FindString(l)), ""
}

// unknownWord finds unknownMarker if a word follows.
var unknownWord = lazy.Regexp(`^\*{3} \b`)

// paddedMarkerOf is markerOf for a line that may have blanks in front.
func paddedMarkerOf(l string) (marker, string) {
	return markerOf(strings.TrimLeft(l, " \t"))
}

// isPaddedMarker reports whether a line is a marker; a known one may have blanks in front.
func isPaddedMarker(l string) bool {
	m, _ := paddedMarkerOf(l)
	return m != noMarker && (m != unknownMarker || l[0] == '*')
}

// contextReader reads "*** Begin Patch", and hunks alone.
type contextReader struct{ *cursor }

// patches reads the patch that begins at the next line, with "*** Begin Patch"
// or, if that is missing, with its first file. It also reads all later patches.
func (r contextReader) patches() error {
	for first := true; r.at < len(r.lines); first = false {
		m, rest := paddedMarkerOf(r.lines[r.at])
		switch {
		case m == endPatch: // files stopped at it
			r.at++
			r.shell(r.at, rest)
			continue
		case m == beginPatch:
			r.at++
		case first:
			r.patch.note(noteNoBegin)
		default:
			r.skip()
			continue
		}
		if err := r.files(r.endOfPatch(m == beginPatch || r.at > 0 && strings.Contains(r.lines[r.at-1], string(beginPatch)))); err != nil {
			return err
		}
	}
	return nil
}

// endOfPatch returns the line that ends the patch which begins at the next line. "*** End Patch" with blanks in front ends
// it only as the last line; elsewhere it may be context of a hunk. It may be missing, but not at the end of the input of a
// patch that has begun with "*** Begin Patch": that is how a patch looks that was cut off.
func (r contextReader) endOfPatch(begun bool) int {
	limit := r.until(len(r.lines), func(l string) bool { return isMarked(l, beginPatch) || isMarked(l, endPatch) })
	if limit < len(r.lines) && isMarked(r.lines[limit], endPatch) {
		return limit
	}
	limit = r.until(limit, r.closes)
	last := limit - 1
	for last >= r.at && strings.TrimSpace(r.lines[last]) == "" {
		last--
	}
	if last < r.at {
		return limit // nothing has begun, so no end is missing
	}
	if m, _ := paddedMarkerOf(r.lines[last]); m == endPatch {
		return last
	}
	if begun && limit == len(r.lines) {
		r.fault = syntax(last+1, `the patch ends here without "*** End Patch", so it may have been cut off; send it whole`)
	}
	r.patch.note(noteNoEnd)
	return limit
}

// files reads the files of a patch up to the line end.
func (r contextReader) files(end int) error {
	for r.at < end {
		l := r.next()
		m, path := paddedMarkerOf(l)
		f := named(path, r.at)
		var err error
		switch {
		case m == endPatch:
			return nil
		case m == environment:
			r.patch.note(noteHere)
			continue
		case strings.TrimSpace(l) == "":
			continue
		case m != updateFile && m != addFile && m != deleteFile:
			return syntax(r.at, `%q is no header of a file; valid are "*** Update File: path", "*** Add File: path", "*** Delete File: path", "*** Move to: path" below an update, "*** End of File" below a hunk, and "*** End Patch"`, edits.Excerpt(l))
		case path == "":
			return syntax(r.at, "%q must name a file", edits.Excerpt(l))
		case m == updateFile:
			err = r.update(&f, end)
		case m == addFile:
			f.Op = AddFile
			err = r.added(&f, end)
		case m == deleteFile:
			f.Op = DeleteFile
		}
		if err != nil {
			return err
		}
		r.patch.Files = append(r.patch.Files, f)
	}
	return nil
}

// update reads the lines below "*** Update File".
func (r contextReader) update(f *File, end int) error {
	for ; r.at < end; r.at++ {
		l := r.lines[r.at]
		m, path := paddedMarkerOf(l)
		switch {
		case m == moveTo && path == "":
			return syntax(r.at+1, "%q must name a file", edits.Excerpt(l))
		case m == moveTo:
			f.NewPath, f.NewRaw = bareName(path), path
			continue
		case r.lines.namesAt(r.at) && r.at+1 < end:
			r.patch.note(noteDiffNames)
			r.at++
			continue
		case l == "":
			continue
		}
		break
	}
	if f.NewPath == f.Path {
		f.NewPath, f.NewRaw = "", ""
	}
	if err := r.chunks(f, end); err != nil {
		return err
	}
	return f.mustChange()
}

// chunks reads the hunks of an update, up to the line to or the next marker. Each
// hunk begins with "@@" lines, which the first one may lack.
func (r contextReader) chunks(f *File, to int) error {
	isHeader := func() bool { return strings.HasPrefix(r.lines[r.at], "@@") }
	for r.at < to {
		l := r.lines[r.at]
		if l == "" {
			r.at++ // the layout of the patch
			continue
		}
		m, _ := markerOf(l)
		if m == endOfFile {
			return syntax(r.at+1, "%q has no hunk above it", l)
		}
		if isPaddedMarker(l) {
			break
		}
		h := hunkReader{c: r.cursor, Hunk: Hunk{Line: r.at + 1}}
		for r.at < to && (isHeader() || r.lines[r.at] == "") {
			if l = r.next(); l == "" {
				continue
			}
			if at := h.header(l); f.Path == "" { // no "*** End Patch" shows where the hunk ends
				unifiedReader(r).counted(at)
			}
		}
		for ; r.at < to && !isHeader(); r.at++ {
			if m, _ = markerOf(r.lines[r.at]); m != noMarker {
				break
			}
			if err := h.line(r.lines[r.at]); err != nil {
				return err
			}
		}
		if r.at < to && m == endOfFile {
			h.AtEnd = true
			r.at++
		}
		h.finish(f)
	}
	return nil
}

// added reads the lines below "*** Add File".
func (r contextReader) added(f *File, end int) error {
	next := r.until(end, isPaddedMarker)
	body := r.lines[r.at:next]
	for ; len(body) > 0 && body[0] == ""; body = body[1:] {
		r.at++
	}
	for len(body) > 0 && body[len(body)-1] == "" {
		body = body[:len(body)-1]
	}
	h := hunkReader{c: r.cursor, Hunk: Hunk{Line: r.at}}
	filled := slices.DeleteFunc(slices.Clone(body), func(l string) bool { return strings.TrimSpace(l) == "" })
	signed := slices.DeleteFunc(slices.Clone(filled), func(l string) bool { return !strings.HasPrefix(strings.TrimSpace(l), "+") })
	if len(body) > 0 && !strings.HasPrefix(body[0], "+") && 4*len(signed) < len(filled) { // code may have a few such lines
		if i := slices.IndexFunc(body, IsSyntax); i >= 0 {
			return syntax(r.at+1+i, `%q must begin with "+", as every line of a new file does`, edits.Excerpt(body[i]))
		}
		r.at = next
		r.patch.note(noteNoPlus)
		f.Content = strings.Join(body, "\n") + "\n"
		return nil
	}
	for _, l := range body {
		if err := h.line(l); err != nil {
			return err
		}
		r.at++
	}
	r.at = next
	f.Hunks = []Hunk{h.Hunk}
	return r.content(f)
}

// bareHunks reads hunks without the name of a file above them.
func (r contextReader) bareHunks() error {
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
