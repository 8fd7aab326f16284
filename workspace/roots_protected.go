package workspace

import (
	"path/filepath"
	"strings"
)

// protects returns the first protected name that a path has, "" if it has none.
// Of a path in a root only what is below the root counts, so that a folder
// inside a repository's .git can be worked on by opening it; nested roots are
// each taken as if alone.
func (p Policy) protects(abs string, roots []root) string {
	inside := false
	for _, r := range roots {
		if rel, ok := r.below(abs); ok {
			inside = true
			if name := p.protectedName(filepath.ToSlash(rel)); name != "" {
				return name
			}
		}
	}
	if inside {
		return ""
	}
	return p.protectedName(filepath.ToSlash(abs))
}

// protectedName returns the protected name that the slash-separated path
// contains, "" if it contains none.
func (p Policy) protectedName(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		if begins(parts[i:], ".git") {
			return ".git"
		}
		for _, name := range p.Protected {
			if begins(parts[i:], name) {
				return name
			}
		}
	}
	return ""
}

// begins reports whether parts begin with the names of the slash-separated run.
func begins(parts []string, run string) bool {
	names := strings.FieldsFunc(run, func(r rune) bool { return r == '/' })
	if len(names) == 0 || len(names) > len(parts) {
		return false
	}
	for i, name := range names {
		if !sameName(parts[i], name) {
			return false
		}
	}
	return true
}

// sameName reports whether some file system opens the file name when asked for
// part. As in git (core.protectNTFS, core.protectHFS) all of them count
// everywhere: a volume may be mounted from another system.
func sameName(part, name string) bool {
	plain := strings.Map(func(r rune) rune { // HFS+ does not see these
		switch {
		case 0x200c <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x206a <= r && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, part)
	plain, _, _ = strings.Cut(plain, ":")  // NTFS: a stream of the file
	plain = strings.TrimRight(plain, ". ") // Windows drops these
	if strings.EqualFold(plain, name) {
		return true
	}
	stem, number, ok := strings.Cut(plain, "~") // NTFS: the short name of ".git" is GIT~1
	long := strings.ReplaceAll(name, ".", "")
	return ok && len(number) == 1 && number[0]-'0' <= 9 && strings.EqualFold(stem, long[:min(len(long), 6)])
}
