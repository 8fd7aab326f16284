package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/lsp/transaction"
)

// show prints the outcome of an editing command: its result, if there is one, and its
// error, if there is one. As JSON, it prints only one of them.
func (r *reach) show(std streams, result *transaction.Result, err error) error {
	switch {
	case err == nil && r.json:
		return showJSON(std.out, result)
	case result != nil && !r.json:
		showDiff(std, result.Diff)
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
		var answer any
		if err := json.Unmarshal(raw, &answer); err != nil {
			return err
		}
		return showJSON(std.out, answer)
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
		wire = &jsonrpc2.Error{Code: jsonrpc2.InternalError, Message: err.Error()}
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
	if !std.colour {
		fmt.Fprint(std.out, diff)
		return
	}
	colours := map[byte]string{'+': "32", '-': "31", '@': "36"}
	for line := range strings.Lines(diff) {
		colour, ok := colours[line[0]]
		if !ok {
			fmt.Fprint(std.out, line)
			continue
		}
		fmt.Fprintf(std.out, "\x1b[%sm%s\x1b[0m\n", colour, strings.TrimSuffix(line, "\n"))
	}
}

// progress shows what on a terminal until stop is called.
func progress(std streams, what string) (stop func()) {
	if !std.progress {
		return func() {}
	}
	fmt.Fprintf(std.err, "%s ...", what)
	return func() { fmt.Fprint(std.err, "\r\x1b[K") }
}

// printable returns s with unprintable characters quoted, for a terminal. The name of a
// folder or an editor may contain any character.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}
