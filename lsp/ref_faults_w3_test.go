package lsp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/reference"
)

func TestW3_1SnippetsHaveTheFilesNumbers(t *testing.T) {
	d := startToolFile(t, lines(1, 10))
	for _, a := range []args{
		{"command": "str_replace", "old_str": "line 6", "new_str": "six"},
		{"command": "insert", "insert_line": 6, "new_str": "new"},
	} {
		a["path"] = "a.txt"
		r := d.edit("str_replace_editor", a)
		if !strings.Contains(r.Message, ":\n     2\tline 2\n") && !strings.Contains(r.Message, ":\n     3\tline 3\n") {
			t.Errorf("%q", r.Message)
		}
		for row := range strings.SplitSeq(r.Files[0].Snippet, "\n") {
			if !strings.Contains(r.Message, row+"\n") {
				t.Errorf("%q is not in %q", row, r.Message)
			}
		}
	}
}

func TestW3_2SnippetsShowTheEdit(t *testing.T) {
	d := startToolFile(t, "foo\n"+lines(1, 20)+"bar\n")
	r := d.does("str_replace_editor", args{"command": "str_replace", "old_str": "bar", "new_str": "foo"}, "foo\n"+lines(1, 20)+"foo\n")
	if !strings.Contains(r.Message, "    22\tfoo\n") || strings.Contains(r.Message, "     1\tfoo") {
		t.Errorf("%q", r.Message)
	}
	r = d.does("str_replace_editor", args{"command": "str_replace", "old_str": "line 15\n"}, "foo\n"+lines(1, 14)+lines(16, 20)+"foo\n")
	if !strings.Contains(r.Message, "    16\tline 16\n") || strings.Contains(r.Message, "     1\tfoo") {
		t.Errorf("a deletion: %q", r.Message)
	}
}

func TestW3_3InsertKeepsTheRest(t *testing.T) {
	d := startToolFile(t, "a\r\nb\r\n")
	d.does("str_replace_editor", args{"command": "insert", "insert_line": 2, "new_str": "x"}, "a\r\nb\r\nx\r\n")
	d.does("str_replace_editor", args{"command": "insert", "insert_line": 0, "new_str": "y\n"}, "y\r\na\r\nb\r\nx\r\n")
}

func TestW3_4EveryPlaceIsListed(t *testing.T) {
	d := startToolFile(t, "a\nb c\n\na\nb b\n")
	for old, want := range map[string]string{"a\nb": "[1, 4]", "b": "[2, 5, 5]"} {
		f := d.fails("str_replace_editor", args{"command": "str_replace", "old_str": old, "new_str": "x"}, edits.MultipleMatches)
		if !strings.Contains(f.Message, "found in lines "+want+".") {
			t.Errorf("%q: %q, want %s", old, f.Message, want)
		}
	}
	many := startToolFile(t, strings.Repeat("x\n", 250))
	f := many.fails("str_replace_editor", args{"command": "str_replace", "old_str": "x", "new_str": "y"}, edits.MultipleMatches)
	if !strings.Contains(f.Message, ", 100, and 150 more].") {
		t.Errorf("%q", f.Message)
	}
}

func TestW3_5AnEmptyTextIsNoPlace(t *testing.T) {
	for _, text := range []string{"a\n", ""} {
		f := startToolFile(t, text).fails("str_replace_editor", args{"command": "str_replace", "old_str": "", "new_str": "x"}, edits.InvalidParams)
		if !strings.Contains(f.Message, "old_str must not be empty") {
			t.Errorf("%q", f.Message)
		}
	}
}

func TestW3_6NoChangeIsAnError(t *testing.T) {
	startToolFile(t, "a\n").fails("str_replace_editor", args{"command": "str_replace", "old_str": "a", "new_str": "a"}, edits.NoChange)
}

func TestW3_8CreateOverwritesNothing(t *testing.T) {
	d := startToolFile(t, "a\n")
	d.fails("str_replace_editor", args{"command": "create", "file_text": "x"}, "already_exists")
	if got := d.disk("a.txt"); got != "a\n" {
		t.Errorf("disk has %q", got)
	}
}

func TestW3_9TheNoticeIsNoLine(t *testing.T) {
	d := startToolFile(t, lines(1, 300))
	r := run[reference.Reading](d.session, "str_replace_editor", args{"command": "view", "path": "a.txt"})
	_, notice, ok := strings.Cut(r.Message, "   200\tline 200\n")
	if !ok || !strings.HasPrefix(notice, "... <response clipped><NOTE>") || strings.Count(notice, "\n") != 1 || r.EndLine != 200 {
		t.Errorf("to line %d, then %q", r.EndLine, notice)
	}
	r = run[reference.Reading](d.session, "str_replace_editor", args{"command": "view", "path": "a.txt", "view_range": []int{101, -1}})
	if !strings.HasSuffix(r.Message, "   300\tline 300\n") {
		t.Errorf("200 lines are cut: %q", r.Message[len(r.Message)-40:])
	}
}

