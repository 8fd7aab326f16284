package paths

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// protects returns the first protected name that one of the paths contains, or "" if none contains one.
func (p Policy) protects(paths ...string) (name string) {
	for _, abs := range paths {
		for _, path := range namesOf(abs, p.Roots) {
			name = cmp.Or(name, p.protectedName(path))
		}
	}
	return name
}

// protectedName returns the protected name that the slash-separated path contains, "" if it contains none.
func (p Policy) protectedName(path string) string {
	parts := plainParts(path)
	for _, name := range append([]string{".git"}, p.Protected...) {
		if has(parts, folded(name)) {
			return name
		}
	}
	return ""
}

// plainParts returns the names of a slash-separated path as some file system reads them. As in git (core.protectNTFS,
// core.protectHFS), the rules of all file systems apply everywhere: a volume may be mounted from another system.
func plainParts(path string) []string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		plain, _, _ := strings.Cut(folded(part), ":") // NTFS: a stream of the file
		parts[i] = strings.TrimRight(plain, ". ")     // Windows drops these
	}
	return parts
}

// folded returns a name without what some file system ignores: case as in ß and ss, how a character is composed, and
// characters that HFS+, and folders of ext4 that ignore case, do not see. ASCII keeps its case.
func folded(name string) string {
	if utf8.RuneCountInString(name) == len(name) {
		return name
	}
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if isUnseen(r) {
			return -1
		}
		return r
	}, cases.Fold().String(norm.NFKD.String(name))))
}

// isUnseen reports whether some file system does not see a character.
func isUnseen(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// has reports whether the plain parts of a path contain a slash-separated run of names.
func has(parts []string, run string) bool {
	names := strings.FieldsFunc(run, func(r rune) bool { return r == '/' })
	for i := range len(parts) - len(names) + 1 {
		if len(names) > 0 && mayBe(parts[i], names[0]) && slices.EqualFunc(parts[i:i+len(names)], names, sameName) {
			return true
		}
	}
	return false
}

// mayBe reports whether sameName may be true, judging by the first characters alone. It exists for
// speed: a patch may have ten thousand paths of 500 parts, and each part is compared with each name.
func mayBe(plain, name string) bool {
	if plain == "" || name[0] == '*' {
		return true
	}
	same := func(a, b byte) bool { return a|0x20 == b|0x20 || a >= utf8.RuneSelf || b >= utf8.RuneSelf }
	long := strings.TrimLeft(name, ".")
	return same(plain[0], name[0]) || long == "" || long[0] == '*' || same(plain[0], long[0])
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
	return isShortOf(plain, name) || strings.HasPrefix(name, "*") && isShortOf(plain, name[1:]) // NTFS drops the dot of .json
}

// isShortOf reports whether plain may be the short name of a file name on NTFS: GIT~1 for .git, TASKS~1.JSO for tasks.json. The
// fifth and later files of one beginning keep two characters, with four digits that NTFS makes of the whole name.
func isShortOf(plain, name string) bool {
	stem, rest, ok := strings.Cut(plain, "~")
	number, ext, _ := strings.Cut(rest, ".")
	if !ok || len(number) != 1 || number[0]-'0' > 9 {
		return false
	}
	base, end := strings.TrimLeft(name, "."), ""
	if i := strings.LastIndexByte(base, '.'); i >= 0 {
		base, end = base[:i], base[i+1:]
	} else if strings.Contains(base, "*") {
		end = "*"
	}
	base = strings.NewReplacer(".", "", " ", "").Replace(base)
	hash := stem[max(0, len(stem)-4):]
	return isCut(ext, end, 3) && (isCut(stem, base, 6) || strings.Trim(hash, "0123456789abcdefABCDEF") == "" && isCut(stem[:len(stem)-len(hash)], base, 2))
}

// isCut reports whether s is long cut to so many characters. A "*" in long stands for any.
func isCut(s, long string, most int) bool {
	head, _, some := strings.Cut(long, "*")
	if len(head) >= most || !some {
		return strings.EqualFold(s, head[:min(len(head), most)])
	}
	return len(s) >= len(head) && strings.EqualFold(s[:len(head)], head)
}

// namesOf returns a path relative to each root that holds it, slash-separated. So the user
// can work in a folder with a protected name by opening that folder; each of several nested
// roots counts as if alone. A path outside the roots is returned whole.
func namesOf(abs string, roots []Root) (names []string) {
	for _, r := range roots {
		if rel, ok := r.below(abs); ok {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	if len(names) == 0 {
		return []string{filepath.ToSlash(abs)}
	}
	return names
}

// beginsGuarded reports whether the plain part of a path may be the first of a guarded name.
func beginsGuarded(plain string) bool {
	return plain != "" && slices.ContainsFunc(guardedNames()[plain[0]], func(name guardedName) bool { return sameName(plain, name.parts[0]) })
}

// beginsProtected reports whether the plain part of a path may be the first of a protected name.
func (p Policy) beginsProtected(plain string) bool {
	return slices.ContainsFunc(p.Protected, func(name string) bool {
		first, _, _ := strings.Cut(strings.TrimLeft(name, "/"), "/")
		return sameName(plain, folded(first))
	})
}
