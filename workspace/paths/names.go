package paths

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits"
)

// Target returns the target by which results name the document k. It does not
// check whether a command may touch the document.
func (p Policy) Target(k Key, isOpen func(Key) bool) Target {
	abs, ok := k.FilePath()
	if !ok {
		return Target{Key: k, URI: string(k), Path: string(k)}
	}
	return Target{Key: k, URI: FileURI(abs), Path: display(abs, p.Roots, isOpen), Abs: abs}
}

// display returns abs as results show it: relative to its root, with forward slashes. The result must lead back to the same
// file when a command names it, so if an earlier root has a file of that name, the whole path is shown. A name that is not
// fit for a line is shown as a URI: messages, diffs, lenses and questions have it as it is returned here.
func display(abs string, roots []Root, isOpen func(Key) bool) string {
	shown := abs
	for i, r := range roots {
		rel, ok := r.below(abs)
		if ok && !isTaken(rel, roots[:i], isOpen) {
			shown = filepath.ToSlash(rel)
			break
		}
	}
	if !edits.IsFit(shown) {
		return FileURI(abs)
	}
	return shown
}

// isTaken reports whether a file or open document exists at rel in one of the roots.
func isTaken(rel string, roots []Root, isOpen func(Key) bool) bool {
	return slices.ContainsFunc(roots, func(r Root) bool { return present(filepath.Join(r.Path, rel), isOpen) })
}

// present reports whether abs is open in the editor or exists on disk.
func present(abs string, isOpen func(Key) bool) bool {
	if isOpen != nil && isOpen(FileKey(abs)) {
		return true
	}
	_, err := os.Lstat(abs)
	return err == nil
}

// Identity returns one key for all names of a file, whether it is open or not.
// Commands about the file take turns under this key.
func (t Target) Identity() Key {
	if leads := leadsNow(t.Key); leads != "" {
		return FileKey(leads)
	}
	return t.Key
}

// Listed reports whether the folder of abs lists a file of exactly that name. On a
// file system that ignores case, a stat of abs would also find other spellings.
func Listed(abs string) bool {
	if _, err := os.Lstat(abs); err != nil {
		return false
	}
	dir, err := os.Open(filepath.Dir(abs))
	if err != nil {
		return true // the file exists, and nothing says that its name differs
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return err != nil || slices.Contains(names, filepath.Base(abs))
}

// DiffersInCase reports whether a and b are two names of one file that differ only in case.
func DiffersInCase(a, b string) bool {
	if a == b || !strings.EqualFold(a, b) {
		return false
	}
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other)
}

// Key identifies a document. For a local file: URI it is the cleaned absolute path (on Windows with a lower-case drive
// letter), so that every spelling of the URI gives the same key; for any other URI it is the URI as spelled.
//
// A key is lexical: it does not depend on the disk, and two keys whose paths lead
// to one file through symbolic links differ; see [Find].
type Key string

// KeyOf returns the key of the document that a client calls rawURI. It accepts what clients really send: blanks and
// non-ASCII that are not percent-encoded, a "%" that encodes nothing, a plain absolute path. A file: URI that names another
// host or has a query or a fragment is no local file and keeps its spelling. An error is an *[edits.Error] of kind
// invalid_params.
func KeyOf(rawURI string) (Key, error) {
	if strings.IndexByte(rawURI, 0) >= 0 {
		return "", fail(edits.InvalidParams, "", "A URI cannot contain a NUL character")
	}
	if filepath.IsAbs(rawURI) {
		return FileKey(rawURI), nil
	}
	scheme, rest, ok := cutScheme(rawURI)
	if !ok {
		return "", fail(edits.InvalidParams, rawURI, "%s is not a URI: it has no scheme such as file:", edits.Printable(rawURI))
	}
	if !strings.EqualFold(scheme, "file") {
		return Key(rawURI), nil
	}
	host, path := cutAuthority(rest)
	if !strings.HasPrefix(path, "/") {
		// Neovim calls every unnamed buffer "file://": as a key it would make one document of them all.
		return "", fail(edits.InvalidParams, rawURI, "%s has no absolute path; write file:///path/to/file", edits.Printable(rawURI))
	}
	local := host == "" || strings.EqualFold(host, "localhost") || filepath.Separator == '\\'
	if !local || strings.ContainsAny(path, "?#") {
		return Key(rawURI), nil
	}
	path = unescape(path)
	if strings.IndexByte(path, 0) >= 0 {
		return "", fail(edits.InvalidParams, rawURI, "A file's path cannot contain a NUL character (%%00)")
	}
	return FileKey(osPath(unescape(host), path)), nil
}

