package paths

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// SameOnDisk reports whether the file at abs holds the text t, a leading byte
// order mark and the kind of line ends left out of account: editors keep both
// apart from the text. exists tells whether there is anything at abs, and not just
// a symbolic link to nothing; what is no readable regular file is never the same.
//
// A file that t was saved to in another encoding than UTF-8 differs. The cost
// is a look at the size, and a scan up to the first difference if that fits.
func SameOnDisk(abs string, t text.Text) (same, exists bool) {
	f, info, err := openRegular(abs)
	if err != nil {
		_, err := os.Stat(abs)
		return false, err == nil
	}
	defer f.Close()
	// Disk has "\r\n" for each "\n" of the text at most, or the other way round.
	size, n := info.Size(), int64(t.Len()+len(text.BOM))
	if size > 2*n || n > 2*size+2*int64(len(text.BOM)) {
		return false, true
	}
	if size == int64(t.Len()) && sameBytes(f, reader(t)) {
		return true, true // as nearly always where it is the same
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false, true
	}
	return sameText(f, reader(t)), true
}

// reader reads a text as it lies in memory.
func reader(t text.Text) io.Reader {
	var runs []io.Reader
	for run := range t.Runs() {
		runs = append(runs, strings.NewReader(run))
	}
	return io.MultiReader(runs...)
}

// sameText compares what two readers give, as SameOnDisk does. A reading that
// fails is a difference.
func sameText(a, b io.Reader) bool { return sameBytes(newPlain(a), newPlain(b)) }

// lookBytes is how much is compared at a time: texts that differ mostly do so early.
const lookBytes = 8 << 10

// sameBytes compares what two readers give, byte by byte.
func sameBytes(a, b io.Reader) bool {
	bufA, bufB := make([]byte, lookBytes), make([]byte, lookBytes)
	for {
		nA, errA := io.ReadFull(a, bufA)
		nB, errB := io.ReadFull(b, bufB)
		if !bytes.Equal(bufA[:nA], bufB[:nB]) {
			return false
		}
		if errA != nil || errB != nil {
			return atEnd(errA) && atEnd(errB)
		}
	}
}

func atEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// plain reads a text without its byte order mark and with "\n" for "\r\n".
type plain struct{ r *bufio.Reader }

func newPlain(r io.Reader) io.Reader {
	br := bufio.NewReader(r)
	if head, _ := br.Peek(len(text.BOM)); string(head) == text.BOM {
		_, _ = br.Discard(len(text.BOM)) // it was peeked at, so it is there
	}
	return plain{br}
}

// Read may give no bytes and no error, as [io.Reader] allows.
func (p plain) Read(buf []byte) (int, error) {
	n, err := p.r.Read(buf)
	if n > 0 && buf[n-1] == '\r' { // whether it goes depends on the byte to come
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
	same, _ := SameOnDisk(t.Abs, now)
	return !same
}
