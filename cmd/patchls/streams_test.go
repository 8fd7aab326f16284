package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
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

// blocked is an input that says when it is waited for.
type blocked struct {
	io.Reader
	waits func()
}

func (b blocked) Read(p []byte) (int, error) {
	b.waits()
	return b.Reader.Read(p)
}

// An interrupt ends a command that waits for its input.
func TestAnInterruptEndsTheWaitForInput(t *testing.T) {
	for _, args := range [][]string{{"apply"}, {"apply", "-"}, {"call", "view", "-"}, {"hook", "claude"}} {
		ctx, cancel := context.WithCancel(t.Context())
		in, end := io.Pipe()
		var errs strings.Builder
		root := rootCommand(streams{in: blocked{in, cancel}, out: io.Discard, err: &errs})
		root.SetArgs(args)
		err := root.ExecuteContext(ctx)
		if _, ok := errors.AsType[failed](err); !ok || errs.String() != "Error: interrupted before anything was done\n" {
			t.Errorf("%q: %v, %q", args, err, errs.String())
		}
		_ = end.Close() // what was left behind ends as well
	}
}

// An interrupt at the question of setup is a no. Before the question stands what the user is not asked about any more.
func TestAnInterruptIsNoAnswer(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "LocalAppData", "CODEX_HOME"} {
		t.Setenv(name, home)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, end := io.Pipe()
	var out strings.Builder
	root := rootCommand(streams{in: blocked{in, cancel}, out: &out, err: t.Output(), interactive: true})
	root.SetArgs([]string{"setup", "codex"})
	const unasked = "It does not ask you before an edit that patchls makes.\nWrite this? [y/N] Nothing was written.\n"
	if err := root.ExecuteContext(ctx); err != nil || !strings.HasSuffix(out.String(), unasked) {
		t.Errorf("%v, %q", err, out.String())
	}
	_ = end.Close() // what was left behind ends as well
}

// Where the program cannot be started by its name, an agent is not said to be set up.
func TestSetupWithoutTheProgram(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "LocalAppData", "CLAUDE_CONFIG_DIR", "PATH"} {
		t.Setenv(name, home)
	}
	for range 2 { // the second time there is nothing to write
		code, out, errs := commandLine(t, "", "setup", "claude", "--yes")
		if code != exitFailed || strings.Contains(out, "is set up") || !strings.Contains(errs, "Error: Claude Code is to start patchls, and cannot: ") ||
			!strings.Contains(errs, "install patchls into a folder of PATH") {
			t.Errorf("exit code %d, %q, %q", code, out, errs)
		}
	}
	if code, _, errs := commandLine(t, "", "setup", "claude", "--undo", "--yes"); code != exitDone || errs != "" {
		t.Errorf("undo: exit code %d, %q", code, errs)
	}
}

// asked is an editor that is interrupted while it is at work.
type asked struct {
	agent.Editor
	interrupt func()
	err       error
}

func (a asked) Execute(ctx context.Context, _ agent.Call) (json.RawMessage, error) {
	a.interrupt()
	return nil, errors.Join(a.err, ctx.Err())
}

// The error of an interrupted command says no more about the edit than is known.
func TestAnInterruptedCommand(t *testing.T) {
	for _, test := range []struct{ came, want error }{
		{agent.ErrNotSent, errInterrupted}, {agent.ErrLost, errUnknown}, {nil, errUnknown},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := execute(ctx, asked{interrupt: cancel, err: test.came}, "view", nil)
		if got, ok := errors.AsType[failed](err); !ok || got.err != test.want {
			t.Errorf("%v: %v, want %v", test.came, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e, err := embedded(ctx, t.TempDir(), nil, lsp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	cancel()
	if _, err := execute(ctx, e, "view", nil); err == nil || err.Error() != errInterrupted.Error() {
		t.Errorf("embedded: %v", err)
	}
	if err := saveLive(ctx, nil, &transaction.Result{Files: []transaction.FileResult{{}}}); err == nil || !strings.Contains(err.Error(), "in the editor's buffer") {
		t.Errorf("after the edit: %v", err)
	}
}

// TestAsUTF8: text that Windows PowerShell 5.1 writes is decoded to the original text.
func TestAsUTF8(t *testing.T) {
	const want = "{\"a\": \"é😀\"}"
	for _, raw := range []string{
		want, "\xef\xbb\xbf" + want,
		"\xff\xfe{\x00\"\x00a\x00\"\x00:\x00 \x00\"\x00\xe9\x00\x3d\xd8\x00\xde\"\x00}\x00",
		"\xfe\xff\x00{\x00\"\x00a\x00\"\x00:\x00 \x00\"\x00\xe9\xd8\x3d\xde\x00\x00\"\x00}",
	} {
		if got, err := asUTF8([]byte(raw)); string(got) != want || err != nil {
			t.Errorf("%q became %q, %v", raw, got, err)
		}
	}
	if got, err := asUTF8([]byte("gr\xfc\xdfe")); err == nil {
		t.Errorf("Latin-1 became %q", got)
	}
}
