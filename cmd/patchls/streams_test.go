package main

import (
	"io"
	"strings"
	"syscall"
	"testing"
)

// A client that reads nothing, and sends nothing, must not keep the server from
// ending.
func TestClosingEndsAReadAndAWriteThatWait(t *testing.T) {
	in, _ := io.Pipe()
	_, out := io.Pipe()
	p := newPipe(in, out)
	ended := make(chan error, 2)
	go func() {
		_, err := p.Read(make([]byte, 1))
		ended <- err
	}()
	go func() {
		_, err := p.Write([]byte("x"))
		ended <- err
	}()
	_ = p.Close()
	_ = p.Close()
	for range 2 {
		if err := <-ended; err == nil {
			t.Error("no error")
		}
	}
	_ = in.Close() // what was left behind ends as well
	_ = out.Close()
}

func TestPipeReadsAllThatCame(t *testing.T) {
	p := newPipe(strings.NewReader("abc"), io.Discard)
	got, err := io.ReadAll(p)
	if err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
}

// An answer that could not be written is a failure, but for a reader that left.
func TestAFullDiskIsAFailure(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{{syscall.ENOSPC, exitFailed}, {syscall.EPIPE, exitDone}, {nil, exitDone}} {
		if got := run(streams{in: strings.NewReader(""), out: full{test.err}, err: io.Discard}, []string{"version"}); got != test.want {
			t.Errorf("%v: exit code %d, want %d", test.err, got, test.want)
		}
	}
}

type full struct{ err error }

func (f full) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return len(p), nil
}
