package patch

import (
	"regexp"
	"slices"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// ReadTwice reads a unified diff that begins with a header, with go-diff and with the reader of this package. ok
// says whether go-diff can read it; if not, theirs is empty.
func ReadTwice(written string) (theirs Patch, ok bool, ours Patch, err error) {
	s, t := unifiedReader{newCursor(written)}, unifiedReader{newCursor(written)}
	ok = s.wellFormed()
	err = t.files()
	for _, f := range t.patch.Files {
		for i := range f.Hunks {
			f.Hunks[i].Counted = false // go-diff does not say
		}
	}
	return s.patch, ok, t.patch, err
}

// wellFormed reads the next unified diff with go-diff, and reports whether it could. go-diff
// does not rely on counts, and drops lines that it does not know. So the files that it has
// read must add up, and must print as they were sent; otherwise nothing is read.
func (r unifiedReader) wellFormed() bool {
	if slices.Contains(r.lines[r.at:], "") {
		return false // no line of a diff is empty, so the others need not be read
	}
	sent := strings.Join(r.lines[r.at:], "\n") + "\n"
	files, err := godiff.NewMultiFileDiffReaderOptions(strings.NewReader(sent), godiff.ParseOptions{KeepCR: true}).ReadAllFiles()
	if err != nil {
		return false
	}
	printed, err := godiff.PrintMultiFileDiff(files)
	if err != nil || string(printed) != sent && oneLine.ReplaceAllString(string(printed), "$1$2") != oneLine.ReplaceAllString(sent, "$1$2") {
		return false
	}
	read := *r.cursor
	for _, d := range files {
		if !(unifiedReader{&read}).wellFormedFile(d) {
			return false
		}
	}
	*r.cursor = read
	return true
}

// oneLine finds the ranges of one line in the header of a hunk, which may have no count.
var oneLine = regexp.MustCompile(`(?m)^(@@ -\d+)(?:,1)?( \+\d+)(?:,1)? @@`)

// wellFormedFile adds the next file as go-diff has read it, or returns false if it does not add up.
func (r unifiedReader) wellFormedFile(d *godiff.FileDiff) bool {
	u := unifiedHeader{File: File{Line: r.at + 1}}
	for _, l := range d.Extended {
		if is, err := u.extended(strings.TrimSuffix(l, "\r"), r.at+1); !is || err != nil || !u.git {
			return false
		}
		r.at++
	}
	if len(d.Hunks) > 0 {
		u.old, u.put, u.sentOld, u.sentPut = d.OrigName, d.NewName, d.OrigName, d.NewName
		r.at += 2
	}
	r.patch.Git = r.patch.Git || u.git
	f, err := u.filePatch()
	if err != nil {
		return false
	}
	f.Hunks = slices.Grow(f.Hunks, len(d.Hunks))
	for _, h := range d.Hunks {
		if !r.wellFormedHunk(&f, h) {
			return false
		}
	}
	return r.finishFile(f, u.modes) == nil
}

// wellFormedHunk adds a hunk as go-diff has read it, if it has as many lines as its header
// says, and changes something.
func (r unifiedReader) wellFormedHunk(f *File, d *godiff.Hunk) bool {
	h := hunkReader{c: r.cursor, Hunk: Hunk{Line: r.at + 1, Ends: true}}
	h.number(headerRange{true, int(d.OrigStartLine), int(d.OrigLines), int(d.NewLines)})
	r.at++
	read := 0
	for row := range strings.Lines(string(d.Body)) {
		read += len(row)
		l, ended := strings.CutSuffix(row, "\n")
		if !isSigned(l) || h.line(l) != nil {
			return false
		}
		r.at++
		if !ended || read == int(d.OrigNoNewlineAt) {
			if h.noLineEnd() != nil {
				return false
			}
			r.at++
		}
	}
	return min(d.OrigStartLine, d.NewStartLine) >= 0 && len(h.Old()) == int(d.OrigLines) && len(h.New()) == int(d.NewLines) && h.finish(f)
}
