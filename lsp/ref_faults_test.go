package lsp_test

import (
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/transaction"
)

// Each of the tests TestW1_1 and so on shows that the server does not have one fault of a
// reference tool. The first number is the tool, the second only tells its faults apart.

// toolFile is an open file a.txt with a text, and an agent at it.
type toolFile struct {
	*session
	b *headless.Buffer
}

func startToolFile(t *testing.T, text string) toolFile {
	t.Helper()
	s := startTool(t, map[string]string{"a.txt": text})
	return toolFile{s, s.open("a.txt")}
}

// does runs a command on a.txt that must give a text.
func (d toolFile) does(command string, a args, want string) transaction.Result {
	d.t.Helper()
	a["path"] = "a.txt"
	r := d.edit(command, a)
	if got := textOf(d.b); got != want || !r.Verified {
		d.t.Errorf("%s %v gives %q, verified %v; want %q", command, a, got, r.Verified, want)
	}
	return r
}

// fails runs a command on a.txt that must fail and leave the text.
func (d toolFile) fails(command string, a args, kind edits.Kind) failure {
	d.t.Helper()
	before := textOf(d.b)
	a["path"] = "a.txt"
	f := d.fail(command, a)
	if f.Kind != kind || textOf(d.b) != before {
		d.t.Errorf("%s %v fails with %s: %q, text %q; want %s, text %q", command, a, f.Kind, f.Message, textOf(d.b), kind, before)
	}
	return f
}

// reads has text_editor read a.txt.
func (d toolFile) reads(a args) reference.Reading {
	d.t.Helper()
	a["action"], a["path"] = "read", "a.txt"
	return run[reference.Reading](d.session, "text_editor", a)
}
