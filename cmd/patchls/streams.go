package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"go.lsp.dev/jsonrpc2"
	"golang.org/x/term"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/transaction"
)

// streams are the only streams that a command reads and writes.
type streams struct {
	in          io.Reader
	out, err    io.Writer
	interactive bool // in is a terminal
	colour      bool // out is a terminal, and NO_COLOR is not set
	progress    bool // err is a terminal that can clear a line
}

func standardStreams() streams {
	return streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		interactive: term.IsTerminal(int(os.Stdin.Fd())),
		colour:      term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "",
		progress:    term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
	}
}

// checked remembers the first error of writing to a Writer, so that a command whose
// answer was not written fails. EPIPE is no error: the reader wants no more.
type checked struct {
	io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	if err != nil && c.err == nil && !errors.Is(err, syscall.EPIPE) {
		c.err = err
	}
	return n, err
}

// pipe is a pair of streams as one connection. Closing it ends a waiting Read and a
// waiting Write, which closing a terminal or a pipe of the system does not.
type pipe struct {
	*io.PipeReader
	out    io.Writer
	closed <-chan struct{}
	close  func()
}

// newPipe returns a pipe that reads in until it ends. A Read of in or a Write of out that waits when
// the pipe is closed keeps its goroutine; the process is about to end then.
func newPipe(in io.Reader, out io.Writer) *pipe {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err) // never fails; a nil err means EOF
	}()
	ctx, stop := context.WithCancel(context.Background())
	return &pipe{PipeReader: r, out: out, closed: ctx.Done(), close: stop}
}

// Write must be called by one goroutine at a time. It writes a copy of b, since
// the write may outlast the call if the pipe is closed.
func (p *pipe) Write(b []byte) (int, error) {
	copied := bytes.Clone(b)
	return until(p.closed, io.ErrClosedPipe, func() (int, error) { return p.out.Write(copied) })
}

func (p *pipe) Close() error {
	p.close()
	return p.PipeReader.Close()
}

// until returns what call returns, or the error early once done is closed. The call then keeps its goroutine.
func until[T any](done <-chan struct{}, early error, call func() (T, error)) (T, error) {
	var none, value T
	var err error
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		value, err = call()
	}()
	select {
	case <-returned:
		return value, err
	case <-done:
		return none, early
	}
}

// readAll returns what read reads, unless ctx is done before.
func readAll(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	raw, err := until(ctx.Done(), nil, read)
	if ctx.Err() != nil {
		return nil, failed{errInterrupted}
	}
	if err != nil {
		return nil, err
	}
	return asUTF8(raw)
}

// asUTF8 returns raw without its byte order mark, and converts it to UTF-8 if the mark is that of
// UTF-16, in which Windows PowerShell 5.1 writes the output of a command to a file or a pipe.
func asUTF8(raw []byte) ([]byte, error) {
	plain, _, err := transform.Bytes(unicode.BOMOverride(encoding.UTF8Validator), raw) // what is not UTF-16 becomes U+FFFD
	if err != nil {
		err = failed{errors.New("nothing was done, since what was read is not all UTF-8, and other bytes would be lost; convert it to UTF-8")}
	}
	return plain, err
}

// show prints the outcome of an editing command: its result, if there is one, and its
// error, if there is one. As JSON, it prints only one of them.
func (r *reach) show(std streams, result *transaction.Result, err error) error {
	switch {
	case err == nil && r.json:
		return showJSON(std.out, result)
	case result != nil && !r.json:
		if !r.quiet {
			showDiff(std, result.Diff)
		}
		fmt.Fprintln(std.out, result.Message)
		for _, note := range result.Notes {
			fmt.Fprintf(std.out, "note: %s\n", note)
		}
	}
	return show(std, r.json, err)
}

// showRead prints the answer of a command that reads.
func showRead(std streams, asJSON bool, raw json.RawMessage) error {
	if asJSON {
		return showJSON(std.out, raw)
	}
	if shown := words.AnswerText(raw); shown != "" {
		fmt.Fprintln(std.out, shown)
	}
	return nil
}

// show prints the error of a command, as text for a model or as JSON, and returns the error that determines the exit code.
// An error about the command line is returned unchanged and not printed, as is no error.
func show(std streams, asJSON bool, err error) error {
	wire, ok := errors.AsType[*jsonrpc2.Error](err)
	if !ok {
		if _, ok := errors.AsType[failed](err); !ok {
			return err
		}
		wire = &jsonrpc2.Error{Code: jsonrpc2.InternalError, Message: edits.Fit(err.Error())}
	}
	if asJSON {
		return failed{cmp.Or(showError(std.out, wire), err)}
	}
	fmt.Fprintln(std.err, words.ErrorText(wire))
	return failed{err}
}

// showError prints an error as JSON, in its form on the wire.
func showError(w io.Writer, wire *jsonrpc2.Error) error {
	type object struct {
		Code    jsonrpc2.Code   `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}
	return showJSON(w, map[string]any{"error": object{wire.Code, wire.Message, json.RawMessage(wire.Data)}})
}

func showJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// showDiff prints a unified diff, in colour on a terminal.
func showDiff(std streams, diff string) {
	colours := map[byte]string{'+': "32", '-': "31", '@': "36"}
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		fmt.Fprint(std.out, std.inColour(colours[line[0]], text)+line[len(text):])
	}
}

// inColour returns text in the colour or weight of that number, if the terminal shows any; "" is that of other text.
func (s streams) inColour(colour, text string) string {
	if !s.colour || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// printable returns s in one line for a terminal. The name of a folder or an editor may contain any character.
func printable(s string) string { return strings.ReplaceAll(edits.Fit(s), "\n", `\n`) }
