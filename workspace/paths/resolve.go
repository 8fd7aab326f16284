package paths

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lazy"
	"github.com/patchls/patchls/internal/lists"
)

// maxPath is how many bytes a command's path may have: three times the 4096 of
// Linux, since a URI may write each byte as "%XX".
const maxPath = 3 * 4096

// Target is what a command's path names.
type Target struct {
	Key  Key
	URI  string // to send to a client that has not opened it
	Path string // as results show it: relative to its root with forward slashes, else absolute, else the URI
	Abs  string // "" unless a file

	// Guarded says why an edit of the target needs the user's agreement. It is nil if none is needed.
	Guarded *Guarded

	real string // where Abs was seen to lead by Resolve or Reach; "" if it was not looked at, and then its file is not read
}

// defaultMaxBytes is the size up to which closed files are read if a policy sets no limit.
const defaultMaxBytes = 64 << 20

// Policy says which files commands may touch. The zero value allows only files that the editor has open. The methods do not
// change the Policy, so it may be used concurrently.
type Policy struct {
	Roots        []Root   // in the client's order
	Base         string   // absolute folder to look for relative paths in before the roots; it allows nothing; "" is none
	BaseIsTop    bool     // the names in diffs of git are counted from Base too, and not from the top of its work tree
	AllowOutside bool     // files outside the roots are allowed too
	Protected    []string // names, or slash-separated runs of names, that no command may touch, "*" being any characters; ".git" always is
	MaxBytes     int64    // closed files above it are too_large; 0 means 64 MiB
	Terse        bool     // errors name no near paths, which saves a search of the roots
	// NotText are the files that the editor has open as something other than text, and as what: "a notebook". Their
	// unsaved text is not known, so no command may touch them.
	NotText map[Key]string
}

// Resolve finds the file that path names and checks that an agent may access it, as [Policy.Reach] does. path is relative to
// a root, absolute, or a URI. The file need not exist. open returns what is known of a document, and nil if the editor does
// not have it open. open may be nil, and is called on the caller's goroutine.
//
// A relative path is looked for in the policy's base and then in each root. The first place where the file is open or exists
// wins, or else the base or the first root. If symbolic links give a file several names, the name by which it is open wins.
//
// Errors are *[edits.Error] of kind invalid_params, file_not_found, outside_workspace or protected.
func (p Policy) Resolve(path string, open func(Key) *Opened) (Target, error) {
	if open == nil {
		open = func(Key) *Opened { return nil }
	}
	if err := wellFormed(path); err != nil {
		return Target{}, err
	}
	if _, _, ok := cutScheme(path); !ok {
		return p.resolveFile(path, open)
	}
	key, err := KeyOf(path)
	if err != nil {
		return Target{}, err
	}
	if abs, ok := key.FilePath(); ok {
		return p.check(path, abs, open)
	}
	if open(key) != nil {
		return p.checkOpaque(key)
	}
	// A name with a colon in it can be a file's as well.
	isOpen := func(k Key) bool { return open(k) != nil }
	if !strings.Contains(path, "://") && (isTaken(path, p.Roots, isOpen) || p.Base != "" && present(filepath.Join(p.Base, path), isOpen)) {
		return p.resolveFile(path, open)
	}
	return Target{}, notOpen(path)
}

// wellFormed returns an error if path cannot be a path.
func wellFormed(path string) error {
	switch {
	case path == "":
		return fail(edits.InvalidParams, "", "path is empty; give a path relative to a workspace root, an absolute path or a URI")
	case len(path) > maxPath:
		return fail(edits.InvalidParams, "", "path has %d bytes, more than the %d that are allowed; it must name one file", len(path), maxPath)
	case strings.IndexByte(path, 0) >= 0:
		return fail(edits.InvalidParams, "", "path contains a NUL character; give the plain name of the file")
	}
	return nil
}

