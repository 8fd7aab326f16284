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

// unifiedHeader reads the header of a file, which is next.
func (r *patchReader) unifiedHeader() (unifiedHeader, error) {
	u := unifiedHeader{line: r.at + 1}
	for ; r.at < len(r.lines); r.at++ {
		l := strings.TrimSuffix(r.lines[r.at], "\r")
		index := r.lines.indexAt(r.at)
		switch {
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
	if isBinary(l) {
		return false, syntax(line, "%s is a binary file, which cannot be patched", u.name())
	}
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
		u.renameFrom = value
	case "rename to ":
		u.renameTo = value
	case "new file mode ":
		if !strings.HasPrefix(value, "100") {
			return false, syntax(line, "%s is a symbolic link or a submodule, which cannot be added", u.name())
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

// name returns what an error calls the file.
func (u *unifiedHeader) name() string {
	if f, err := u.filePatch(); err == nil {
		return clip(f.Path)
	}
	return "this"
}
