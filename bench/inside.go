package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/patchls/patchls/internal/framing"
	"github.com/patchls/patchls/lsp"
)

// pair is two one-way pipes as one connection.
type pair struct {
	io.ReadCloser
	out io.WriteCloser
}

func (p pair) Write(b []byte) (int, error) { return p.out.Write(b) }
func (p pair) Close() error                { return errors.Join(p.ReadCloser.Close(), p.out.Close()) }

// inside starts the server in this process, over pipes of the system, so that its
// heap and its allocations can be looked at.
func inside() (*client, error) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = lsp.Serve(context.Background(), pair{theirIn, theirOut}, lsp.Options{}) // it ends with its input
	}()
	c := &client{in: ourOut, out: framing.NewReader(ourIn), end: func() {
		_ = ourOut.Close()
		<-done
		_ = ourIn.Close()
	}}
	err = c.initialize()
	return c, err
}
