package patch

import (
	"slices"
	"strings"
)

// gitHeader begins the header of a file in a diff of git.
const gitHeader = "diff --git "

// headerKeys are what the lines of a header begin with, those that say nothing about the
// text last.
var headerKeys = []string{
	gitHeader, "rename from ", "rename to ", "new file mode ", "deleted file mode ", "old mode ", "new mode ", "copy from ", "copy to ",
	"index ", "similarity index ", "dissimilarity index ", "===", "diff -", "RCS file: ", "retrieving revision ",
}

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
		u, err := r.unifiedHeader()
		if err != nil {
			return err
		}
		f, err := u.filePatch()
		if err != nil {
			return err
		}
		for r.at < len(r.lines) && !r.lines.fileBeginsAt(r.at) {
			switch l := r.lines[r.at]; {
			case isBinary(l):
				return syntax(r.at+1, "%q: binary files cannot be patched", clip(l))
			case strings.HasPrefix(l, "@@"):
				if err := r.unifiedHunk(&f); err != nil {
					return err
				}
			default:
				r.skip()
			}
		}
		if err := r.finishFile(f, u.modes); err != nil {
			return err
		}
	}
	return nil
}

// unifiedHeader reads the header of a file, which is next.
func (r *patchReader) unifiedHeader() (unifiedHeader, error) {
	u := unifiedHeader{line: r.at + 1}
	for ; r.at < len(r.lines); r.at++ {
		l := strings.TrimSuffix(r.lines[r.at], "\r")
		switch index := r.lines.indexAt(r.at); {
		case r.lines.namesAt(r.at):
			u.old, u.put = headerName(l), headerName(strings.TrimSuffix(r.lines[r.at+1], "\r"))
			r.at += 2
			return u, nil
		case index && r.at >= u.line, strings.HasPrefix(l, gitHeader) && u.git:
			return u, nil // of the next file
		case index:
			u.old = strings.TrimSpace(strings.TrimPrefix(l, "Index: "))
			u.put = u.old
			continue
		}
		if is, err := u.extended(l, r.at+1); !is || err != nil {
			return u, err
		}
	}
	return u, nil
}

// extended takes a line of a header below or above the names, and reports whether l, which
// is that line of the patch, is one.
func (u *unifiedHeader) extended(l string, line int) (bool, error) {
	i := slices.IndexFunc(headerKeys, func(key string) bool { return strings.HasPrefix(l, key) })
	if i < 0 {
		return false, nil
	}
	key := headerKeys[i]
	value := l[len(key):]
	switch key {
	case gitHeader:
		u.git = true
		u.gitOld, u.gitNew = gitNames(value)
	case "rename from ":
		u.renameFrom = unquote(value)
	case "rename to ":
		u.renameTo = unquote(value)
	case "new file mode ":
		if !strings.HasPrefix(value, "100") {
			return false, syntax(line, "%q: symbolic links and submodules cannot be added", clip(l))
		}
		u.isNew, u.modes = true, u.modes || value != "100644"
	case "deleted file mode ":
		u.isDeleted = true
	case "old mode ", "new mode ":
		u.modes = true
	case "copy from ", "copy to ":
		return false, syntax(line, "%q: copies are not supported; add the file with its whole text", clip(l))
	}
	return true, nil
}

// finishFile adds f, all of whose hunks are read. modes says that its mode changes.
func (r *patchReader) finishFile(f File, modes bool) error {
	if modes {
		r.patch.note(noteModes)
	}
	// If no line has a "\r", nothing says that the patch was not converted on its way.
	ends := slices.ContainsFunc(f.Hunks, func(h Hunk) bool { return slices.ContainsFunc(h.Lines, func(l Line) bool { return l.CR }) })
	for i := range f.Hunks {
		f.Hunks[i].Ends = ends
	}
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

// fileBeginsAt reports whether line i is the first of the header of a file.
func (ls patchLines) fileBeginsAt(i int) bool {
	return strings.HasPrefix(ls[i], gitHeader) || ls.indexAt(i) || ls.namesAt(i)
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
