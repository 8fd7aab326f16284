//go:build unix

package agent

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/wire"
)

// lateReader reads nothing before a write has failed.
type lateReader struct {
	*net.UnixConn
	failed chan struct{}
	once   *sync.Once
}

func (c lateReader) Read(p []byte) (int, error) {
	<-c.failed
	return c.UnixConn.Read(p)
}

func (c lateReader) Write(p []byte) (int, error) {
	n, err := c.UnixConn.Write(p)
	if err != nil {
		c.once.Do(func() { close(c.failed) })
	}
	return n, err
}

// TestTheReasonIsReadAfterAWriteHasFailed: an agent that is refused gets the reason, even if
// a failed write is the first sign that the connection has ended.
func TestTheReasonIsReadAfterAWriteHasFailed(t *testing.T) {
	dir, err := os.MkdirTemp("", "w") //nolint:usetesting // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "s")
	listening, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listening.Close() }()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	server, err := listening.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Write(wire.Message([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too long"}}`))); err != nil {
		t.Fatal(err)
	}
	_ = server.Close()
	l := newLink(lateReader{conn, make(chan struct{}), &sync.Once{}}, &system{grace: time.Minute, check: time.Minute})
	go l.read()
	if _, err := l.call(context.Background(), "initialize", nil, nil); !errors.Is(err, ErrNotSent) {
		t.Errorf("got %v", err)
	}
	<-l.ended.Done()
	if why := l.why; why == nil || !strings.Contains(why.Error(), "too long") {
		t.Errorf("the reason is %v", why)
	}
}