// resolveFile resolves a path that is not a URI.
func (p Policy) resolveFile(path string, open func(Key) *Opened) (Target, error) {
	switch {
	case filepath.IsAbs(path):
		return p.check(path, path, open)
	case os.IsPathSeparator(path[0]) || filepath.VolumeName(path) != "": // on Windows alone
		return Target{}, fail(edits.InvalidParams, path, "%s is neither relative nor absolute; give the drive and a path from its top", edits.Printable(path))
	case len(p.Roots) == 0 && p.Base == "":
		return Target{}, fail(edits.InvalidParams, path, "%s is relative but the editor has no workspace folder; give an absolute path", edits.Printable(path))
	}
	var places []string
	if p.Base != "" {
		places = append(places, filepath.Join(p.Base, path))
	}
	places = append(places, lists.Map(p.Roots, func(r Root) string { return filepath.Join(r.Path, path) })...)
	at := slices.IndexFunc(places, func(here string) bool { return open(FileKey(here)) != nil || present(here, nil) })
	return p.check(path, places[max(at, 0)], open)
}

// check applies the policy to the file at abs, which the command called given.
func (p Policy) check(given, abs string, open func(Key) *Opened) (Target, error) {
	abs = cleanAbs(abs)
	isOpen := func(k Key) bool { return open(k) != nil }
	isNear := func(r Root) bool { return !OnOtherMachine(abs, []string{r.Path}) }
	if !p.AllowOutside && !isOpen(FileKey(abs)) && OnOtherMachine(abs, nil) && !slices.ContainsFunc(p.Roots, isNear) {
		return Target{}, p.outside(given, abs)
	}
	if hit := p.protects(abs); hit != "" { // by this name, even if the file is open by another
		return Target{}, protected(given, hit)
	}
	guard := guarded(abs, p.Roots)
	dest, err := realPath(abs)
	if err == nil {
		abs = p.choose(append([]string{abs}, p.lookFrom(dest).names(dest)...), isOpen)
	}
	t := Target{Key: FileKey(abs), URI: FileURI(abs), Path: display(abs, p.Roots, isOpen), Abs: abs}
	t, err = p.reach(t, given, dest, err, open(t.Key), Access)
	if err != nil {
		return t, err
	}
	if name := newOddName(abs, isOpen); name != "" {
		return Target{}, fail(edits.InvalidParams, given, "There is no file or folder %s, and a new name may not have control characters, or blanks or invisible characters at its ends: no user could type it. Give the plain name", strconv.QuoteToASCII(name))
	}
	t.Guarded = cmp.Or(guard, t.Guarded)
	return t, nil
}

// tagged matches the flags of England, Scotland and Wales, whose last characters are not seen by themselves.
var tagged = lazy.Regexp("\U0001F3F4\U000E0067\U000E0062(\U000E0065\U000E006E\U000E0067|\U000E0073\U000E0063\U000E0074|\U000E0077\U000E006C\U000E0073)\U000E007F")

