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
)

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
