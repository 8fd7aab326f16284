package clients_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/workspace/paths"
)

// sessionBlock is a session: "> " and what the editor sends, "< " and what the server sends, where "…" stands for anything.
var sessionBlock = regexp.MustCompile("(?s)```text\n(> .*?)```\n")

// TestSession has an editor send what the session of docs/build/editor.md has, and compares what the server sends.
func TestSession(t *testing.T) {
	page := liveeditor.OnDisk(t, "../editor.md")
	root := liveeditor.Folder(t, map[string]string{"menu.txt": "soup\nbread\n"})
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = lsp.Serve(context.Background(), theirs, lsp.Options{Version: "v0.1.0"})
	}()
	r := textproto.NewReader(bufio.NewReader(ours))
	session := strings.ReplaceAll(sessionBlock.FindStringSubmatch(page)[1], "file:///home/ada/menu", paths.FileURI(root))
	sent := 0
	for line := range strings.Lines(session) {
		says, message := line[:2], strings.TrimSpace(line[2:])
		if says == "> " {
			sent++
			if _, err := fmt.Fprintf(ours, "Content-Length: %d\r\n\r\n%s", len(message), message); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got := next(t, r)
		want := strings.ReplaceAll(regexp.QuoteMeta(message), "…", ".*")
		if !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Fatalf("the server sends\n%s\nand docs/build/editor.md has\n%s", got, message)
		}
	}
	if sent < 5 {
		t.Errorf("the session of docs/build/editor.md has %d messages of the editor", sent)
	}
	_ = ours.Close()
	<-done
}

// next returns the next message of the server that is no line for a log.
func next(t *testing.T, r *textproto.Reader) string {
	t.Helper()
	for {
		head, err := r.ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		length, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		message := make([]byte, length)
		if _, err := io.ReadFull(r.R, message); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(message), `"window/logMessage"`) {
			return string(message)
		}
	}
}
