package main

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"
)

// A trace has a line for each message, and shows what is not JSON as it came.
func TestTrace(t *testing.T) {
	var written bytes.Buffer
	noon := func() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }
	trace := tracer(&written, noon, slog.New(slog.DiscardHandler))
	trace("client", []byte(`{"jsonrpc":"2.0","method":"a<b"}`))
	trace("client", []byte(`{"broken`))
	trace("client", []byte("{\n\"id\": 1 }"))
	trace("server", []byte(`{"id":1}`))
	want := `{"time":"2026-11-23T12:00:00.000000Z","from":"client","message":{"jsonrpc":"2.0","method":"a<b"}}
{"time":"2026-11-23T12:00:00.000000Z","from":"client","bytes":"{\"broken"}
{"time":"2026-11-23T12:00:00.000000Z","from":"client","message":{"id":1}}
{"time":"2026-11-23T12:00:00.000000Z","from":"server","message":{"id":1}}
`
	if written.String() != want {
		t.Errorf("the trace is\n%swant\n%s", written.String(), want)
	}
}

// fullDisk is a disk without room.
type fullDisk struct{ tries int }

func (f *fullDisk) Write([]byte) (int, error) {
	f.tries++
	return 0, errors.New("no space left on device")
}

// TestFaultTrace: a trace that cannot be written is not tried again, and the log says so once.
func TestFaultTrace(t *testing.T) {
	var log bytes.Buffer
	disk := &fullDisk{}
	trace := tracer(disk, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	trace("client", []byte("{}"))
	trace("server", []byte("{}"))
	if disk.tries != 1 || bytes.Count(log.Bytes(), []byte("the trace ends here")) != 1 {
		t.Errorf("the trace was tried %d times; the log: %s", disk.tries, log.String())
	}
}
