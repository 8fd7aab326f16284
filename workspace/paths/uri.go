package paths

import (
	"encoding/hex"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits"
)

// Key identifies a document. For a local file: URI it is the cleaned absolute
// path (on Windows with a lower-case drive letter), so that every spelling of
// the URI gives the same key; for any other URI it is the URI as spelled.
//
// A key is lexical: nothing on disk is looked at, and two keys whose paths lead
// to one file through symbolic links differ; see [Target.OpenAs].
type Key string

// KeyOf returns the key of the document that a client calls rawURI. It takes
// what clients really send: blanks and non-ASCII that are not percent-encoded,
// a "%" that encodes nothing, a plain absolute path. A file: URI that names
// another host or has a query or a fragment is no local file and keeps its
// spelling. An error is an *[edits.Error] of kind invalid_params.
func KeyOf(rawURI string) (Key, error) {
	if strings.IndexByte(rawURI, 0) >= 0 {
		return "", fail(edits.InvalidParams, "", "A URI cannot contain a NUL character")
	}
	if filepath.IsAbs(rawURI) {
		return FileKey(rawURI), nil
	}
	scheme, rest, ok := cutScheme(rawURI)
	if !ok {
		return "", fail(edits.InvalidParams, rawURI, "%s is not a URI: it has no scheme such as file:", printable(rawURI))
	}
	if !strings.EqualFold(scheme, "file") {
		return Key(rawURI), nil
	}
	host, path := cutAuthority(rest)
	if !strings.HasPrefix(path, "/") {
		// Neovim calls every unnamed buffer "file://": as a key it would make
		// one document of them all.
		return "", fail(edits.InvalidParams, rawURI, "%s has no absolute path; write file:///path/to/file", printable(rawURI))
	}
	local := host == "" || strings.EqualFold(host, "localhost") || filepath.Separator == '\\'
	if !local || strings.ContainsAny(path, "?#") {
		return Key(rawURI), nil
	}
	path = unescape(path)
	if strings.IndexByte(path, 0) >= 0 {
		return "", fail(edits.InvalidParams, rawURI, "A file's path cannot contain a NUL character (%%00)")
	}
	return FileKey(osPath(host, path)), nil
}

// FileKey returns the key of the file at the absolute path abs.
func FileKey(abs string) Key { return Key(cleanAbs(abs)) }

// FilePath returns the path of the file that k names; ok is false if k is not
// the key of a local file.
func (k Key) FilePath() (abs string, ok bool) {
	if filepath.IsAbs(string(k)) {
		return string(k), true
	}
	return "", false
}

// FileURI returns the file: URI of the absolute path abs, percent-encoded as VS
// Code does.
func FileURI(abs string) string { return string(uri.File(cleanAbs(abs))) }

// The characters of a scheme, of which the first is a letter.
const (
	letters      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	schemeOthers = "0123456789+-."
)

// cutScheme splits "scheme:rest". A scheme has two characters at least: with
// one it is a Windows drive.
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
	if i := strings.IndexByte(after, '/'); i >= 0 {
		return after[:i], after[i:]
	}
	return after, ""
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

// cleanAbs cleans an absolute path and folds its drive letter, which clients
// spell both ways.
func cleanAbs(abs string) string {
	abs = filepath.Clean(abs)
	if len(filepath.VolumeName(abs)) == 2 {
		return strings.ToLower(abs[:1]) + abs[1:]
	}
	return abs
}

// unescape decodes the "%XX" of s to bytes. Anything else with a "%" stays as
// it is, since some clients send names without encoding them.
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
