package paths

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchls/patchls/internal/lazy"
)

// look finds what guarded and protected names lead to: .vscode may be a link to conf, and a file .git names the folder of git.
// Programs take what is there by such a name. It looks in the roots, in the folders above a place, and two levels deep
// in folders there that such a name may begin with: once in each folder, whatever guarded names it has.
type look struct {
	p       Policy
	steps   int                // above maxLook, the look has ended too early
	visited map[[2]string]bool // folders, each with its depth and name, or why all in it is guarded
	found   []linked
}

// maxLook is how many steps of some microseconds a look may take, a hundred times what it takes in the folders of users.
const maxLook = 20_000

// linked is a place, whose links are followed, and a name that leads there.
type linked struct{ real, named string }

// unsure guards all files where a look has ended too early.
var unsure = &Guarded{Why: "so many links have protected names here that it cannot be found out whether one leads to it"}

func (p Policy) lookFrom(place string) *look {
	l := &look{p: p, visited: map[[2]string]bool{}}
	for _, r := range p.Roots {
		l.into(r.real, r.real, 0)
		for dir := filepath.Dir(place); len(dir) > len(r.real); dir = filepath.Dir(dir) {
			if _, in := Below(r.real, dir); in {
				l.into(dir, dir, 0)
			}
		}
	}
	return l
}

// into looks in a folder that is known by the name as.
func (l *look) into(folder, as string, depth int) {
	at := [2]string{folder, strconv.Itoa(depth) + as}
	if g := guarded(as, l.p.Roots); g != nil && l.p.protects(as) == "" {
		at[1] = strconv.Itoa(depth) + g.Why
	}
	if l.visited[at] || l.steps > maxLook {
		return
	}
	l.visited[at] = true
	for _, e := range l.read(folder) {
		if depth == 0 && !e.isGit && !e.beginsGuarded && !l.p.beginsProtected(e.plain) {
			continue
		}
		real, named := filepath.Join(folder, e.name), filepath.Join(as, e.name)
		switch {
		case e.isGit:
			l.git(real)
			continue
		case !e.isDir:
			real = l.add(real, named)
		}
		if depth < 2 && l.p.inside(real) {
			l.into(real, named, depth+1)
		}
	}
}

// add adds where a path leads, and returns it, "" if that cannot be found out.
func (l *look) add(path, named string) string {
	real, err := follow(path, &l.steps)
	if err != nil {
		return ""
	}
	l.found = append(l.found, linked{real, named})
	return real
}

// git adds what the folder or file .git at a path leads to: the folder that it names, and what git acts on in the folder that
// worktrees have in common, in which they may be.
func (l *look) git(path string) {
	dir := l.add(path, path)
	if to := l.named(dir, "gitdir:", filepath.Dir(path)); to != "" {
		dir = l.add(to, path)
	}
	l.settings(filepath.Join(dir, "config"), path, 0)
	l.settings(filepath.Join(dir, "config.worktree"), path, 0)
	if to := l.named(filepath.Join(dir, "commondir"), "", dir); dir != "" && to != "" {
		common, _ := follow(to, &l.steps) // once, not for each name
		l.settings(filepath.Join(common, "config"), path, 0)
		for _, name := range gitNames {
			l.found = append(l.found, linked{filepath.Join(common, name), filepath.Join(path, name)})
		}
	}
}

// namedByGit matches core.hooksPath, and the path of include and includeIf. A path in another section counts, too.
var namedByGit = lazy.Regexp(`(?im)^[ \t]*(?:\[.*\][ \t]*)?(hooksPath|path)[ \t]*=[ \t]*(?:"([^"\r\n]*)|([^"#;\r\n]*))`)

// settings adds what a file of git's settings names from which programs start, for the work tree that has git, a folder or
// file .git: a folder of hooks is guarded as .githooks is, and other settings as .gitconfig is.
func (l *look) settings(file, git string, includes int) {
	is, ok := stampOf(file)
	if l.steps++; !ok || includes > 10 || l.steps > maxLook { // git follows ten
		return
	}
	settled := time.Since(time.Unix(0, is.changed)) > 2*time.Second // as in read, what was read counts from then on
	state := [...]any{file, is, settled}
	found, known := remembered.Load(state)
	if !known || !settled {
		lines := namedByGit().FindAllStringSubmatch(start(file, 1<<20), -1)
		for _, m := range lines {
			for i := range m {
				m[i] = strings.Clone(m[i]) // so that the file is not kept
			}
		}
		found = lines
		remember(state, found)
	}
	named, _ := found.([][]string)
	for _, m := range named {
		to, folder, as := strings.TrimSpace(m[2]+m[3]), filepath.Dir(file), ".gitconfig"
		if strings.EqualFold(m[1], "hooksPath") {
			folder, as = filepath.Dir(git), ".githooks"
		}
		if to == "" { // git runs no hooks then
			continue
		}
		l.settings(l.add(Abs(folder, to), filepath.Join(filepath.Dir(git), as)), git, includes+1)
	}
}

