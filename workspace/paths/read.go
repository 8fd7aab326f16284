package paths

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// File is a file that no editor holds open, as it was when it was read.
type File struct {
	Path     string    // as results show it
	Text     text.Text // valid UTF-8, without the leading byte order mark
	BOM      bool      // whether the file begins with one
	Writable bool      // whether its permissions let this user write it
}

// ReadClosed reads the file at t as text, not the text that an editor may have. t comes
// from [Policy.Resolve] or [Policy.Reach]. If its path now leads to another file than the one that
// was checked there, nothing of that other file is disclosed.
//
// Errors are *[edits.Error] of kind file_not_found with the nearest existing paths, is_directory, binary_file (also for a
// file that is not regular, which is never opened), too_large, not_utf8, read_only (may not even be read) or
// outside_workspace.
func (p Policy) ReadClosed(t Target) (File, error) {
	if t.Abs == "" {
		return File{}, notOpen(t.Path)
	}
	f, info, err := t.open()
	if err != nil {
		return File{}, p.readError(t, info, err)
	}
	defer f.Close()
	raw, err := p.readAll(f, info.Size(), t.Path)
	if err != nil {
		return File{}, err
	}
	if err := checkText(raw, t.Path); err != nil {
		return File{}, err
	}
	body, bom := strings.CutPrefix(raw, text.BOM)
	return File{Path: t.Path, Text: text.New(body), BOM: bom, Writable: writable(t.Abs, info)}, nil
}

// CheckWritable returns an error of kind read_only if the file's permissions
// forbid writing it. Such a file can still be viewed.
func (f File) CheckWritable() error {
	if f.Writable {
		return nil
	}
	return fail(edits.ReadOnly, f.Path, "%s is read-only; edit another file, or ask the user to make it writable", edits.Printable(f.Path))
}

// Exists reports whether anything exists at t on disk, even a dangling symbolic link, and whether it is a directory or leads
// to one. If the system does not say, Exists assumes that something exists: creating a file there would be a guess.
func (t Target) Exists() (exists, isDir bool) {
	if _, err := os.Lstat(t.Abs); isAbsent(err) {
		return false, false
	}
	info, err := os.Stat(t.Abs)
	return true, err == nil && info.IsDir()
}

// readAll reads a file of the given size up to the limit. It checks the limit
// before and after reading, since the file may be growing.
func (p Policy) readAll(f io.Reader, size int64, path string) (string, error) {
	limit := p.Limit()
	var raw strings.Builder
	if size <= limit {
		raw.Grow(int(size))
		if _, err := io.Copy(&raw, io.LimitReader(f, limit+1)); err != nil {
			return "", ioError(path, err)
		}
		size = int64(raw.Len())
	}
	if size > limit {
		return "", fail(edits.TooLarge, path, "%s has more than the %d bytes that max_document_bytes allows; open it in the editor to edit it", edits.Printable(path), limit)
	}
	return raw.String(), nil
}

// readError turns a failure of openRegular into an error for a model.
func (p Policy) readError(t Target, info fs.FileInfo, err error) error {
	switch {
	case errors.Is(err, errIrregular) && info.IsDir():
		return fail(edits.IsDirectory, t.Path, "%s is a directory; use view to list it, and name a file in it", edits.Printable(t.Path))
	case errors.Is(err, errIrregular):
		return fail(edits.BinaryFile, t.Path, "%s is %s, not a regular file; it has no text to edit", edits.Printable(t.Path), special(info.Mode()))
	case errors.Is(err, errReplaced):
		return fail(edits.OutsideWorkspace, t.Path, "%s has come to lead elsewhere since it was checked; send the command again", edits.Printable(t.Path))
	case isAbsent(err):
		return p.notFound(t)
	}
	return ioError(t.Path, err)
}

var (
	// errIrregular says that a path names something other than a regular file.
	errIrregular = errors.New("not a regular file")
	// errReplaced says that a path leads to another file than was checked.
	errReplaced = errors.New("replaced since it was checked")
)

// open opens the regular file at t if it is the one that was checked. A save may rename a new file over the old one just
// between opening the file and checking where the path leads. The new file is as good, so open tries again.
func (t Target) open() (f *os.File, info fs.FileInfo, err error) {
	for range 3 {
		if f, info, err = openRegular(t.Abs); err != nil {
			return nil, info, err
		}
		if t.leadsTo(info) {
			return f, info, nil
		}
		f.Close()
	}
	return nil, info, errReplaced
}

// openRegular opens the regular file at abs. It checks the kind of file first, since opening can block on a pipe or wake a
// device. If one is swapped in after the check, O_NONBLOCK keeps the open from blocking. With errIrregular, the info
// describes the file that exists instead.
func openRegular(abs string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(abs)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, errIrregular
	}
	return openChecked(abs)
}

// openChecked is openRegular without the check before.
func openChecked(abs string) (*os.File, fs.FileInfo, error) {
	f, err := openNow(abs)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		f.Close()
		return nil, info, err
	}
	return f, info, nil
}

