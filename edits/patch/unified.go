package patch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lazy"
)

// gitHeader begins the header of a file in a diff of git.
const gitHeader = "diff --git "

// otherHeaders are the beginnings of header lines that say nothing about the text.
var otherHeaders = []string{"dissimilarity index ", "===", "diff -", "RCS file: ", "retrieving revision "}

// unifiedHeader is the header above the hunks of a file.
type unifiedHeader struct {
	File                        // the part below the header, as far as a line of it says more than a name
	old, put             string // of "---" and "+++", or of "Index:"
	sentOld, sentPut     string // the same, with marks and times
	index                string // of "Index:", "" if there is none
	git                  bool   // there is a "diff --git" line
	gitOld, gitNew       string // the names in that line, "" if they are unclear
	gitNames             string // both
	renameFrom, renameTo string // also of a copy
	copies               bool
	isNew, isDeleted     bool
	hasHunks             bool // there is a new text, so hunks must follow
	modes                bool // the mode changes
	isContext            bool // it is that of a context diff
}

// unifiedReader reads unified diffs, and context diffs, which differ only in their hunks.
type unifiedReader struct{ *cursor }

// files reads a unified diff whose first header is next. It accepts diffs that other readers
// reject: in prose, with wrong or missing counts, with lines that have no sign.
func (r unifiedReader) files() error {
	for r.at < len(r.lines) {
		u, err := r.header()
		if err != nil {
			return err
		}
		r.patch.Git = r.patch.Git || u.git
		f, err := u.filePatch()
		if err != nil {
			return err
		}
		between := 0 // the line, from 1, of the first text between the hunks
		for r.at < len(r.lines) && !r.lines.fileBeginsAt(r.at) {
			if err := r.lines.refused(r.at, false); err != nil {
				return err
			}
			l := r.lines[r.at]
			switch isHunk := strings.HasPrefix(l, "@@") || u.isContext && hunkLine().MatchString(l); {
			case isHunk && between > 0:
				err = syntax(between, "%q stands above a hunk, which may be of another file, or lacks its \"@@\"; send the hunks of a file without text between them, below its names", edits.Excerpt(r.lines[between-1]))
			case isHunk && l[0] == '@':
				err = r.hunk(&f)
			case isHunk:
				err = r.contextHunk(&f)
			case cutHeader().MatchString(l) && strings.TrimSpace(strings.Join(r.lines[r.at+1:], "")) == "":
				err = syntax(r.at+1, "the patch ends here, in the header of a file, so it may have been cut off; send it whole")
			default:
				if between == 0 && strings.TrimSpace(l) != "" && fenceRun(l) == "" {
					between = r.at + 1
				}
				r.skip()
			}
			if err != nil {
				return err
			}
		}
		if len(f.Hunks) == 0 && (u.hasHunks || f.Op == AddFile && f.CopyOf == "" && !u.IsEmpty && r.at == len(r.lines)) {
			return syntax(r.at, "no hunk follows the header of a text that is new or changes, so the patch may have been cut off; send it whole, or \"index 0000000..e69de29\" in the header of an empty file")
		}
		if err := r.finishFile(f, u.modes); err != nil {
			return err
		}
	}
	if last := strings.TrimSpace(r.lines[len(r.lines)-1]); slices.ContainsFunc(r.closers, func(end string) bool { return last != end && strings.HasSuffix(last, end) }) {
		r.fault = cmp.Or(r.fault, error(syntax(len(r.lines), "%q ends in what closes the text around the patch, which belongs on a line of its own", edits.Excerpt(last))))
	}
	r.exchange()
	return nil
}

// exchange turns the renamings of a circle, such as a to b and b to a, into changes of text: each file keeps its name, and gets
// the text of the file that was to have that name. It looks for circles of up to 100 files, so that the time is linear.
func (r unifiedReader) exchange() {
	renamed := map[string]string{}
	for _, f := range r.patch.Files {
		renamed[f.Path] = f.NewPath
	}
	for i := range r.patch.Files {
		f := &r.patch.Files[i]
		to := f.NewPath
		for n := 0; n < 100 && to != "" && to != f.Path; n++ {
			to = renamed[to]
		}
		if to != "" && to == f.Path {
			f.Path, f.NewPath, f.CopyOf = f.NewPath, "", f.Path
			f.Readings = [][]Reading{{{Name: f.Path}}}
			r.patch.note(noteCircle)
		}
	}
}