// named returns the path that a file of git has behind a prefix and is relative to a folder, "" if it has none.
func (l *look) named(file, prefix, folder string) string {
	l.steps++
	to, ok := strings.CutPrefix(strings.TrimSpace(start(file, maxPath)), prefix)
	if to = strings.TrimSpace(to); !ok || to == "" {
		return ""
	}
	return Abs(folder, to)
}

// start returns the first bytes of a file, "" if it cannot be read.
func start(file string, most int64) string {
	f, _, err := openRegular(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	raw, _ := io.ReadAll(io.LimitReader(f, most))
	return string(raw)
}

// names returns the names of the file at a place, whose links are followed: those in the roots, the place, and those by which it
// is guarded or protected.
func (l *look) names(place string) (names []string) {
	for _, r := range l.p.Roots {
		if rel, ok := Below(r.real, place); ok {
			names = append(names, filepath.Join(r.Path, rel))
		}
	}
	names = append(names, place)
	for _, k := range l.found {
		if rel, ok := Below(k.real, place); ok {
			names = append(names, filepath.Join(k.named, rel))
		}
	}
	return names
}

// inode says which file or folder is at a path, and how many names it has. Each is 0 if the system does not say.
type inode struct{ device, id, names uint64 }

// stamp says which file or folder is at a path, and in which state.
type stamp struct {
	inode
	changed int64 // in nanoseconds, of a clock that no program can set back, if the system has one
	isDir   bool
}

// readFolder is what was read in a folder.
type readFolder struct {
	stamp
	at      time.Time   // when it was read
	settled time.Time   // what is read from then on is right while the stamp stays
	isLarge bool        // it has more than 100 entries
	entries []readEntry // the links, folders and files .git in it
}

// readEntry is one of them, with what a look asks of it. Its plain name is the one that plainParts returns.
type readEntry struct {
	name, plain                 string
	isDir, isGit, beginsGuarded bool
}

var (
	remembered    sync.Map // of a readFolder, by the folder's path; and of what a file of git's settings names, by its path and state
	numRemembered atomic.Int64
)

// read returns the links and folders in a folder that no link leads to, and files .git. It reads the folder unless it is as it
// was when it was read. Two changes within two seconds may leave one stamp, since FAT's clock is that coarse. So what was read
// counts two seconds after the change, or, as the clock of a server may be ahead, after the stamp was first seen. A folder of
// more than 100 names is read once a second at most, since each of a thousand files that are made or saved there changes it.
func (l *look) read(folder string) []readEntry {
	l.steps++
	now := time.Now()
	is, ok := stampOf(folder)
	if !ok || !is.isDir {
		return nil
	}
	kept, _ := remembered.Load(folder)
	was, _ := kept.(readFolder)
	isSame := was.device == is.device && was.id == is.id
	if was.stamp == is && !was.at.Before(was.settled) || isSame && was.isLarge && now.Sub(was.at) < time.Second {
		l.steps += len(was.entries) / 16
		return was.entries
	}
	all, _, err := readDir(Target{Abs: folder, real: folder}, 1<<30)
	l.steps += 3 + len(all)/100
	k := readFolder{is, now, was.settled, len(all) > 100, nil}
	if was.stamp != is {
		k.settled = time.Unix(0, min(is.changed, now.UnixNano())).Add(2 * time.Second)
	}
	for _, e := range all {
		plain := plainParts(e.Name())[0]
		if isGit := sameName(plain, ".git"); isGit || !e.Type().IsRegular() {
			k.entries = append(k.entries, readEntry{e.Name(), plain, e.IsDir(), isGit, beginsGuarded(plain)})
		}
	}
	if err == nil {
		remember(folder, k)
	}
	return k.entries
}

// remember adds what was read to remembered, and forgets all that was there now and then, so that it stays little.
func remember(key, read any) {
	if numRemembered.Add(1)%5000 == 0 {
		remembered.Clear()
	}
	remembered.Store(key, read)
}
