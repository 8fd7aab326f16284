package paths

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
)

const (
	maxListed = 2000   // entries that a listing gives
	maxDir    = 20_000 // entries of one directory that are read
)

// Listing is what a directory holds.
type Listing struct {
	Entries   []string // paths as results show them, a directory with a trailing "/"
	Truncated bool     // whether there are more entries than are given
}

// List gives what the directory at t holds, the first level and then the second, each sorted. Hidden and protected entries
// are left out, symbolic links are not followed. At most 2000 entries are given.
//
// Errors are those of [Policy.ReadClosed], and invalid_params if t is a file.
func (p Policy) List(t Target) (Listing, error) {
	if t.Abs == "" {
		return Listing{}, notOpen(t.Path)
	}
	info, err := os.Stat(t.Abs)
	if err == nil && !info.IsDir() {
		return Listing{}, fail(edits.InvalidParams, t.Path, "%s is not a directory; view it as a file", edits.Printable(t.Path))
	}
	first, cut, err := readDir(t, maxDir)
	if err != nil {
		return Listing{}, p.readError(t, info, err)
	}
	l := Listing{Truncated: cut}
	separator := "/"
	if filepath.IsAbs(t.Path) { // that of the system
		separator = string(filepath.Separator)
	}
	prefix := strings.TrimSuffix(t.Path, separator) + separator
	if t.Path == "." {
		prefix = ""
	}
	look := p.lookFrom(t.real)
	first = look.shown(t, first)
	l.add(prefix, first)
	for _, dir := range first {
		if !dir.IsDir() || len(l.Entries) >= maxListed {
			continue
		}
		// A folder that may not be read, or is another since, is listed, its entries are not.
		second, cut, _ := readDir(t.below(dir.Name()), maxDir)
		l.Truncated = l.Truncated || cut
		l.add(prefix+dir.Name()+separator, look.shown(t.below(dir.Name()), second))
	}
	l.Entries = lists.Map(l.Entries, edits.Printable)
	return l, nil
}

// add appends entries up to the bound.
func (l *Listing) add(prefix string, entries []fs.DirEntry) {
	for _, e := range entries {
		if len(l.Entries) >= maxListed {
			l.Truncated = true
			return
		}
		name := prefix + e.Name()
		if e.IsDir() {
			name += "/"
		}
		l.Entries = append(l.Entries, name)
	}
}

// shown returns the entries of a folder that are not hidden and, by any name, not protected.
func (l *look) shown(folder Target, entries []fs.DirEntry) []fs.DirEntry {
	l.into(folder.real, folder.real, 0)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		at := folder.below(e.Name())
		names := []string{at.Abs, at.real}
		if l.steps += len(l.found); l.steps < 50*maxLook { // else only the name of what is protected may be shown
			names = append(names, l.names(at.real)...)
		}
		return strings.HasPrefix(e.Name(), ".") || l.p.protects(names...) != ""
	})
}

// below returns a folder in the folder t, which is no link.
func (t Target) below(name string) Target {
	return Target{Abs: filepath.Join(t.Abs, name), real: filepath.Join(t.real, name)}
}