// newOddName returns a name in abs of what does not exist, if no user could see it whole or type it. It is mostly due to a
// line end or a blank too much in a command.
func newOddName(abs string, isOpen func(Key) bool) string {
	name, folder := filepath.Base(abs), filepath.Dir(abs)
	shown := tagged().ReplaceAllString(name, "flag")
	unseen := func(r rune) bool {
		return unicode.In(r, unicode.White_Space, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
	}
	switch {
	case folder == abs || present(abs, isOpen):
		return ""
	case shown != strings.TrimFunc(shown, unseen) || strings.ContainsFunc(shown, unicode.IsControl):
		return name
	}
	return newOddName(folder, isOpen)
}

// isShortened reports whether Windows takes a name in a path for a shorter one, such as "menu.txt." for "menu.txt", so
// that the file would be reported by a name that it does not have.
func isShortened(abs string) bool {
	names := strings.FieldsFunc(abs, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.ContainsFunc(names, func(name string) bool { return strings.TrimRight(name, ". ") != name })
}

// OnOtherMachine reports whether abs is on a network share that none of the folders is on. Only Windows has paths
// of shares. Opening one would send the user's credentials to a host that an agent names.
func OnOtherMachine(abs string, folders []string) bool {
	const drive = len("C:")
	share := filepath.VolumeName(abs)
	return len(share) > drive && !slices.ContainsFunc(folders, func(dir string) bool { return strings.EqualFold(filepath.VolumeName(dir), share) })
}

// choose returns the name by which the editor has the file open, else the first one in a root, else the first.
func (p Policy) choose(names []string, isOpen func(Key) bool) string {
	inRoot := func(name string) bool { // spelled as the editor does
		return slices.ContainsFunc(p.Roots, func(r Root) bool { _, ok := Below(r.Path, name); return ok && strings.HasPrefix(name, r.Path) })
	}
	at := slices.IndexFunc(names, func(name string) bool { return isOpen(FileKey(name)) })
	if at < 0 {
		at = slices.IndexFunc(names, inRoot)
	}
	return names[max(0, at)]
}

// checkOpaque applies the policy to an open document that is no local file.
func (p Policy) checkOpaque(key Key) (Target, error) {
	path := string(key)
	_, rest, _ := cutScheme(path)
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	rest = unescape(rest)
	if hit := p.protectedName(rest); hit != "" {
		return Target{}, protected(path, hit)
	}
	return Target{Key: key, URI: path, Path: path, Guarded: guarded(rest, nil)}, nil
}

// Abs returns the absolute path of one that is absolute or relative to a folder.
func Abs(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// Below returns the cleaned path abs relative to the folder dir that holds it; "." is the folder itself. Symbolic
// links are not followed.
func Below(dir, abs string) (rel string, ok bool) {
	if samePath(dir, abs) {
		return ".", true
	}
	if !os.IsPathSeparator(dir[len(dir)-1]) { // only the top of a volume ends in one
		dir += string(filepath.Separator)
	}
	if len(abs) > len(dir) && samePath(dir, abs[:len(dir)]) {
		return abs[len(dir):], true
	}
	return "", false
}

// samePath compares paths as the system does. Volumes of a Mac may or may not ignore case,
// so outside Windows the disk decides.
func samePath(a, b string) bool {
	return a == b || filepath.Separator == '\\' && strings.EqualFold(a, b) || DiffersInCase(a, b)
}

// Limit returns how many bytes a text may have at most.
func (p Policy) Limit() int64 { return cmp.Or(p.MaxBytes, defaultMaxBytes) }

// maxLinks is the number of symbolic links after which a path is taken for a circle.
const maxLinks = 64

// errLinkLoop says that symbolic links run in a circle.
var errLinkLoop = errors.New("its symbolic links form a loop")

// realPath follows every symbolic link of the cleaned absolute path abs, even if the path or the target of a link does not
// exist yet: it returns the final path of a file created at abs. [filepath.EvalSymlinks] gives up in that case, and
// resolving only the parent would let a dangling link lead anywhere. With an error, realPath returns the path at which the
// error occurred.
func realPath(abs string) (string, error) {
	return follow(abs, new(int))
}

// follow is realPath that adds to steps how many parts of the path and of links it asks the system for.
func follow(abs string, steps *int) (string, error) {
	at, todo, links := top(abs), components(abs), 0
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..": // of a link's target; at has no links, so its parent is lexical
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		*steps++
		target, err := readLink(next)
		switch {
		case isAbsent(err) && !slices.Contains(todo, ".."):
			// Nothing exists below a missing name. The whole path can still be too long.
			at = filepath.Join(append([]string{next}, todo...)...)
			if _, err := readLink(at); err != nil && !isAbsent(err) {
				return at, err
			}
			return at, nil
		case err != nil && !isAbsent(err):
			return next, err
		case target == "":
			at = next
			continue
		case ofProcess(next):
			return next, nil
		}
		if links++; links > maxLinks {
			return next, errLinkLoop
		}
		switch {
		case filepath.IsAbs(target):
			at = top(target)
		case os.IsPathSeparator(target[0]): // Windows: from the top of the same volume
			at = top(at)
		}
		todo = append(components(target), todo...)
	}
	return at, nil
}

// ofProcess reports whether a place is where links lead elsewhere in each process. What is behind them is outside.
func ofProcess(place string) bool {
	return slices.ContainsFunc([]string{"/proc", "/dev/fd"}, func(dir string) bool { _, in := Below(dir, place); return in })
}

// top returns the topmost folder of a path's volume.
func top(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }

// components returns the names in a path without its volume; some may be empty.
func components(path string) []string {
	return strings.Split(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/")
}

// readLink returns the target of the symbolic link at path, and "" where there is no link.
func readLink(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return os.Readlink(path)
	case info.Mode()&fs.ModeIrregular != 0: // a Windows junction, or no link at all
		target, _ := os.Readlink(path)
		return target, nil
	}
	return "", nil
}

// isAbsent reports whether err says that nothing exists at a path.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
