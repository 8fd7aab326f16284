package patch

import (
	"strings"

	"github.com/patchls/patchls/edits/diff"
)

// unifiedHunk reads the hunk whose header is next. What its counts say is the
// hunk, whatever it looks like; if they do not add up, what looks like it is.
func (r *patchReader) unifiedHunk(f *File) error {
	h := hunkReader{r: r, Hunk: Hunk{Line: r.at + 1}, ends: true}
	header := strings.TrimSuffix(r.next(), "\r")
	if strings.HasPrefix(header, "@@@") {
		return syntax(r.at, "%q is of the diff of a merge, which cannot be applied; send one against the text that is there", clip(header))
	}
	end := r.counted(h.header(header))
	if end < 0 {
		r.patch.note(noteCounts)
		for r.at < len(r.lines) && strings.HasPrefix(r.lines[r.at], "@@") {
			h.header(strings.TrimSuffix(r.next(), "\r"))
		}
		end = r.uncounted()
	}
	for ; r.at < end; r.at++ {
		if err := h.line(r.lines[r.at]); err != nil {
			return err
		}
	}
	h.finish(f)
	return nil
}

// counted returns the end of the body that is next, if it has as many lines as
// its header says and does not go on; otherwise -1.
func (r *patchReader) counted(at headerRange) int {
	olds, news := at.olds, at.news
	i := r.at
	for ; at.valid && i < len(r.lines) && max(olds, news) > 0; i++ {
		switch l := strings.TrimSuffix(r.lines[i], "\r"); {
		case l == "" || l[0] == ' ':
			olds, news = olds-1, news-1
		case l[0] == '-':
			olds--
		case l[0] == '+':
			news--
		case !strings.HasPrefix(l, `\ `):
			return -1
		}
	}
	if i < len(r.lines) && strings.HasPrefix(r.lines[i], `\ `) {
		i++
	}
	if !at.valid || olds != 0 || news != 0 || r.goesOn(i) {
		return -1
	}
	return i
}

// goesOn reports whether a hunk goes on at line i, where its counts say that it
// is over. Prose may follow, and lists in it; but a change that is down there is
// not left out because a count is wrong.
func (r *patchReader) goesOn(i int) bool {
	for first := i; i < len(r.lines) && !r.endsHunk(i); i++ {
		if l := r.lines[i]; isSigned(l) && (i == first || l[0] != ' ' && !isBullet(l)) && strings.Trim(l, "-\r") != "" {
			return true
		}
	}
	return false
}

// isBullet reports whether a line looks like one of a list.
func isBullet(l string) bool {
	return len(l) > 2 && l[1] == ' ' && !diff.IsBlank(l[2])
}

// endsHunk reports whether line i cannot be of the hunk above it, unless counts
// say so.
func (r *patchReader) endsHunk(i int) bool {
	l := r.lines[i]
	return strings.HasPrefix(l, "@@") || r.lines.fileBeginsAt(i) || r.lines.signatureAt(i) || r.closes(l) || isBinary(l)
}

// uncounted returns the end of the body that is next by what its lines look like.
func (r *patchReader) uncounted() int {
	end, changed := r.at, r.at // changed is after the last line with "-" or "+"
	for ; end < len(r.lines) && !r.endsHunk(end); end++ {
		if l := r.lines[end]; isSigned(l) && l[0] != ' ' {
			changed = end + 1
		}
	}
	for i := changed; i < end; i++ {
		if l := r.lines[i]; strings.TrimSuffix(l, "\r") != "" && !isSigned(l) && !strings.HasPrefix(l, `\ `) {
			return i
		}
	}
	return end
}

// signatureAt reports whether line i is what e-mail puts above a signature, and
// no deleted line "- ".
func (ls patchLines) signatureAt(i int) bool {
	return strings.TrimSuffix(ls[i], "\r") == "-- " && (i+1 == len(ls) || !isSigned(ls[i+1]))
}
