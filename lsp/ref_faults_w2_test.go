package lsp_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/transaction"
)

func lineEdits(list ...args) args { return args{"action": "patch", "edits": list} }

func TestW2_1APastTheEndRangeReplacesNothing(t *testing.T) {
	d := startToolFile(t, "a\nb\n")
	d.reads(args{})
	d.fails("text_editor", lineEdits(args{"from": 2, "to": 9, "content": "x"}), edits.LineOutOfRange)
}

func TestW2_2AppendAfterAnUnterminatedLine(t *testing.T) {
	d := startToolFile(t, "a\nb\nc")
	d.reads(args{})
	d.does("text_editor", lineEdits(args{"from": 4, "content": "x"}), "a\nb\nc\nx")
}

func TestW2_3OutOfRangeIsAnError(t *testing.T) {
	d := startToolFile(t, "a\n")
	d.reads(args{})
	for _, e := range []args{{"from": 99, "content": "x"}, {"from": 50, "to": 60, "content": "x"}, {"from": 50, "to": 60}} {
		d.fails("text_editor", lineEdits(e), edits.LineOutOfRange)
	}
}

func TestW2_4LineEndsStay(t *testing.T) {
	d := startToolFile(t, "a\r\nb\r\nc\n")
	d.reads(args{})
	d.does("text_editor", lineEdits(args{"from": 1, "content": "x\ny"}), "x\r\ny\r\na\r\nb\r\nc\n")
	d.does("text_editor", args{"action": "write", "content": "x\ny\nb\nc\n"}, "x\r\ny\r\nb\r\nc\n")
}

func TestW2_5NoByteIsLost(t *testing.T) {
	s := start(t, map[string]string{"latin1.txt": "caf\xe9\n", "bom.txt": "\uFEFFa\nb\n"}, headless.Options{})
	if f := s.fail("text_editor", args{"action": "patch", "path": "latin1.txt", "old_text": "caf", "new_text": "x"}); f.Kind != "not_utf8" {
		t.Errorf("%+v", f)
	}
	run[reference.Reading](s, "text_editor", args{"action": "read", "path": "bom.txt"})
	r := s.edit("text_editor", args{"action": "patch", "path": "bom.txt", "edits": []args{{"from": 1, "to": 1, "content": "x"}}})
	s.save(r)
	if got := s.disk("bom.txt"); got != "\uFEFFx\nb\n" {
		t.Errorf("%q", got)
	}
}

// save saves what a command edited.
func (s *session) save(r transaction.Result) {
	s.t.Helper()
	b, ok := s.Buffer(r.Files[0].URI)
	if !ok {
		s.t.Fatal("the file is not open")
	}
	textOf(b)
	if err := b.Save(); err != nil {
		s.t.Fatal(err)
	}
}

