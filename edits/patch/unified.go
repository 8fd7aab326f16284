package patch

import "strings"

// unifiedHeader is what stands above the hunks of a file.
type unifiedHeader struct {
	line                 int
	old, put             string // of "---" and "+++", or of "Index:"
	git                  bool   // "diff --git" is there
	gitOld, gitNew       string // its names, "" if they cannot be told
	renameFrom, renameTo string
	isNew, isDeleted     bool
	modes                bool // the mode changes
}

// unified reads a unified diff whose first header is next.
func (r *patchReader) unified() error {
	if r.wellFormed() {
		return nil
	}
	return r.unifiedFiles()
}

// unifiedFiles is unified for a diff that others may not read: in prose, with wrong counts
// or without, with lines that have no sign.
func (r *patchReader) unifiedFiles() error {
	for r.at < len(r.lines) {
		switch {
		case r.lines.fileBeginsAt(r.at):
			if err := r.unifiedFile(); err != nil {
				return err
			}
		case isBinary(r.lines[r.at]):
			return syntax(r.at+1, "%q: binary files cannot be patched", clip(r.lines[r.at]))
		default:
			r.skip()
		}
	}
	return nil
}

// unifiedFile reads the header that is next, and the hunks below it.
func (r *patchReader) unifiedFile() error {
	u, err := r.unifiedHeader()
	if err != nil {
		return err
	}
	f, err := u.filePatch()
	if err != nil {
		return err
	}
	if u.modes {
		r.patch.note(noteModes)
	}
	for r.at < len(r.lines) && !r.lines.fileBeginsAt(r.at) && !isBinary(r.lines[r.at]) {
		if !strings.HasPrefix(r.lines[r.at], "@@") {
			r.skip()
			continue
		}
		if err := r.unifiedHunk(&f); err != nil {
			return err
		}
	}
	return r.finishFile(f, u.modes)
}

// finishFile adds f, all of whose hunks are read. modes says that its mode changes.
func (r *patchReader) finishFile(f File, modes bool) error {
	keepEnds(f.Hunks)
	var err error
	switch {
	case f.Op == AddFile:
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

// keepEnds says of the hunks of a file whether their "\r" are the text's. If no line has
// one, nothing says that the patch was not converted on its way.
func keepEnds(hunks []Hunk) {
	ends := false
	for _, h := range hunks {
		for _, l := range h.Lines {
			ends = ends || l.CR
		}
	}
	for i := range hunks {
		hunks[i].Ends = ends
	}
}

// content makes the hunks of a new file its text.
func (r *patchReader) content(f *File) error {
	var b strings.Builder
	open := false
	for _, h := range f.Hunks {
		for i, l := range h.Lines[:len(h.Lines)-h.Blanks] {
			switch {
			case l.Kind == AddedLine:
			case l.Kind == KeptLine && l.Text == "":
				r.patch.note(noteEmptyAdded)
			default:
				return syntax(h.Line+i+1, `%q must begin with "+", as every line of a new file does`, clip(string(l.Kind)+l.Text))
			}
			b.WriteString(l.Text)
			if l.CR {
				b.WriteByte('\r')
			}
			b.WriteByte('\n')
		}
		open = h.NewOpen
	}
	f.Content, f.Hunks = b.String(), nil
	if open {
		f.Content = strings.TrimSuffix(f.Content, "\n")
	}
	return nil
}

// fileBeginsAt reports whether line i is the first of the header of a file.
func (ls patchLines) fileBeginsAt(i int) bool {
	l := ls[i]
	return strings.HasPrefix(l, gitHeader) || ls.indexAt(i) || ls.namesAt(i)
}

// indexAt reports whether line i is Subversion's "Index: x", and not prose.
func (ls patchLines) indexAt(i int) bool {
	if !strings.HasPrefix(ls[i], "Index: ") || i+1 == len(ls) {
		return false
	}
	return strings.HasPrefix(ls[i+1], "===") || strings.HasPrefix(ls[i+1], "diff ") || ls.namesAt(i+1)
}

// namesAt reports whether line i is "--- x" with "+++ y" below it.
func (ls patchLines) namesAt(i int) bool {
	return strings.HasPrefix(ls[i], "--- ") && i+1 < len(ls) && strings.HasPrefix(ls[i+1], "+++ ")
}

func isBinary(l string) bool {
	l = strings.TrimSuffix(l, "\r")
	return l == "GIT binary patch" || strings.HasPrefix(l, "Binary files ") && strings.HasSuffix(l, " differ")
}
