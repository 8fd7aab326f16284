package framing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

const stream = "Content-Length: 2\r\n\r\n{}content-type: x\r\n content-length :8\n\r\n[\"\r\n\r\n\"]Content-Length: 0\r\n\r\nContent-Length: 1\n\n7"

var bodies = []string{"{}", "[\"\r\n\r\n\"]", "", "7"}

// Messages are read however the reads are cut.
func TestReader(t *testing.T) {
	for name, cut := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader, "by halves": iotest.HalfReader, "with the error": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(cut(strings.NewReader(stream)))
			var got []string
			for {
				body, err := r.Read()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(body))
			}
			if !slices.Equal(got, bodies) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestReaderErrors(t *testing.T) {
	for in, want := range map[string]error{
		"":                               io.EOF,
		"C":                              io.ErrUnexpectedEOF,
		"Content-Length: 2\r\n\r":        io.ErrUnexpectedEOF,
		"Content-Length: 2\r\n\r\n":      io.ErrUnexpectedEOF,
		"Content-Length: 2\r\n\r\n{":     io.ErrUnexpectedEOF,
		"Content-Length: 70000\r\n\r\n{": io.ErrUnexpectedEOF,
		"junk\n":                         ErrHeader,
		"\r\n":                           ErrHeader,
		"Content-Type: x\r\n\r\n":        ErrHeader,
		"Content-Length: -1\r\n\r\n":     ErrHeader,
		"Content-Length: 1e2\r\n\r\n":    ErrHeader,
		"Content-Length:\r\n\r\n":        ErrHeader,
		"Content-Length: " + "9999999999999999999\r\n\r\n": ErrHeader,
		strings.Repeat("a", maxHeader+1):                   ErrHeader,
		strings.Repeat("a: b\n", maxHeader):                ErrHeader,
	} {
		t.Run(fmt.Sprintf("%.30q", in), func(t *testing.T) {
			if body, err := NewReader(strings.NewReader(in)).Read(); !errors.Is(err, want) {
				t.Errorf("got %q, %v; want %v", body, err, want)
			}
		})
	}
	endless, peer := io.Pipe() // the peer stays silent after that
	go func() { _, _ = peer.Write([]byte(strings.Repeat("a", maxHeader+1))) }()
	if _, err := NewReader(endless).Next(); !errors.Is(err, ErrHeader) {
		t.Errorf("a header without an end: %v, want %v", err, ErrHeader)
	}
	if _, err := NewReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n{}", maxBody+1))).Read(); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a message that is too long was read: %v", err)
	}
}

// message returns a body with its header.
func message(body []byte) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// The unread rest of a message is not taken for the next message.
func TestReaderSkips(t *testing.T) {
	long := strings.Repeat("b", 200_000)
	in := string(message([]byte("aa"+long+"zz"))) + string(message([]byte("abz"))) + string(message([]byte(long))) + string(message([]byte("end")))
	r := NewReader(iotest.HalfReader(strings.NewReader(in)))
	for _, step := range []struct {
		keep int
		peek string
	}{{3, "aab"}, {4, "abz"}} {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if got := r.Peek(step.keep); string(got) != step.peek {
			t.Errorf("it begins with %q, want %q", got, step.peek)
		}
		if err := r.Skip(); err != nil {
			t.Error(err)
		}
	}
	if n, err := r.Next(); n != int64(len(long)) || err != nil {
		t.Fatal(n, err)
	}
	if body, err := r.Read(); err != nil || string(body) != "end" {
		t.Errorf("got %q, %v", body, err)
	}
}

// Memory is allocated for data that arrived, not for the length that a header announces,
// and a large buffer is not kept.
func TestReaderMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := NewReader(strings.NewReader("Content-Length: 700000000\r\n\r\n" + strings.Repeat("x", 100_000))).Read(); err == nil {
		t.Error("a message that did not come was read")
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 8<<20 {
		t.Errorf("%d bytes were taken for 100000", after.TotalAlloc-before.TotalAlloc)
	}
	for _, n := range []int{64 << 10, 64<<10 + 1, maxKept, maxKept + 1, 20 << 20} {
		body := bytes.Repeat([]byte("y"), n)
		r := NewReader(bytes.NewReader(slices.Concat(message(body), message([]byte("{}")))))
		got, err := r.Read()
		if err != nil || !bytes.Equal(got, body) || cap(got) > max(2*n, 64<<10) {
			t.Errorf("of %d bytes came %d, in a buffer of %d: %v", n, len(got), cap(got), err)
		}
		if _, err := r.Read(); err != nil || cap(r.buf) > maxKept {
			t.Errorf("a buffer of %d bytes is kept: %v", cap(r.buf), err)
		}
	}
}

// writes counts what it takes.
type writes []string

func (w *writes) Write(b []byte) (int, error) { *w = append(*w, string(b)); return len(b), nil }

func TestWriter(t *testing.T) {
	var got writes
	w := NewWriter(&got)
	var want []string
	for _, body := range append(bodies, strings.Repeat("x", 2*maxKept), "{}") {
		if err := w.Write(func(b []byte) []byte { return append(b, body...) }); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
	}
	if !slices.Equal(got, want) {
		t.Errorf("wrote %.80q", got)
	}
	if cap(w.buf) > maxKept {
		t.Errorf("a buffer of %d bytes is kept", cap(w.buf))
	}
}

func BenchmarkReader(b *testing.B) {
	in := bytes.Repeat(message(bytes.Repeat([]byte("x"), 200)), 10_000)
	b.SetBytes(int64(len(in) / 10_000))
	b.ReportAllocs()
	var from bytes.Reader
	r := NewReader(&from)
	for i := 0; b.Loop(); i++ {
		if i%10_000 == 0 {
			from.Reset(in)
		}
		if _, err := r.Read(); err != nil {
			b.Fatal(err)
		}
	}
}