// readDir returns the entries of a directory sorted by name, if it is still where it was seen. If there are more than
// limit, it returns those that the system lists first, and cut is true.
func readDir(t Target, limit int) (entries []fs.DirEntry, cut bool, err error) {
	f, err := openNow(t.Abs)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !t.leadsTo(info) {
		return nil, false, errReplaced
	}
	entries, err = f.ReadDir(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if cut = len(entries) > limit; cut {
		entries = entries[:limit]
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, cut, nil
}

// maxWalked is how many entries of the roots are looked at for near names.
const maxWalked = 20_000

// notFound returns an error that no file exists at t, with the nearest paths that exist.
func (p Policy) notFound(t Target) error {
	var near []string
	if !p.Terse {
		near = lists.Map(p.Nearest(t, 3), edits.Printable)
	}
	advice := "view a folder to see what there is, or create the file"
	switch len(near) {
	case 0:
	case 1:
		advice = "the nearest existing path is " + near[0]
	default:
		advice = "the nearest existing paths are " + edits.Listed(near)
	}
	return &edits.Error{Kind: edits.FileNotFound, Path: t.Path, Message: fmt.Sprintf("File not found: %s; %s.", edits.Printable(t.Path), advice), Advice: advice}
}

// Nearest returns up to limit existing paths that a command may have meant by t, which does not exist: first a path that
// differs only in case or normal form, then files of that name elsewhere, then files of a similar name in the same folder, then such files
// elsewhere. Directories are treated like files.
//
// Nearest looks at 20,000 entries of the roots at most, the target's own folder first and then from the top down, and never
// into hidden folders, protected folders or node_modules. A command may use the paths that it returns.
func (p Policy) Nearest(t Target, limit int) []string {
	if t.Abs == "" {
		return nil
	}
	roots := p.Roots
	here := filepath.Dir(t.Abs)
	folders := []Target{{Abs: here, real: leadsNow(FileKey(here))}}
	if !p.inside(folders[0].real) {
		folders = nil
	}
	folders = append(folders, lists.Map(roots, func(r Root) Target { return Target{Abs: r.Path, real: r.real} })...)
	// Outside of Windows a "\" is no separator, but a model may think so.
	want := strings.ReplaceAll(namesOf(t.Abs, roots)[0], `\`, "/")
	var found []nearPath
	p.walk(folders, maxWalked, func(abs string) {
		if n, ok := rank(namesOf(abs, roots)[0], want, filepath.Dir(abs) == here); ok {
			n.abs = abs
			found = append(found, n)
		}
	})
	slices.SortFunc(found, func(a, b nearPath) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.distance, b.distance), cmp.Compare(a.abs, b.abs))
	})
	var near []string
	for _, n := range found[:min(len(found), 100)] { // many may be links that lead out of the roots
		if len(near) == limit {
			break
		}
		// A link may lead out of the roots, or nowhere.
		if c, err := p.Resolve(n.abs, nil); err == nil {
			if _, err := os.Stat(n.abs); err == nil {
				near = append(near, c.Path)
			}
		}
	}
	return near
}

// Form returns a name in the normal form that all names have which look the same.
func Form(name string) string { return norm.NFC.String(name) }

// Alike returns the existing paths that differ from t, which does not exist, in normal form alone, or with anyCase in case; and t
// below a folder that differs so from that of t.
func (p Policy) Alike(t Target, anyCase bool) (same []string) {
	if !anyCase && Form(t.Path) == norm.NFD.String(t.Path) {
		return nil
	}
	if there, _ := t.Exists(); there {
		return nil
	}
	same = slices.DeleteFunc(p.Nearest(t, 3), func(near string) bool {
		return Form(near) != Form(t.Path) && (!anyCase || !strings.EqualFold(near, t.Path))
	})
	folders := p.Alike(Target{Abs: filepath.Dir(t.Abs), Path: path.Dir(t.Path)}, false)
	below := lists.Map(folders, func(folder string) string { return path.Join(folder, path.Base(t.Path)) })
	return slices.Compact(append(same, below...))
}

// walk calls visit with the entries of the folders and of all folders below them, up to left
// entries. It goes breadth first, so that the bound cuts off the deepest entries.
func (p Policy) walk(folders []Target, left int, visit func(abs string)) {
	seen := map[Target]bool{}
	for len(folders) > 0 && left > 0 {
		dir := folders[0]
		folders = folders[1:]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		entries, _, _ := readDir(dir, left)
		left -= len(entries)
		for _, e := range entries {
			if p.protectedName(e.Name()) != "" {
				continue
			}
			at := dir.below(e.Name())
			visit(at.Abs)
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" {
				folders = append(folders, at)
			}
		}
	}
}

// nearPath is an existing path and how near it is: by class, then distance.
type nearPath struct {
	abs             string
	class, distance int
}

// The classes of near paths, the nearest first.
const (
	otherCase = iota
	sameBase
	similarHere
	similarElsewhere
)

// rank returns how near the path rel is to want, both relative to a root. here says that they
// are in the same folder. ok is false if rel is not near.
func rank(rel, want string, here bool) (n nearPath, ok bool) {
	rel, want = norm.NFC.String(rel), norm.NFC.String(want)
	base, wanted := strings.ToLower(path.Base(rel)), strings.ToLower(path.Base(want))
	switch {
	case strings.EqualFold(rel, want):
		return nearPath{class: otherCase}, true
	case base == wanted:
		return nearPath{class: sameBase, distance: distance(rel, want, 64)}, true
	}
	n.class = similarElsewhere
	if here {
		n.class = similarHere
	}
	far := max(2, len(wanted)/3+1) // a name as far as this is no longer similar
	n.distance = distance(base, wanted, far)
	return n, n.distance < far
}

// distance returns the edit distance of two names, at most far. It does not compare names whose
// lengths differ by far or more.
func distance(a, b string, far int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= far {
		return far
	}
	return min(edits.Distance(a, b), far)
}