// header reads the header of a file, which is next.
func (r unifiedReader) header() (unifiedHeader, error) {
	u := unifiedHeader{File: File{Line: r.at + 1}}
	for ; r.at < len(r.lines); r.at++ {
		l := strings.TrimSuffix(r.lines[r.at], "\r")
		switch index := r.lines.indexAt(r.at); {
		case r.lines.namesAt(r.at), r.lines.contextNamesAt(r.at):
			u.isContext = l[0] == '*'
			below := strings.TrimSuffix(r.lines[r.at+1], "\r")
			u.old, u.sentOld = headerName(l)
			u.put, u.sentPut = headerName(below)
			r.at += 2
			last := r.until(len(r.lines), func(l string) bool { return !u.isContext || newRange().MatchString(l) })
			switch ranges := strings.Join(r.lines[r.at:min(last+1, len(r.lines))], "\n"); { // of the first hunk
			case absent().MatchString(l) && noOldLines().MatchString(ranges):
				u.Tree, u.old = treeOf(u.put, u.old), noFile
			case absent().MatchString(below) && noNewLines().MatchString(ranges):
				u.Tree, u.put = treeOf(u.old, u.put), noFile
			}
			return u, nil
		case index && r.at >= u.Line, strings.HasPrefix(l, gitHeader) && u.git:
			return u, nil // the header of the next file begins
		case index:
			u.old, u.sentOld = headerName(l[len("Index: ")-len("--- "):])
			u.put, u.sentPut, u.index = u.old, u.sentOld, u.old
			continue
		}
		if is, err := u.extended(l, r.at+1); !is || err != nil {
			return u, err
		}
	}
	return u, nil
}

// extended reads l, which is the given line of the patch, if it is a header line other than the
// names, and reports whether it is.
func (u *unifiedHeader) extended(l string, line int) (bool, error) {
	var value string
	has := func(key string) (is bool) {
		value, is = strings.CutPrefix(l, key)
		return is
	}
	if m := modeLine().FindStringSubmatch(l); len(m) > 0 && !strings.HasPrefix(m[1], "100") {
		return false, syntax(line, "%q: only texts can be patched, and no symbolic links and submodules", edits.Excerpt(l))
	}
	switch {
	case has(gitHeader):
		u.git, u.gitNames = true, value
		u.gitOld, u.gitNew = gitNames(value)
	case has("rename from "), has("copy from "):
		u.renameFrom, u.copies = unquote(value), strings.HasPrefix(l, "copy ")
	case has("rename to "), has("copy to "):
		u.renameTo = unquote(value)
		if u.git && u.gitOld == "" && !strings.HasSuffix(u.gitNames, strings.TrimPrefix(value, `"`)) {
			return false, syntax(line, "%q is not the new name in the line \"diff --git\" above, so it may have been cut off; send it whole", edits.Excerpt(l))
		}
	case has("new file mode "):
		u.isNew, u.modes = true, u.modes || value != "100644"
	case has("deleted file mode "):
		u.isDeleted = true
	case has("index "):
		blobs, _, _ := strings.Cut(value, " ")
		old, put, _ := strings.Cut(blobs, "..")
		u.HasBlobs, u.WasEmpty, u.IsEmpty = true, emptyBlob().MatchString(old), emptyBlob().MatchString(put)
		u.hasHunks = u.hasHunks || !u.IsEmpty && strings.Trim(put, "0") != ""
	case has("similarity index "):
		u.hasHunks = u.hasHunks || value != "100%"
	case has("old mode "), has("new mode "):
		u.modes = true
	default:
		return slices.ContainsFunc(otherHeaders, has), nil
	}
	return true, nil
}

// absent finds what diff and svn write after the name of a file that is not there, or others for the name. A time zone may
// move the first time of all.
var absent = lazy.Regexp(`\s((1970-01-01|1969-12-31)[ T]\d\d:\d\d:00(\.0+)?( ?[-+]\d\d:?\d\d|Z)?|(Thu Jan [ 0]?1|Wed Dec 31) \d\d:\d\d:00 (1970|1969)|\((revision 0|nonexistent)\))\s*$|^\S+ (NUL|nul|dev/null|None|\(?empty( file)?\)?)\s*$`)

