package patch

import "strings"

// beginPatch reads "*** Begin Patch", which is next, or its first file if that
// line is missing, and all that follow.
func (r *patchReader) beginPatch() error {
	for first := true; r.at < len(r.lines); first = false {
		m, _ := paddedMarkerOf(r.lines[r.at])
		if m != beginPatch && !first {
			r.skip()
			continue
		}
		if m == beginPatch {
			r.at++
		} else {
			r.patch.note(noteNoBegin)
		}
		if err := r.files(r.endOfPatch()); err != nil {
			return err
		}
	}
	return nil
}

// endOfPatch returns the line that ends the patch which begins at the next one.
// "*** End Patch" with blanks in front is that only as the last line of all: it
// may be the context of a hunk.
func (r *patchReader) endOfPatch() int {
	limit := r.at
	for ; limit < len(r.lines); limit++ {
		m, _ := markerOf(r.lines[limit])
		if m == endPatch {
			return limit
		}
		if m == beginPatch {
			break
		}
	}
	limit = r.closing(r.at, limit)
	last := limit - 1
	for last > r.at && strings.TrimSpace(r.lines[last]) == "" {
		last--
	}
	if last < r.at || strings.TrimSpace(r.lines[last]) == "" {
		return limit // nothing has begun that would have to end
	}
	if m, _ := paddedMarkerOf(r.lines[last]); m == endPatch {
		return last
	}
	r.patch.note(noteNoEnd)
	return limit
}

// files reads the files of a patch up to the line end, and the marker there.
func (r *patchReader) files(end int) error {
	for r.at < end {
		l := r.lines[r.at]
		r.at++
		m, path := paddedMarkerOf(l)
		f := File{Path: path, OtherPath: bareName(path), Line: r.at}
		var err error
		switch {
		case m == endPatch:
			return nil
		case m == environment || strings.TrimSpace(l) == "":
			continue
		case m != updateFile && m != addFile && m != deleteFile:
			return syntax(r.at, "%q is no header of a file; %s", clip(l), validHeaders)
		case path == "":
			return syntax(r.at, "%q must name a file", clip(l))
		case m == updateFile:
			err = r.update(&f, end)
		case m == addFile:
			f.Op, f.OtherPath = AddFile, ""
			err = r.added(&f, end)
		case m == deleteFile:
			f.Op = DeleteFile
		}
		if err != nil {
			return err
		}
		r.patch.Files = append(r.patch.Files, f)
	}
	if r.at < len(r.lines) {
		if m, _ := paddedMarkerOf(r.lines[r.at]); m == endPatch {
			r.at++
		}
	}
	return nil
}

// update reads what stands below "*** Update File".
func (r *patchReader) update(f *File, end int) error {
	for ; r.at < end; r.at++ {
		l := r.lines[r.at]
		m, path := paddedMarkerOf(l)
		switch {
		case m == moveTo && path == "":
			return syntax(r.at+1, "%q must name a file", clip(l))
		case m == moveTo:
			f.NewPath = path
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
		f.NewPath = ""
	}
	if err := r.chunks(f, end); err != nil {
		return err
	}
	return f.mustChange()
}
