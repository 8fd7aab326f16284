package lsp

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"
)

// full is a disk without room.
type full struct{ tries int }

func (f *full) Write([]byte) (int, error) {
	f.tries++
	return 0, errors.New("no space left on device")
}

type loop struct{ bytes.Buffer }

func (*loop) Close() error { return nil }

// TestFaultTrace: a trace that cannot be written costs the connection nothing, and is not
// tried again.
func TestFaultTrace(t *testing.T) {
	disk := &full{}
	conn := Tee(&loop{}, disk, time.Now, slog.New(slog.DiscardHandler))
	if n, err := conn.Write([]byte("some bytes")); n != 10 || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	if got, err := io.ReadAll(conn); string(got) != "some bytes" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	if disk.tries != 1 {
		t.Errorf("the trace was tried %d times", disk.tries)
	}
}