// cutHeader finds what may be the last line of a patch that was cut off in the header of a file.
var cutHeader = lazy.Regexp(`^(diff --?(g|$)|(Index: |diff -|--- |\+\+\+ )[^\s*-]|\*{3} ([^\s*E-]|E[^n])|\*{1,3}$|d(if?)?$|@$)`)

// emptyBlob finds the names that git gives to the empty text.
var emptyBlob = lazy.Regexp(`^(e69de29|473a0f4)`)

// modeLine finds the lines of a header that name a mode.
var modeLine = lazy.Regexp(`^(?:new file mode|deleted file mode|old mode|new mode|index \S+) (\S+)$`)

// finishFile adds f after all of its hunks are read. modes says that its mode changes.
func (r unifiedReader) finishFile(f File, modes bool) error {
	if modes {
		r.patch.note(noteModes)
	}
	// If no line has a "\r", the line ends of the patch may have been converted on its way.
	ends := slices.ContainsFunc(f.Hunks, func(h Hunk) bool { return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.CR }) })
	for i := range f.Hunks {
		f.Hunks[i].Ends, f.Hunks[i].Whole = ends, f.WasEmpty && len(f.Hunks[i].Old()) == 0
	}
	f.WasEmpty = f.WasEmpty || f.Op == DeleteFile && len(f.Hunks) == 0
	var err error
	switch {
	case f.Op == AddFile && f.CopyOf == "":
		err = r.content(&f)
	case f.Op == UpdateFile && f.NewPath == "" && len(f.Hunks) == 0 && modes:
		return nil
	default:
		err = f.mustChange()
	}
	if err != nil {
		return err
	}
	r.patch.Files = append(r.patch.Files, f)
	return nil
}

// fileBeginsAt reports whether line i is the first of the header of a file.
func (ls patchLines) fileBeginsAt(i int) bool {
	return strings.HasPrefix(ls[i], gitHeader) || ls.indexAt(i) || ls.namesAt(i) || ls.contextNamesAt(i)
}

// indexAt reports whether line i is Subversion's "Index: x", and not prose.
func (ls patchLines) indexAt(i int) bool {
	if !strings.HasPrefix(ls[i], "Index: ") || i+1 == len(ls) {
		return false
	}
	return strings.HasPrefix(ls[i+1], "===") || strings.HasPrefix(ls[i+1], "diff ") || ls.namesAt(i+1) || ls.contextNamesAt(i+1)
}

// namesAt reports whether line i is "--- x" with "+++ y" below it.
func (ls patchLines) namesAt(i int) bool {
	return strings.HasPrefix(ls[i], "--- ") && i+1 < len(ls) && strings.HasPrefix(ls[i+1], "+++ ")
}

