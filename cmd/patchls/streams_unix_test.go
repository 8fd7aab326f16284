//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/patchls/patchls/internal/testkit/liveeditor"
)

// fifo makes a named pipe.
func fifo(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	return name
}

// An interrupt ends a command that reads a named pipe to which nothing is written.
func TestAnInterruptEndsTheWaitForANamedPipe(t *testing.T) {
	for _, command := range []func(pipe string) []string{
		func(pipe string) []string { return []string{"apply", pipe} },
		func(pipe string) []string { return []string{"call", "view", "@" + pipe} },
		func(pipe string) []string { return []string{"call", "create", "path=a.txt", "content=@" + pipe} },
	} {
		name := fifo(t) // its own, as below the goroutine of another command could be met
		args := command(name)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		root := rootCommand(streams{in: strings.NewReader(""), out: io.Discard, err: t.Output()})
		root.SetArgs(args)
		if err := root.ExecuteContext(ctx); err == nil || !strings.Contains(err.Error(), errInterrupted.Error()) {
			t.Fatalf("%q: %v", args, err)
		}
		end, err := os.OpenFile(name, os.O_WRONLY, 0) // waits until the command's goroutine opens it, which then ends as well
		if err != nil {
			t.Fatal(err)
		}
		_ = end.Close()
	}
}

// A server waits for no reader of a named pipe that its log or trace is to go to. With a reader it writes there.
func TestALogIntoANamedPipe(t *testing.T) {
	for _, flag := range []string{"--log-file", "--trace"} {
		name := fifo(t)
		if code, out, errs := commandLine(t, "", "serve", flag, name); code != exitUsage || out != "" || !strings.Contains(errs, "it is a named pipe that no program reads") {
			t.Errorf("%s: exit code %d, %q, %q", flag, code, out, errs)
		}
		reader, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		code, _, errs := commandLine(t, "Content-Length: 2\r\n\r\n{}", "serve", flag, name)
		written := make([]byte, 1000)
		if n, err := reader.Read(written); n == 0 {
			t.Errorf("%s: exit code %d, nothing was written, %v; %s", flag, code, err, errs)
		}
		_ = reader.Close()
	}
}

// A patch is read from a named pipe, as that of <(diff ...) is.
func TestApplyReadsANamedPipe(t *testing.T) {
	liveeditor.Home(t)
	root, name := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"}), fifo(t)
	written := make(chan error, 1)
	go func() {
		w, err := os.OpenFile(name, os.O_WRONLY, 0) // waits for a reader
		if err == nil {
			_, err = w.WriteString("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n")
			err = errors.Join(err, w.Close())
		}
		written <- err
	}()
	code, out, errs := commandLine(t, "", "apply", name, "--root", root)
	if err := <-written; err != nil || code != exitDone {
		t.Fatalf("%v, exit code %d, %s%s", err, code, out, errs)
	}
	if got := liveeditor.OnDisk(t, filepath.Join(root, "a.txt")); got != "two\n" {
		t.Errorf("the file has %q", got)
	}
}
