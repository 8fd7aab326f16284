package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/term"
)

// streams are where a command reads and writes; nothing else does.
type streams struct {
	in          io.Reader
	out, err    io.Writer
	interactive bool // in is a terminal
	colour      bool // out is a terminal, and nobody asked for no colour
	progress    bool // err is a terminal
}

func standardStreams() streams {
	return streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		interactive: term.IsTerminal(int(os.Stdin.Fd())),
		colour:      term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "",
		progress:    term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// checked remembers the first error of writing to a Writer, so that an answer that
// did not get out is no success. A reader that has left wants no more of it.
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

// pipe is a pair of streams as one connection. Closing it ends a Read and a Write
// that wait, which closing a terminal or a pipe of the system does not.
type pipe struct {
	out    io.Writer
	pieces chan []byte
	free   chan []byte // buffers whose pieces have been read
	piece  []byte      // the one that is being read, and what is left of it
	rest   []byte
	err    error // of the reading; set before pieces is closed

	closing sync.Once
	closed  chan struct{}
}

// pieceSize is how many bytes are read at once, as many as a pipe of Linux holds.
const pieceSize = 64 << 10

func newPipe(in io.Reader, out io.Writer) *pipe {
	p := &pipe{out: out, pieces: make(chan []byte), free: make(chan []byte, 2), closed: make(chan struct{})}
	for range cap(p.free) { // one is read into while the other one is read from
		p.free <- make([]byte, pieceSize)
	}
	go p.pump(in)
	return p
}

// pump reads until the input ends. A Read of it that waits when the pipe is
// closed stays behind, and so does a Write; the process is about to end then.
func (p *pipe) pump(in io.Reader) {
	defer close(p.pieces)
	for {
		var buf []byte
		select {
		case buf = <-p.free:
		case <-p.closed:
			p.err = io.ErrClosedPipe
			return
		}
		n, err := in.Read(buf)
		if n > 0 {
			select {
			case p.pieces <- buf[:n]:
			case <-p.closed:
				p.err = io.ErrClosedPipe
				return
			}
		} else {
			p.free <- buf // where there is room for all
		}
		if err != nil {
			p.err = err
			return
		}
	}
}

func (p *pipe) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		select {
		case piece, ok := <-p.pieces:
			if !ok {
				return 0, p.err
			}
			p.piece, p.rest = piece, piece
		case <-p.closed:
			return 0, io.ErrClosedPipe
		}
	}
	n := copy(b, p.rest)
	if p.rest = p.rest[n:]; len(p.rest) == 0 {
		p.free <- p.piece[:cap(p.piece)] // where there is room for all
	}
	return n, nil
}

// Write is called by one goroutine at a time. The bytes are the caller's again
// only when it returns, so what is left behind writes a copy.
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

// readAll reads in to its end, or until ctx is done.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	p := newPipe(in, nil)
	defer context.AfterFunc(ctx, func() { _ = p.Close() })()
	raw, err := io.ReadAll(p)
	if ctx.Err() != nil {
		return nil, failed{errInterrupted}
	}
	return raw, err
}

func (p *pipe) Close() error {
	p.closing.Do(func() { close(p.closed) })
	return nil
}