// hunk reads the hunk whose header is next. The counts in the header decide
// where the hunk ends; if they do not add up, the look of the lines does.
func (r unifiedReader) hunk(f *File) error {
	h := hunkReader{c: r.cursor, Hunk: Hunk{Line: r.at + 1, Ends: true}}
	header := strings.TrimSuffix(r.next(), "\r")
	at := h.header(header)
	end := r.counted(at)
	if h.Counted = end >= 0; !h.Counted {
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
	if end < len(r.lines) && at.valid && len(h.New()) < at.news && strings.TrimSpace(r.lines[end]) != "" && strings.TrimSpace(r.lines[end-1]) != "" && !r.endsHunk(end) {
		r.fault = cmp.Or(r.fault, error(syntax(end+1, "%q is right below a hunk whose header counts more new lines; if it is one of them, send it with a \"+\", and else an empty line above it", edits.Excerpt(r.lines[end]))))
	}
	h.finish(f)
	return nil
}

// counted returns the end of the next body according to its header, or -1 if the counts are wrong. It finds what was cut off.
func (r unifiedReader) counted(at headerRange) int {
	olds, news := at.olds, at.news
	i, wrapped := r.at, 0 // the line, from 1, of the first that has no sign
	for ; at.valid && i < len(r.lines) && max(olds, news) > 0; i++ {
		switch l := strings.TrimSuffix(r.lines[i], "\r"); {
		case l == "" || l[0] == ' ':
			olds, news = olds-1, news-1
		case l[0] == '-':
			olds--
		case l[0] == '+':
			news--
		case r.endsHunk(i):
			return -1
		case wrapped == 0 && !strings.HasPrefix(l, `\ `):
			wrapped = i + 1
		}
	}
	if wrapped > 0 && olds == 0 && news == 0 {
		r.fault = syntax(wrapped, `%q has no sign, and the counts of the hunk are right without it, so the line above it was wrapped; send it as one line`, edits.Excerpt(r.lines[wrapped-1]))
	}
	// What is cut off lacks new lines, or is in the midst of deleted ones; other counts are just wrong.
	open := wrapped == 0 && min(olds, news) >= 0 && (news > 0 || olds > 0 && strings.HasPrefix(r.lines[i-1], "-"))
	if i == len(r.lines) && (r.at == i || at.valid && open && !slices.Contains(r.patch.Notes, noteCounts)) {
		r.fault = syntax(i, `the patch ends here, before the hunk of line %d has as many lines as its header says, so it may have been cut off; send it whole, or with "@@" alone as the header`, r.at)
	}
	if i < len(r.lines) && strings.HasPrefix(r.lines[i], `\ `) {
		i++
	}
	if !at.valid || olds != 0 || news != 0 || wrapped > 0 || r.goesOn(i) {
		return -1
	}
	return i
}

// goesOn reports whether a hunk continues at line i, where it ends according to its counts. Prose may follow, even with
// lists, but a change that follows must not be lost because a count is wrong.
func (r unifiedReader) goesOn(i int) bool {
	for first, above, isProse := i, "", false; i < len(r.lines) && !r.endsHunk(i); i++ {
		l := r.lines[i]
		isBullet := len(l) > 2 && l[1] == ' ' && !text.IsBlank(l[2]) && (isProse || l[0] != '+' || !strings.HasPrefix(above, "-")) // of a list
		above, isProse = l, isProse || l != "" && !isSigned(l)
		if isSigned(l) && !plusOne().MatchString(l) && (i == first || l[0] != ' ' && !isBullet) && strings.Trim(l, "-\r") != "" {
			return true
		}
	}
	return false
}

// plusOne finds what people write who agree.
var plusOne = lazy.Regexp(`^\+1(\s|$)`)

// endsHunk reports whether line i cannot belong to the hunk above it, unless counts say so.
func (r unifiedReader) endsHunk(i int) bool {
	l := r.lines[i]
	return strings.HasPrefix(l, "@@") || r.lines.fileBeginsAt(i) || r.lines.signatureAt(i) || r.closes(l) || strings.HasPrefix(l, "Property changes on: ") || binary().MatchString(l)
}

// uncounted returns the end of the next body according to what its lines look like.
func (r unifiedReader) uncounted() int {
	end, changed := r.at, r.at // changed is after the last line with "-" or "+"
	for ; end < len(r.lines) && !r.endsHunk(end); end++ {
		if l := r.lines[end]; isSigned(l) && l[0] != ' ' {
			changed = end + 1
		}
	}
	for i := changed; i < end; i++ {
		if l := r.lines[i]; strings.TrimSuffix(l, "\r") != "" && !isSigned(l) && l[0] != '\t' && !strings.HasPrefix(l, `\ `) {
			if i == changed && i > r.at && i+1 < end && strings.HasPrefix(r.lines[i+1], " ") {
				r.fault = cmp.Or(r.fault, error(syntax(i+1, `%q has no sign, and the hunk goes on, so the line above it may have been wrapped; send it as one line`, edits.Excerpt(r.lines[i]))))
			}
			return i
		}
	}
	return end
}

// signatureAt reports whether line i is above the signature of an e-mail, and not a deleted "- ".
func (ls patchLines) signatureAt(i int) bool {
	return strings.TrimSuffix(ls[i], "\r") == "-- " && (i+1 == len(ls) || !isSigned(ls[i+1]))
}