// openNow opens abs for reading without ever waiting for a writer.
func openNow(abs string) (*os.File, error) {
	return os.OpenFile(abs, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// leadsTo reports whether t's path still leads to where it was seen to lead, and the opened file is the one there.
func (t Target) leadsTo(opened fs.FileInfo) bool {
	dest, err := realPath(t.Abs)
	if err != nil || !samePath(dest, t.real) {
		return false
	}
	there, err := os.Lstat(dest)
	return err == nil && os.SameFile(there, opened)
}

// special returns the name of a kind of file that is neither regular nor a directory.
func special(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// binaryProbe is how many bytes at the beginning of a file are searched for the NUL of a binary file; git searches as many.
const binaryProbe = 8192

// checkText returns an error if the bytes of the file at path are not text.
func checkText(raw, path string) error {
	if strings.HasPrefix(raw, "\xff\xfe") || strings.HasPrefix(raw, "\xfe\xff") {
		return fail(edits.NotUTF8, path, "%s is UTF-16, not UTF-8; open it in the editor to edit it", edits.Printable(path))
	}
	if at := strings.IndexByte(raw[:min(len(raw), binaryProbe)], 0); at >= 0 {
		return fail(edits.BinaryFile, path, "%s is a binary file (NUL at offset %d); it has no text to edit", edits.Printable(path), at)
	}
	if utf8.ValidString(raw) {
		return nil
	}
	at := diff.CommonPrefix(raw, strings.ToValidUTF8(raw, "\x00"))
	line := 1 + strings.Count(raw[:at], "\n")
	return fail(edits.NotUTF8, path, "%s is not UTF-8: byte 0x%02X at offset %d, on line %d; open it in the editor to edit it", edits.Printable(path), raw[at], at, line)
}

// CheckEdits refuses edits after which the text could not be edited any more, so that the
// edits could not be taken back either: edits that add the first NUL.
func CheckEdits(path string, t text.Text, es edits.Edits) error {
	for _, e := range es {
		if strings.Contains(e.New, "\x00") && !t.Contains("\x00") {
			return edits.ErrorIn(edits.BinaryFile, path, "The new text has a NUL character (U+0000), which would make %s a binary file; write it as the file's language does, such as \\0, or leave it out.", path)
		}
	}
	return nil
}

// SameOnDisk reports whether the file at a target holds the text t, ignoring a leading byte order mark and the kind of line
// ends, which editors keep apart from the text. exists reports whether anything other than a dangling symbolic link exists
// there. Anything but a readable regular file is never the same, nor is another file than was checked, as in
// [Policy.ReadClosed].
//
// A file that t was saved to in another encoding than UTF-8 differs. The cost is
// a check of the size, and, if the size fits, a scan up to the first difference.
func SameOnDisk(at Target, t text.Text) (same, exists bool) {
	f, info, err := at.open()
	if err != nil {
		_, err := os.Stat(at.Abs)
		return false, err == nil
	}
	defer f.Close()
	// Disk has "\r\n" for each "\n" of the text at most, or the other way round.
	size, n := info.Size(), int64(t.Len()+len(text.BOM))
	if size > 2*n || n > 2*size+2*int64(len(text.BOM)) {
		return false, true
	}
	if size == int64(t.Len()) && equal(f, reader(t)) {
		return true, true // as is nearly always so if the texts are the same
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false, true
	}
	return equal(newPlain(f), newPlain(reader(t))), true
}

// lookBytes is how many bytes are compared at a time: texts that differ mostly do so early.
const lookBytes = 16 << 10

// equal reports whether a and b yield the same bytes. A failed read counts as a difference.
func equal(a, b io.Reader) bool {
	one, other := bufio.NewReaderSize(a, lookBytes), bufio.NewReaderSize(b, lookBytes)
	for {
		x, errX := one.Peek(lookBytes)
		y, errY := other.Peek(lookBytes)
		if !bytes.Equal(x, y) || errX != nil || errY != nil {
			return bytes.Equal(x, y) && errors.Is(errX, io.EOF) && errors.Is(errY, io.EOF)
		}
		_, _ = one.Discard(lookBytes) // they were peeked at, so they are there
		_, _ = other.Discard(lookBytes)
	}
}

// reader reads t.
func reader(t text.Text) io.Reader {
	var runs []io.Reader
	for run := range t.Runs() {
		runs = append(runs, strings.NewReader(run))
	}
	return io.MultiReader(runs...)
}

// plain reads a text without its byte order mark and with "\n" for "\r\n".
type plain struct{ r *bufio.Reader }

func newPlain(r io.Reader) io.Reader {
	br := bufio.NewReader(r)
	if head, _ := br.Peek(len(text.BOM)); string(head) == text.BOM {
		_, _ = br.Discard(len(text.BOM)) // it was peeked at, so it is there
	}
	return plain{br}
}

// Read may return no bytes and no error, as [io.Reader] allows.
func (p plain) Read(buf []byte) (int, error) {
	n, err := p.r.Read(buf)
	if n > 0 && buf[n-1] == '\r' { // the next byte decides whether it is dropped
		if next, _ := p.r.Peek(1); string(next) == "\n" {
			n--
		}
	}
	return copy(buf, bytes.ReplaceAll(buf[:n], []byte("\r\n"), []byte("\n"))), err
}

// IsDirty reports whether the editor's text differs from the file.
func IsDirty(t Target, now text.Text) bool {
	if t.Abs == "" {
		return true
	}
	same, _ := SameOnDisk(t, now)
	return !same
}