// FileKey returns the key of the file at the absolute path abs.
func FileKey(abs string) Key { return Key(cleanAbs(abs)) }

// FilePath returns the path of the file that k names; ok is false if k is not the key of a local file.
func (k Key) FilePath() (abs string, ok bool) {
	if filepath.IsAbs(string(k)) {
		return string(k), true
	}
	return "", false
}

// FileURI returns the file: URI of the absolute path abs, percent-encoded as VS Code does.
func FileURI(abs string) string { return string(uri.File(cleanAbs(abs))) }

// The characters of a scheme. The first one is a letter.
const (
	letters      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	schemeOthers = "0123456789+-."
)

// cutScheme splits "scheme:rest". A scheme has at least two characters; a single one is a Windows drive.
func cutScheme(s string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(s, ":")
	if !ok || len(scheme) < 2 || !strings.Contains(letters, scheme[:1]) || strings.Trim(scheme, letters+schemeOthers) != "" {
		return "", s, false
	}
	return scheme, rest, true
}

// cutAuthority splits what follows a scheme, "//host/path" or "/path".
func cutAuthority(rest string) (host, path string) {
	after, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return "", rest
	}
	slash := strings.IndexByte(after+"/", '/')
	return after[:slash], after[slash:]
}

// osPath turns the decoded parts of a file: URI into a path of this system.
func osPath(host, path string) string {
	if filepath.Separator == '/' {
		return path
	}
	if host != "" && !strings.EqualFold(host, "localhost") {
		return filepath.FromSlash("//" + host + path)
	}
	if drive := strings.TrimPrefix(path, "/"); filepath.VolumeName(drive) != "" {
		path = drive
	}
	return filepath.FromSlash(path)
}

// cleanAbs cleans an absolute path and folds its drive letter, which clients spell both ways.
func cleanAbs(abs string) string {
	abs = filepath.Clean(abs)
	if len(filepath.VolumeName(abs)) == 2 {
		return strings.ToLower(abs[:1]) + abs[1:]
	}
	return abs
}

// unescape decodes each "%XX" in s to a byte. Any other "%" stays as it is, since
// some clients send names without encoding them.
func unescape(s string) string {
	parts := strings.Split(s, "%")
	for i, part := range parts[1:] {
		parts[i+1] = "%" + part
		if len(part) < 2 {
			continue
		}
		if decoded, err := hex.DecodeString(part[:2]); err == nil {
			parts[i+1] = string(decoded) + part[2:]
		}
	}
	return strings.Join(parts, "")
}

// The limits for [OneLine] in messages to the user, in characters.
const (
	MaxShownPath    = 200  // the name of a file
	MaxShownMessage = 1000 // a whole message
)

// OneLine makes a text from an agent, or the name of a file, safe to show in one line that the user reads: a question, a
// message, a lens, a log. It replaces characters that could pass for another line, turn the direction of reading, control a
// terminal, or be a link or an icon in VS Code. It collapses blanks, and leaves out the middle of a text with more than
// limit characters. The plugins do the same in their languages; testdata/oneline.json has the tests for all of them.
func OneLine(s string, limit int) string {
	runes := []rune(Sanitize(strings.Join(strings.Fields(s), " ")))
	if len(runes) <= limit {
		return string(runes)
	}
	head := (limit - 1) / 3
	tail := limit - 1 - head
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}

// Sanitize is OneLine for a text of several lines: it leaves line feeds and tabs, and the
// result has as many characters as s.
func Sanitize(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '[':
			return '［'
		case r == ']':
			return '］'
		case r != '\n' && r != '\t' && edits.IsUnfit(r):
			return '\ufffd'
		}
		return r // invalid UTF-8 is U+FFFD already
	}, s)
	return strings.ReplaceAll(s, "$(", "＄(")
}
