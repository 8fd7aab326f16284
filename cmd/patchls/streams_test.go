package main

import (
	"io"
	"strings"
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
