package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/go-diff/diff"
)

// wellFormed reads the unified diff that is next with go-diff, and reports whether it could.
// go-diff trusts no counts, and swallows lines that it does not know. So each line that it
// has read must be the one that was sent, up to the last; else nothing is read.
func (r *patchReader) wellFormed() bool {
	if slices.Contains(r.lines[r.at:], "") {
		return false // no line of a diff is empty, so the others need not be read
	}
	sent := strings.NewReader(strings.Join(r.lines[r.at:], "\n"))
	files, err := diff.NewMultiFileDiffReaderOptions(sent, diff.ParseOptions{KeepCR: true}).ReadAllFiles()
	if err != nil {
		return false
	}
	copied := *r
	s := strictReader{&copied}
	for _, d := range files {
		if !s.file(d) {
			return false
		}
	}
	if s.at < len(s.lines) {
		return false
	}
	*r = copied
	return true
}

// strictReader adds what go-diff has read, as long as that is what was sent.
type strictReader struct{ *patchReader }

// file adds a file that go-diff has read, if its lines are those that are next.
func (r strictReader) file(d *diff.FileDiff) bool {
	u := unifiedHeader{line: r.at + 1}
	for _, l := range d.Extended {
		if is, err := u.extended(strings.TrimSuffix(l, "\r"), r.at+1); !is || err != nil || !u.git || r.next() != l {
			return false
		}
	}
	if len(d.Hunks) > 0 {
		u.old, u.put = d.OrigName, d.NewName
		if !isHeaderLine(r.next(), "--- ", u.old) || !isHeaderLine(r.next(), "+++ ", u.put) {
			return false
		}
	}
	f, err := u.filePatch()
	if err != nil {
		return false
	}
	if u.modes {
		r.patch.note(noteModes)
	}
	f.Hunks = slices.Grow(f.Hunks, len(d.Hunks))
	for _, h := range d.Hunks {
		if !r.hunk(&f, h) {
			return false
		}
	}
	return r.finishFile(f, u.modes) == nil
}

// isHeaderLine reports whether l is the sign and the name, and perhaps a time.
func isHeaderLine(l, sign, name string) bool {
	rest, is := strings.CutPrefix(l, sign+name)
	return is && name != "" && name == strings.TrimSpace(name) && (rest == "" || rest[0] == '\t')
}

// hunk adds a hunk that go-diff has read, if its lines are those that are next,
// are as many as its header says, and change something.
func (r strictReader) hunk(f *File, d *diff.Hunk) bool {
	h := hunkReader{r: r.patchReader, Hunk: Hunk{Line: r.at + 1}}
	if !hasRanges(r.next(), d) {
		return false
	}
	h.number(headerRange{true, int(d.OrigStartLine), int(d.OrigLines), int(d.NewLines)})
	olds, news := d.OrigLines, d.NewLines
	body := string(d.Body)
	for at := 0; at < len(body); {
		l, _, ended := strings.Cut(body[at:], "\n")
		at += len(l) + 1
		if !isSigned(l) || r.next() != l {
			return false
		}
		kind := LineKind(l[0])
		if kind != AddedLine {
			olds--
		}
		if kind != DeletedLine {
			news--
		}
		content, cr := strings.CutSuffix(l[1:], "\r")
		if h.add(Line{Kind: kind, Text: content, CR: cr}) != nil {
			return false
		}
		open := at == int(d.OrigNoNewlineAt) || !ended
		if open && (r.next() != `\ No newline at end of file` || h.noLineEnd() != nil) {
			return false
		}
	}
	h.finish(f)
	return h.changes && olds == 0 && news == 0
}

// hasRanges reports whether the line l begins with the ranges of d, each with its count or,
// if that is 1, without.
func hasRanges(l string, d *diff.Hunk) bool {
	short := func(ranges string) string { return strings.ReplaceAll(ranges, ",1 ", " ") }
	printed := fmt.Sprintf(" -%d,%d +%d,%d ", d.OrigStartLine, d.OrigLines, d.NewStartLine, d.NewLines)
	parts := strings.SplitN(l, "@@", 3)
	return len(parts) == 3 && parts[0] == "" && short(parts[1]) == short(printed) && min(d.OrigStartLine, d.NewStartLine) >= 0
}

// next returns the line that is next and goes on to the one after it; "" if there is none.
func (r strictReader) next() string {
	if r.at == len(r.lines) {
		return ""
	}
	r.at++
	return r.lines[r.at-1]
}
