package paths

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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
	if has(parts, ".git") {
		return ".git"
	}
	for _, name := range p.Protected {
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
	return same(plain[0], name[0]) || long == "" || same(plain[0], long[0])
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

// linkNames returns the names that a place, whose links are followed, has now because guarded and protected names lead
// there: .vscode may be a link to conf, and a file .git names the folder of git. Programs take what is there by such a name. It
// looks in the roots, in the folders above the place, and two levels deep in folders there that such a name may begin with.
func (p Policy) linkNames(place string) (names []string) {
	var look func(folder, as string, depth int)
	look = func(folder, as string, depth int) {
		for _, e := range linksAndFolders(folder) {
			plain := plainParts(e.Name())[0]
			isGit := sameName(plain, ".git")
			if isGit && e.IsDir() || !isGit && depth == 0 && !p.beginsName(plain) {
				continue
			}
			real, named := filepath.Join(folder, e.Name()), filepath.Join(as, e.Name())
			if isGit {
				real = cmp.Or(gitFolder(real), real)
			}
			if !e.IsDir() {
				real = cmp.Or(leadsNow(FileKey(real)), named)
			}
			if rel, ok := Below(real, place); ok && real != named {
				names = append(names, filepath.Join(named, rel))
			}
			if !isGit && depth < 2 && p.inside(real) {
				look(real, named, depth+1)
			}
		}
	}
	for _, r := range p.Roots {
		look(r.real, r.real, 0)
		for dir := filepath.Dir(place); len(dir) > len(r.real); dir = filepath.Dir(dir) {
			if _, in := Below(r.real, dir); in {
				look(dir, dir, 0)
			}
		}
	}
	return names
}

// beginsName reports whether the plain part of a path may be the first of a guarded or protected name.
func (p Policy) beginsName(plain string) bool {
	first := func(name string) string { return folded(strings.Split(strings.TrimLeft(name, "/"), "/")[0]) }
	return plain != "" && slices.ContainsFunc(guardedNames()[plain[0]], func(name guardedName) bool { return sameName(plain, name.parts[0]) }) ||
		slices.ContainsFunc(p.Protected, func(name string) bool { return sameName(plain, first(name)) })
}

// gitFolder returns the folder that a file .git names, "" if it names none.
func gitFolder(path string) string {
	f, _, err := openRegular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	raw, _ := io.ReadAll(io.LimitReader(f, maxPath))
	to, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir:")
	if to = strings.TrimSpace(to); ok && !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return to
}

// readFolder is what linksAndFolders has found in a folder.
type readFolder struct {
	info    fs.FileInfo
	isLarge bool
	at      time.Time // when it was read
	entries []fs.DirEntry
}

var (
	readFolders    sync.Map // of a readFolder, by the folder's path
	numReadFolders atomic.Int64
)

// linksAndFolders returns the links and folders in a folder that no link leads to, and files .git. It reads the folder
// unless it is as it was when it was read. If it was read within two seconds after a change, it may have changed again since:
// FAT's clock is that coarse. A folder of more than 100 names is read once a second at most, since each of a thousand
// files that are made or saved there changes it.
func linksAndFolders(folder string) []fs.DirEntry {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() {
		return nil
	}
	now := time.Now()
	kept, _ := readFolders.Load(folder)
	if was, is := kept.(readFolder); is && os.SameFile(was.info, info) &&
		(was.info.ModTime().Equal(info.ModTime()) && was.at.Sub(was.info.ModTime()) > 2*time.Second || was.isLarge && now.Sub(was.at) < time.Second) {
		return was.entries
	}
	entries, _, err := readDir(Target{Abs: folder, real: folder}, 1<<30)
	isLarge := len(entries) > 100
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.Type().IsRegular() && !sameName(plainParts(e.Name())[0], ".git")
	})
	if err == nil {
		if numReadFolders.Add(1)%5000 == 0 {
			readFolders.Clear() // so that they stay few
		}
		readFolders.Store(folder, readFolder{info, isLarge, now, slices.Clone(entries)})
	}
	return entries
}
