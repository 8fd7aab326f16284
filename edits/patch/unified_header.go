package patch

import "strings"

// headerFill are beginnings of header lines that say nothing about the text.
var headerFill = []string{
	"index ", "similarity index ", "dissimilarity index ", "===", "diff -", "RCS file: ", "retrieving revision ",
}

// unifiedHeader reads the header of a file, which is next.
func (r *patchReader) unifiedHeader() (unifiedHeader, error) {
	u := unifiedHeader{line: r.at + 1}
	for ; r.at < len(r.lines); r.at++ {
		l := strings.TrimSuffix(r.lines[r.at], "\r")
		first := r.at+1 == u.line
		switch {
		case r.lines.namesAt(r.at):
			u.old, u.put = headerNames(l, strings.TrimSuffix(r.lines[r.at+1], "\r"))
			r.at += 2
			return u, nil
		case r.lines.indexAt(r.at) && !first, strings.HasPrefix(l, "diff --git ") && u.git:
			return u, nil // of the next file
		case strings.HasPrefix(l, "diff --git "):
			u.git = true
			u.gitOld, u.gitNew = gitNames(l)
		case first: // Index
			u.old = strings.TrimSpace(strings.TrimPrefix(l, "Index: "))
			u.put = u.old
		case isBinary(l):
			return u, syntax(r.at+1, "%s is a binary file, which cannot be patched", u.name())
		case strings.HasPrefix(l, "new file mode ") && !strings.HasPrefix(l, "new file mode 100"):
			return u, syntax(r.at+1, "%s is a symbolic link or a submodule, which cannot be added", u.name())
		case !u.extended(l):
			return u, nil
		case u.copies(l):
			return u, syntax(r.at+1, "%q: copies are not supported; add the file with its whole text", clip(l))
		}
	}
	return u, nil
}

// extended takes one of git's header lines, and reports whether l is one.
func (u *unifiedHeader) extended(l string) bool {
	for _, fill := range headerFill {
		if strings.HasPrefix(l, fill) {
			return true
		}
	}
	cut := func(prefix string, set func(rest string)) bool {
		rest, is := strings.CutPrefix(l, prefix)
		if is {
			set(rest)
		}
		return is
	}
	return u.copies(l) ||
		cut("rename from ", func(s string) { u.renameFrom = s }) ||
		cut("rename to ", func(s string) { u.renameTo = s }) ||
		cut("new file mode ", func(s string) { u.isNew = true; u.modes = u.modes || s != "100644" }) ||
		cut("deleted file mode ", func(string) { u.isDeleted = true }) ||
		cut("old mode ", func(string) { u.modes = true }) ||
		cut("new mode ", func(string) { u.modes = true })
}

func (u *unifiedHeader) copies(l string) bool {
	return strings.HasPrefix(l, "copy from ") || strings.HasPrefix(l, "copy to ")
}

// name returns what an error calls the file.
func (u *unifiedHeader) name() string {
	if f, err := u.filePatch(); err == nil {
		return clip(f.Path)
	}
	return "this"
}
