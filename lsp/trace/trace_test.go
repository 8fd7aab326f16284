package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// conn reads what the client sends, and takes what the server sends.
type conn struct {
	io.Reader
	io.Writer
}

func (conn) Close() error { return nil }

func noon() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func line(from, member, value string) string {
	return fmt.Sprintf(`{"time":"2026-11-23T12:00:00.000000Z","from":%q,%q:%s}`+"\n", from, member, value)
}

// A trace has a line for each message, however the reads are cut, and one for what is none.
func TestTrace(t *testing.T) {
	sent := frame(`{"jsonrpc":"2.0","method":"a<b"}`) + "junk\r\n\r\n" + frame(`{"broken`) + frame("{\n\"id\": 1 }") + "Content-Length: 9\r\n\r\nhalf"
	want := line("client", "message", `{"jsonrpc":"2.0","method":"a<b"}`) +
		line("client", "bytes", `"junk\r\n\r\n"`) +
		line("client", "bytes", `"{\"broken"`) +
		line("client", "message", `{"id":1}`)
	end := line("client", "bytes", `"Content-Length: 9\r\n\r\nhalf"`)
	answer := line("server", "message", `{"id":1}`)
	for name, cut := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "one byte": iotest.OneByteReader, "half": iotest.HalfReader} {
		t.Run(name, func(t *testing.T) {
			var trace, out bytes.Buffer
			c := Tee(conn{cut(strings.NewReader(sent)), &out}, &trace, noon, slog.New(slog.DiscardHandler))
			got, err := io.ReadAll(c)
			if err != nil || string(got) != sent {
				t.Errorf("read %q, %v", got, err)
			}
			if _, err := io.WriteString(c, frame(`{"id":1}`)); err != nil || out.String() != frame(`{"id":1}`) {
				t.Errorf("wrote %q, %v", out.String(), err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if trace.String() != want+answer+end {
				t.Errorf("the trace is\n%swant\n%s", trace.String(), want+answer+end)
			}
		})
	}
}

// full is a disk without room.
type full struct{ tries int }

func (f *full) Write([]byte) (int, error) {
	f.tries++
	return 0, errors.New("no space left on device")
}

// TestFaultTrace: a trace that cannot be written costs the connection nothing, and is not
// tried again.
func TestFaultTrace(t *testing.T) {
	disk, out := &full{}, &bytes.Buffer{}
	c := Tee(conn{strings.NewReader(frame("{}")), out}, disk, time.Now, slog.New(slog.DiscardHandler))
	if n, err := io.WriteString(c, frame("{}")); n != len(frame("{}")) || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	if got, err := io.ReadAll(c); string(got) != frame("{}") || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	if disk.tries != 1 {
		t.Errorf("the trace was tried %d times", disk.tries)
	}
}
