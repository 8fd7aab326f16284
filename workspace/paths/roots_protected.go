package paths

import (
	"slices"
	"strings"
)

// protects returns the first protected name that a path has, "" if it has none.
func (p Policy) protects(abs string, roots []root) (name string) {
	named(abs, roots, func(path string) bool {
		name = p.protectedName(path)
		return name != ""
	})
	return name
}

// protectedName returns the protected name that the slash-separated path
// contains, "" if it contains none.
func (p Policy) protectedName(path string) string {
	parts := plainParts(path)
	if has(parts, []string{".git"}) {
		return ".git"
	}
	for _, name := range p.Protected {
		if has(parts, runOf(name)) {
			return name
		}
	}
	return ""
}

// runOf returns the names of a slash-separated run.
func runOf(run string) []string {
	return strings.FieldsFunc(run, func(r rune) bool { return r == '/' })
}

// plainParts returns the names of a slash-separated path as some file system takes them.
// As in git (core.protectNTFS, core.protectHFS) all of them count everywhere: a volume may
// be mounted from another system.
func plainParts(path string) []string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		plain := strings.Map(func(r rune) rune { // HFS+ does not see these
			switch {
			case 0x200c <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x206a <= r && r <= 0x206f, r == 0xfeff:
				return -1
			}
			return r
		}, part)
		plain, _, _ = strings.Cut(plain, ":")     // NTFS: a stream of the file
		parts[i] = strings.TrimRight(plain, ". ") // Windows drops these
	}
	return parts
}

// has reports whether the plain parts of a path contain a run of names.
func has(parts, run []string) bool {
	if len(run) == 0 {
		return false
	}
	for i := range len(parts) - len(run) + 1 {
		if slices.EqualFunc(parts[i:i+len(run)], run, sameName) {
			return true
		}
	}
	return false
}

// sameName reports whether some file system opens the file name, in which a "*" stands
// for any characters, when asked for the plain part of a path.
func sameName(plain, name string) bool {
	if strings.EqualFold(plain, name) {
		return true
	}
	if head, tail, ok := strings.Cut(name, "*"); ok && len(plain) >= len(head)+len(tail) &&
		strings.EqualFold(plain[:len(head)], head) && strings.EqualFold(plain[len(plain)-len(tail):], tail) {
		return true
	}
	stem, number, ok := strings.Cut(plain, "~") // NTFS: the short name of ".git" is GIT~1
	number, _, _ = strings.Cut(number, ".")
	if !ok || len(number) != 1 || number[0]-'0' > 9 {
		return false
	}
	long := strings.ReplaceAll(name, ".", "")
	return strings.EqualFold(stem, long[:min(len(long), 6)])
}