func TestW3_10ErrorsSayWhatFailed(t *testing.T) {
	s := start(t, map[string]string{`qu"ote.txt`: "a\n", "ro.txt": "a\n", "b.bin": "a\x00"}, headless.Options{
		Habits: personas.Decides(func(_ context.Context, _ *headless.Editor, _ *headless.ApplyEditParams, _ func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error) {
			return headless.ApplyEditResult{FailureReason: "disk full"}, nil
		}),
	})
	f := s.fail("str_replace_editor", args{"command": "str_replace", "path": "ro.txt", "old_str": "a", "new_str": "b"})
	if f.Kind != "rejected_by_editor" || strings.Contains(f.Message, "Missing input parameters") || !strings.Contains(f.Message, "disk full") {
		t.Errorf("%s: %q", f.Kind, f.Message)
	}
	f = s.fail("str_replace_editor", args{"command": "str_replace", "path": "b.bin", "old_str": "a", "new_str": "b"})
	if f.Kind != "binary_file" || strings.Count(f.Message, "Error reading file") != 1 {
		t.Errorf("%s: %q", f.Kind, f.Message)
	}
	f = s.fail("str_replace_editor", args{"command": "str_replace", "path": `qu"ote.txt`, "old_str": "x", "new_str": "b"})
	if want := "No occurrence of `x` found in \"qu\"ote.txt\"."; !strings.HasPrefix(f.Message, want) {
		t.Errorf("the path is escaped: %q", f.Message)
	}
}

// Without a lock two agents lost each other's edits, and a file that was open
// elsewhere could not be written. Here edits of one text queue up, and disk is
// the editor's.
func TestW3_11EditsAtOnceAllLand(t *testing.T) {
	d := startToolFile(t, lines(1, 8))
	done := make(chan error)
	for i := range 8 {
		go func() {
			_, err := d.Execute(context.Background(), "patchls.str_replace_editor", args{
				"command": "str_replace", "path": "a.txt", "old_str": "line " + string(rune('1'+i)), "new_str": "edited"})
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got, want := textOf(d.b), strings.Repeat("edited\n", 8); got != want {
		t.Errorf("%q", got)
	}
	if got := d.disk("a.txt"); got != lines(1, 8) {
		t.Errorf("disk has %q", got)
	}
}

// That tool offers undo_edit, which never works there.
func TestW3_7UndoEditWorks(t *testing.T) {
	d := startToolFile(t, "one\ntwo\n")
	d.does("str_replace_editor", args{"command": "str_replace", "old_str": "one", "new_str": "1"}, "1\ntwo\n")
	d.does("str_replace_editor", args{"command": "insert", "insert_line": 2, "new_str": "three"}, "1\ntwo\nthree\n")
	d.does("str_replace_editor", args{"command": "undo_edit"}, "1\ntwo\n")
	if err := d.b.Insert(0, "typed\n"); err != nil {
		t.Fatal(err)
	}
	r := d.does("str_replace_editor", args{"command": "undo_edit"}, "typed\none\ntwo\n")
	if !strings.HasPrefix(r.Message, "Last edit to a.txt undone successfully.") {
		t.Errorf("%s", r.Message)
	}
	d.fails("str_replace_editor", args{"command": "undo_edit"}, "nothing_to_undo")
}

// SEARCH/REPLACE blocks: all or nothing, each in the one place that it has.
func TestW3_12BlocksAreExact(t *testing.T) {
	block := func(search, replace string) string {
		return "<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
	}
	d := startToolFile(t, "a\nb\nc\nc\n")
	d.fails("apply_patch", args{"patch": block("", "x\n")}, edits.ContextNotFound)
	d.fails("apply_patch", args{"patch": block("c\n", "x\n")}, edits.ContextAmbiguous)
	d.fails("apply_patch", args{"patch": block("a\n", "x\n") + block("none\n", "y\n")}, edits.ContextNotFound)
	d.does("apply_patch", args{"patch": block("b\n", "")}, "a\nc\nc\n")
}

func TestW3_13ColumnsAreTheClients(t *testing.T) {
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		s := start(t, nil, headless.Options{Encodings: []string{encoding}})
		b, err := s.OpenText("untitled:case", "plaintext", "🫡🫡x🫡\n")
		if err != nil {
			t.Fatal(err)
		}
		s.edit("str_replace_editor", args{"command": "str_replace", "path": b.URI(), "old_str": "x", "new_str": "🚀y"})
		if got := textOf(b); got != "🫡🫡🚀y🫡\n" {
			t.Errorf("%s: %q", encoding, got)
		}
	}
}

// W3-14, no tests: there are these.
