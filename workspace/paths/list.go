package paths

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
)

const (
	maxListed = 2000   // entries that a listing gives
	maxDir    = 20_000 // entries of one directory that are read
)

// Listing is what a directory holds.
type Listing struct {
	Entries []string // paths as results show them, a directory with a trailing "/"
	Cut     bool     // whether there are more entries than are given
}

// List gives what the directory at t holds two levels deep, in the order of a
// tree. Hidden and protected entries are left out, symbolic links are not
// followed. At most 2000 entries are given, those of the first level before any
// of the second.
//
// Errors are those of [Policy.ReadClosed], and invalid_params if t is a file.
func (p Policy) List(t Target) (Listing, error) {
	if t.Abs == "" {
		return Listing{}, notOpen(t.Path)
	}
	info, err := os.Stat(t.Abs)
	switch {
	case isAbsent(err):
		return Listing{}, p.notFound(t)
	case err != nil:
		return Listing{}, ioError(t.Path, err)
	case !info.IsDir():
		return Listing{}, fail(edits.InvalidParams, t.Path, "%s is not a directory; view it as a file", printable(t.Path))
	case !t.leadsTo(info):
		return Listing{}, replaced(t)
	}
	first, cut, err := readDir(t.Abs, maxDir)
	if err != nil {
		return Listing{}, ioError(t.Path, err)
	}
	l := Listing{Cut: cut}
	prefix := strings.TrimSuffix(t.Path, "/") + "/"
	if t.Path == "." {
		prefix = ""
	}
	roots := p.roots()
	first = p.shown(t, "", first, roots)
	l.add(prefix, first)
	for _, dir := range first {
		if !dir.IsDir() || len(l.Entries) >= maxListed {
			continue
		}
		// A folder that may not be read is listed, its entries are not.
		second, cut, _ := readDir(filepath.Join(t.Abs, dir.Name()), maxDir)
		l.Cut = l.Cut || cut
		l.add(prefix+dir.Name()+"/", p.shown(t, dir.Name(), second, roots))
	}
	slices.SortFunc(l.Entries, treeOrder)
	for i, e := range l.Entries {
		l.Entries[i] = printable(e)
	}
	return l, nil
}

// add appends entries up to the bound.
func (l *Listing) add(prefix string, entries []fs.DirEntry) {
	for _, e := range entries {
		if len(l.Entries) >= maxListed {
			l.Cut = true
			return
		}
		name := prefix + e.Name()
		if e.IsDir() {
			name += "/"
		}
		l.Entries = append(l.Entries, name)
	}
}

// shown returns the entries of the folder sub of t that are not hidden and, by
// either name of t, not protected.
func (p Policy) shown(t Target, sub string, entries []fs.DirEntry, roots []root) []fs.DirEntry {
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return strings.HasPrefix(e.Name(), ".") ||
			p.protects(filepath.Join(t.Abs, sub, e.Name()), roots) != "" ||
			t.real != "" && p.protects(filepath.Join(t.real, sub, e.Name()), roots) != ""
	})
}

// treeOrder puts what a folder holds right after it.
func treeOrder(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// readDir gives the entries of a directory sorted by name. Of more than limit
// it gives those that the system names first, and cut is true.
func readDir(dir string, limit int) (entries []fs.DirEntry, cut bool, err error) {
	f, err := openNow(dir)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
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
