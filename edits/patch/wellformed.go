package patch

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sourcegraph/go-diff/diff"
)

// wellFormed reads the unified diff that is next with go-diff, and reports whether it could.
// go-diff trusts no counts, and swallows lines that it does not know. So what it has read
// must add up, and be printed as it was sent; else nothing is read.
func (r *patchReader) wellFormed() bool {
	if slices.Contains(r.lines[r.at:], "") {
		return false // no line of a diff is empty, so the others need not be read
	}
	sent := strings.Join(r.lines[r.at:], "\n") + "\n"
	files, err := diff.NewMultiFileDiffReaderOptions(strings.NewReader(sent), diff.ParseOptions{KeepCR: true}).ReadAllFiles()
	if err != nil {
		return false
	}
	printed, err := diff.PrintMultiFileDiff(files)
	if err != nil || oneLine.ReplaceAllString(string(printed), "$1$2") != oneLine.ReplaceAllString(sent, "$1$2") {
		return false
	}
	read := *r
	for _, d := range files {
		if !read.wellFormedFile(d) {
			return false
		}
	}
	*r = read
	return true
}

// oneLine finds the ranges of one line in the header of a hunk, which may have no count.
var oneLine = regexp.MustCompile(`(?m)^(@@ -\d+)(?:,1)?( \+\d+)(?:,1)? @@`)

// wellFormedFile adds the file that is next as go-diff has read it, unless it does not add up.
func (r *patchReader) wellFormedFile(d *diff.FileDiff) bool {
	u := unifiedHeader{line: r.at + 1}
	for _, l := range d.Extended {
		if is, err := u.extended(strings.TrimSuffix(l, "\r"), r.at+1); !is || err != nil || !u.git {
			return false
		}
		r.at++
	}
	if len(d.Hunks) > 0 {
		u.old, u.put = d.OrigName, d.NewName
		r.at += 2
	}
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
func (r *patchReader) wellFormedHunk(f *File, d *diff.Hunk) bool {
	h := hunkReader{r: r, Hunk: Hunk{Line: r.at + 1}, ends: true}
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