func TestW2_6ModeAndLinkStay(t *testing.T) {
	s := start(t, map[string]string{"tool.sh": "a\n"}, headless.Options{})
	if err := os.Chmod(s.path("tool.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	symlink(t, s.path("tool.sh"), s.path("link.sh"))
	s.save(s.edit("text_editor", args{"action": "patch", "path": "link.sh", "old_text": "a", "new_text": "b"}))
	info, err := os.Lstat(s.path("tool.sh"))
	if err != nil || info.Mode() != 0o755 || s.disk("tool.sh") != "b\n" {
		t.Errorf("%v, %v, %q", err, info.Mode(), s.disk("tool.sh"))
	}
	if info, err := os.Lstat(s.path("link.sh")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", err, info)
	}
}

// The text decides, not a time: what was touched and not changed is fresh, and
// what changed within a tick is not.
func TestW2_13FreshnessIsOfTheText(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "a\nb\n"}, headless.Options{})
	read := func() { run[reference.Reading](s, "text_editor", args{"action": "read", "path": "a.txt"}) }
	edit := args{"action": "patch", "path": "a.txt", "edits": []args{{"from": 1, "to": 1, "content": "x"}}}
	read()
	info, err := os.Stat(s.path("a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.path("a.txt"), "c\nb\n")
	if err := os.Chtimes(s.path("a.txt"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if f := s.fail("text_editor", edit); f.Kind != edits.Stale {
		t.Errorf("%+v", f)
	}
	read()
	if err := os.Chtimes(s.path("a.txt"), info.ModTime(), info.ModTime().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.edit("text_editor", edit)
}

func TestW2_14WriteAndPartialReads(t *testing.T) {
	d := startToolFile(t, lines(1, 20))
	d.reads(args{"line_from": 3, "line_to": 5})
	d.fails("text_editor", lineEdits(args{"from": 6, "to": 6, "content": "x"}), edits.Stale) // never shown
	d.fails("text_editor", lineEdits(args{"from": 5, "to": 6, "content": "x"}), edits.Stale)
	d.fails("text_editor", lineEdits(args{"from": 9, "content": "x"}), edits.Stale)
	for _, from := range []int{1, 3, 6, 21} { // the top, beside lines that were shown, and the end
		a := lineEdits(args{"from": from, "content": "x"})
		a["path"], a["dry_run"] = "a.txt", true
		d.edit("text_editor", a)
	}
	if err := d.b.Insert(0, "typed\n"); err != nil {
		t.Fatal(err)
	}
	f := d.fails("text_editor", args{"action": "write", "content": "all\n"}, edits.Stale)
	if want := "error writing a.txt: What you sent lacks lines of a.txt that you have not seen, as far as is known"; !strings.HasPrefix(f.Message, want) {
		t.Errorf("%q, want %q", f.Message, want)
	}
	d.edit("str_replace", args{"path": "a.txt", "old_str": "line 19", "new_str": "nineteen"}) // an editor may report late what was typed
	d.reads(args{})
	d.does("text_editor", args{"action": "write", "content": "all\n"}, "all\n")
}

func TestW2_15OwnEditsNeedNoReadAgain(t *testing.T) {
	d := startToolFile(t, lines(1, 9))
	d.reads(args{})
	d.does("text_editor", args{"action": "patch", "old_text": "line 2\n", "new_text": "two\nmore\n"}, "line 1\ntwo\nmore\n"+lines(3, 9))
	d.does("text_editor", lineEdits(args{"from": 10, "to": 10, "content": "nine"}), "line 1\ntwo\nmore\n"+lines(3, 8)+"nine\n")
	// Edits by other commands are the agent's own as well.
	d.does("delete_lines", args{"start_line": 2, "end_line": 3}, "line 1\n"+lines(3, 8)+"nine\n")
	d.does("text_editor", lineEdits(args{"from": 8, "to": 8}), "line 1\n"+lines(3, 8))
}

func TestW2_16OnePrefix(t *testing.T) {
	d := startToolFile(t, "a\n")
	f := d.fails("text_editor", lineEdits(args{"from": 1, "to": 1}), edits.Stale)
	if n := strings.Count(f.Message, "error patching"); n != 1 {
		t.Errorf("%q", f.Message)
	}
}

func TestW2_17WrongTypesAreSaid(t *testing.T) {
	d := startToolFile(t, "a\n")
	d.reads(args{})
	for _, e := range []any{args{"from": "x"}, args{"from": 1, "to": "end"}, args{"from": 1, "to": []int{1}}, args{"from": 1, "to": 1, "content": []int{3}}, 5, nil} {
		f := d.fails("text_editor", args{"action": "patch", "edits": []any{e}}, edits.InvalidParams)
		if !strings.HasPrefix(f.Message, "error patching a.txt: ") {
			t.Errorf("%q", f.Message)
		}
	}
	d.does("text_editor", lineEdits(args{"from": 1, "to": nil, "content": "x"}), "x\na\n") // null is absent
}

// The remote tool gave five kinds of edits a meaning of its own; here the same edits
// mean one thing through every endpoint.
func TestW2_18OneMeaning(t *testing.T) {
	for name, test := range map[string]struct {
		edits []args
		want  string // "" is refused
	}{
		"A33": {[]args{{"from": 2, "content": "x"}, {"from": 2, "content": "y"}}, "a\nx\ny\nb\nc\n"},
		"A34": {[]args{{"from": 2, "to": 0, "content": "x"}}, "a\nx\nb\nc\n"},
		"A35": {[]args{{"from": 1}}, ""},
		"A36": {[]args{{"from": 1, "to": 2, "content": "x"}, {"from": 2, "to": 3, "content": "y"}}, ""},
		"A37": {[]args{{"from": 2, "to": 2, "content": "x"}}, "a\nx\nc\n"},
	} {
		for _, method := range []string{"workspace/executeCommand", "patchls/execute"} {
			t.Run(name+" "+method, func(t *testing.T) {
				d := startToolFile(t, "a\nb\nc\n")
				d.reads(args{})
				err := d.Call(context.Background(), method, args{
					"command":   "patchls.text_editor",
					"arguments": []args{{"action": "patch", "path": "a.txt", "edits": test.edits}},
				}, nil)
				if (err != nil) != (test.want == "") {
					t.Fatal(err)
				}
				if got := textOf(d.b); test.want != "" && got != test.want {
					t.Errorf("%q, want %q", got, test.want)
				}
			})
		}
	}
}

// Exact replacement works inside a line, at a line's end and over several lines, which A51 could not do.
func TestW2_18ExactReplaceAnywhere(t *testing.T) {
	d := startToolFile(t, "one two\nthree\nfour\n")
	d.does("text_editor", args{"action": "patch", "old_text": "two", "new_text": "2"}, "one 2\nthree\nfour\n")
	d.does("text_editor", args{"action": "patch", "old_text": "three\n"}, "one 2\nfour\n")
}

func TestW2_19TheAnswerShowsThePlace(t *testing.T) {
	d := startToolFile(t, lines(1, 9))
	r := d.does("text_editor", args{"action": "patch", "old_text": "line 5\n", "new_text": "five\nmore\n"}, lines(1, 4)+"five\nmore\n"+lines(6, 9))
	want := "a.txt patched 1 edits applied 10 lines now\n>>>\n4 line 4\n5 five\n6 more\n7 line 6\n8 line 7\n9 line 8\n<<<"
	if r.Message != want {
		t.Errorf("%q, want %q", r.Message, want)
	}
}

func TestW2_21OnlyWhatChangedIsShown(t *testing.T) {
	d := startToolFile(t, lines(1, 200))
	d.reads(args{})
	r := d.edit("text_editor", args{"action": "patch", "path": "a.txt", "edits": []args{{"from": 2, "to": 2, "content": "two"}, {"from": 190, "to": 190}}})
	want := "a.txt patched 2 edits applied 199 lines now\n>>>\n" +
		"  1 line 1\n  2 two\n  3 line 3\n  4 line 4\n  5 line 5\n...\n189 line 189\n190 line 191\n191 line 192\n192 line 193\n<<<"
	if r.Message != want {
		t.Errorf("%q, want %q", r.Message, want)
	}
	r = d.edit("text_editor", args{"action": "write", "path": "a.txt", "content": strings.Repeat("another line\n", 2000)})
	if !strings.HasPrefix(r.Message, "a.txt written 2000 lines\nwarning: output trimmed at line ") || len(r.Message) > 4000 {
		t.Errorf("%d bytes: %.100q", len(r.Message), r.Message)
	}
}

func TestW2_22UnsavedTextIsEditedWhereItIs(t *testing.T) {
	d := startToolFile(t, "a\nb\n")
	if err := d.b.Insert(0, "unsaved\n"); err != nil {
		t.Fatal(err)
	}
	d.reads(args{})
	d.does("text_editor", lineEdits(args{"from": 2, "to": 2, "content": "x"}), "unsaved\nx\nb\n")
	if got := d.disk("a.txt"); got != "a\nb\n" {
		t.Errorf("disk has %q", got)
	}
}

func TestW2_23SizeIsBounded(t *testing.T) {
	s := start(t, map[string]string{"a.txt": strings.Repeat("x", 2000)}, headless.Options{Settings: map[string]any{"max_document_bytes": 1000}})
	for _, a := range []args{{"action": "read"}, {"action": "patch", "old_text": "x"}} {
		a["path"] = "a.txt"
		if f := s.fail("text_editor", a); f.Kind != "too_large" || !strings.Contains(f.Message, "max_document_bytes") {
			t.Errorf("%v: %+v", a, f)
		}
	}
}

func TestW2_25PathsStayInTheWorkspace(t *testing.T) {
	s := start(t, nil, headless.Options{})
	outside := t.TempDir()
	writeFile(t, outside+"/a.txt", "a\n")
	symlink(t, outside, s.path("link"))
	for _, path := range []string{outside + "/a.txt", "../a.txt", "link/a.txt"} {
		for _, a := range []args{{"action": "read"}, {"action": "write", "content": "x"}, {"action": "patch", "old_text": "a"}} {
			a["path"] = path
			if f := s.fail("text_editor", a); f.Kind != "outside_workspace" {
				t.Errorf("%v: %+v", a, f)
			}
		}
	}
}
