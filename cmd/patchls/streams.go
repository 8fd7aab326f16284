package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/term"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// streams are the only streams that a command reads and writes.
type streams struct {
	in          io.Reader
	out, err    io.Writer
	interactive bool // in is a terminal
	colour      bool // out is a terminal, and NO_COLOR is not set
	progress    bool // err is a terminal that can clear a line
}

func standardStreams() streams {
	return streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		interactive: term.IsTerminal(int(os.Stdin.Fd())),
		colour:      term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "",
		progress:    term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
	}
}

// checked remembers the first error of writing to a Writer, so that a command whose
// answer was not written fails. EPIPE is no error: the reader wants no more.
type checked struct {
	io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	if err != nil && c.err == nil && !errors.Is(err, syscall.EPIPE) {
		c.err = err
	}
	return n, err
}

// pipe is a pair of streams as one connection. Closing it ends a waiting Read and a
// waiting Write, which closing a terminal or a pipe of the system does not.
type pipe struct {
	*io.PipeReader
	out    io.Writer
	closed <-chan struct{}
	close  func()
}

// newPipe returns a pipe that reads in until it ends. A Read of in or a Write of out that waits when
// the pipe is closed keeps its goroutine; the process is about to end then.
func newPipe(in io.Reader, out io.Writer) *pipe {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err) // never fails; a nil err means EOF
	}()
	ctx, stop := context.WithCancel(context.Background())
	return &pipe{PipeReader: r, out: out, closed: ctx.Done(), close: stop}
}

// Write must be called by one goroutine at a time. It writes a copy of b, since
// the write may outlast the call if the pipe is closed.
func (p *pipe) Write(b []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done, copied := make(chan result, 1), bytes.Clone(b)
	go func() {
		n, err := p.out.Write(copied)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-p.closed:
		return 0, io.ErrClosedPipe
	}
}

func (p *pipe) Close() error {
	p.close()
	return p.PipeReader.Close()
}

// readAll reads in to its end, or until ctx is done.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	p := newPipe(in, nil)
	defer context.AfterFunc(ctx, func() { _ = p.Close() })()
	raw, err := io.ReadAll(p)
	if ctx.Err() != nil {
		return nil, failed{errInterrupted}
	}
	return asUTF8(raw), err
}

// asUTF8 returns raw without its byte order mark, and converts it to UTF-8 if the mark is that of
// UTF-16, in which Windows PowerShell 5.1 writes the output of a command to a file or a pipe.
func asUTF8(raw []byte) []byte {
	plain, _, _ := transform.Bytes(unicode.BOMOverride(transform.Nop), raw) // no text is an error: what is not UTF-16 becomes U+FFFD
	return plain
}
