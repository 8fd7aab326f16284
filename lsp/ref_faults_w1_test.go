package lsp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/reference"
)

func TestW1_1SeveralPlacesAreAnError(t *testing.T) {
	d := startToolFile(t, "a\nb\na\n")
	f := d.fails("edit_file", args{"old_text": "a", "new_text": "c"}, edits.MultipleMatches)
	if m := f.Matches; len(m) != 2 || m[0].Line != 1 || m[1].Line != 3 || m[1].Column != 1 || !strings.Contains(f.Message, "lines 1 and 3") {
		t.Errorf("%q, %v", f.Message, f.Matches)
	}
	d.does("edit_file", args{"old_text": "b\na", "new_text": "b\nc"}, "a\nb\nc\n")
	many := startToolFile(t, strings.Repeat("x\n", 150))
	f = many.fails("edit_file", args{"old_text": "x", "new_text": "y"}, edits.MultipleMatches)
	if !strings.Contains(f.Message, "occurs 150 times") || !strings.Contains(f.Message, "at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 140 more;") {
		t.Errorf("%q", f.Message)
	}
}

func TestW1_2NoPhantomLastLine(t *testing.T) {
	d := startToolFile(t, "a\nb\n")
	d.fails("edit_file", args{"insert_after_line": 3, "content": "x"}, edits.LineOutOfRange)
	d.fails("edit_file", args{"insert_before_line": 3, "content": "x"}, edits.LineOutOfRange)
	d.fails("edit_file", deleteOf(3, 3), edits.LineOutOfRange)
	if r := run[reference.Reading](d.session, "read_file", args{"path": "a.txt"}); r.Message != "1: a\n2: b" || r.TotalLines != 2 {
		t.Errorf("%q of %d lines", r.Message, r.TotalLines)
	}
}

func TestW1_3AFinalNewlineOfContentIsNoLine(t *testing.T) {
	d := startToolFile(t, "a\nb\n")
	r := d.does("edit_file", args{"insert_after_line": 1, "content": "x\ny\n"}, "a\nx\ny\nb\n")
	if r.Message != `Inserted 2 lines after line 1 in "a.txt".` {
		t.Errorf("%q", r.Message)
	}
}

func TestW1_4LineEndsOfTheFileStay(t *testing.T) {
	d := startToolFile(t, "a\r\nb\r\nc\r\n")
	d.does("edit_file", args{"old_text": "a\nb", "new_text": "x\ny"}, "x\r\ny\r\nc\r\n")
	d.does("edit_file", args{"insert_before_line": 3, "content": "z"}, "x\r\ny\r\nz\r\nc\r\n")
}

func TestW1_5NoChangeIsAnError(t *testing.T) {
	d := startToolFile(t, "a\n")
	d.fails("edit_file", args{"old_text": "a", "new_text": "a"}, edits.NoChange)
	d.fails("write_file", args{"content": "a\n"}, edits.NoChange)
}

func TestW1_6TheAnswerSaysWhere(t *testing.T) {
	d := startToolFile(t, "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	r := d.does("edit_file", args{"old_text": "7", "new_text": "seven\nand more"}, "1\n2\n3\n4\n5\n6\nseven\nand more\n8\n9\n")
	if h := r.Files[0].Hunks[0]; h.StartLine != 7 || h.EndLine != 8 || !strings.Contains(r.Files[0].Snippet, "     8\tand more") {
		t.Errorf("%+v, %q", h, r.Files[0].Snippet)
	}
}

func TestW1_7NullThrowsNothing(t *testing.T) {
	d := startToolFile(t, "a\n")
	d.fails("edit_file", args{"delete_lines": nil}, edits.InvalidParams)
	// If another argument says what to do, null means what it means elsewhere: absent.
	d.does("edit_file", args{"delete_lines": nil, "content": nil, "old_text": "a", "new_text": "b"}, "b\n")
}

func TestW1_8RangesAndSeveralEditsInOneCall(t *testing.T) {
	d := startToolFile(t, "a\nb\nc\nd\n")
	d.reads(args{})
	d.does("text_editor", args{"action": "patch", "edits": []args{{"from": 1, "to": 2, "content": "x"}, {"from": 4, "content": "y"}}}, "x\nc\ny\nd\n")
	d.does("edit_lines", args{"edits": []args{{"from": 1, "to": 2, "content": "z"}, {"from": 4, "to": 4}}}, "z\ny\n")
}

func TestW1_9CaseOfAPathForAllAlike(t *testing.T) {
	s := start(t, map[string]string{"Notes/Today.md": "a\n", "B.md": "b\n", "b.MD": "b\n"}, headless.Options{})
	if _, err := os.Stat(s.path("NOTES")); err == nil {
		t.Skip("this file system does not know the case of letters")
	}
	if r := run[reference.Reading](s, "read_file", args{"path": "notes/today.md"}); r.Path != "Notes/Today.md" {
		t.Errorf("read %s", r.Path)
	}
	if r := s.edit("edit_file", args{"path": "notes/TODAY.md", "old_text": "a", "new_text": "c"}); r.Files[0].Path != "Notes/Today.md" || !r.Verified {
		t.Errorf("edited %+v", r.Files[0])
	}
	for command, a := range map[string]args{"read_file": {}, "edit_file": {"old_text": "b", "new_text": "c"}} {
		a["path"] = "b.md"
		f := s.fail(command, a)
		if want := `Multiple files match "b.md" with different casing. Please specify the exact path. They are `; f.Kind != "file_not_found" || !strings.HasPrefix(f.Message, want) {
			t.Errorf("%s: %s %q", command, f.Kind, f.Message)
		}
	}
	if r := s.edit("edit_file", args{"path": "B.md", "old_text": "b", "new_text": "c"}); r.Files[0].Path != "B.md" {
		t.Errorf("the exact path gives %s", r.Files[0].Path)
	}
	if r := s.edit("write_file", args{"path": "NOTES/today.md", "content": "new"}); r.Files[0].Change != "create" {
		t.Errorf("a file of another name was written: %+v", r.Files[0])
	}
}

func TestW1_10ArgumentsWithoutAPartAreAnError(t *testing.T) {
	d := startToolFile(t, "a a\n")
	d.fails("edit_file", args{"old_text": "a a", "new_text": "b", "content": "c"}, edits.InvalidParams)
	d.fails("edit_file", args{"delete_lines": args{"start": 1, "end": 1}, "content": "c"}, edits.InvalidParams)
	d.fails("edit_file", args{"insert_after_line": 1, "content": "c", "replace_all": true}, edits.InvalidParams)
	d.fails("edit_file", args{"old_text": "a", "new_text": "b", "replace_all": "false"}, edits.MultipleMatches)
	d.does("edit_file", args{"old_text": "a a", "new_text": "b", "replace_all": false}, "b\n")
}

func TestW1_11NotFoundIsShort(t *testing.T) {
	d := startToolFile(t, "a\n")
	f := d.fails("edit_file", args{"old_text": strings.Repeat("é", 5000), "new_text": "b"}, edits.NoMatch)
	if want := "Text '" + strings.Repeat("é", 120) + "… (4880 characters more)' not found in a.txt"; !strings.HasPrefix(f.Message, want) {
		t.Errorf("%q", f.Message)
	}
}

// W1-12, no tests: there are these.
