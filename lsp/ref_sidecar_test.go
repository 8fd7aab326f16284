package lsp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/reference"
)

// What was run of sidecar's str_replace_editor (C20 to C31 of the page), and its
// SEARCH/REPLACE blocks as far as apply_patch has them (C1, C2, C32 to C35; a
// block that "=======" closes, C3, and the empty SEARCH of C4 are for the issue
// of patches).
func TestSidecarCases(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	edited := func(rows string) string {
		return "The file \"{P}\" has been edited. Here's the result of `cat -n` on a snippet of \"{P}\":\n" + rows + "\nReview the changes if necessary."
	}
	inserted := func(rows string) string {
		return "The file \"{P}\" has been edited. Here's the result of `cat -n` on a snippet of the edited file:\n" + rows +
			"\nReview the changes and make sure they are correct (indentation, no duplicates, etc)."
	}
	block := func(search, replace string) string {
		return "<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
	}
	runRefCases(t, []refCase{
		{id: "C1", before: "fn a() {\n    1\n}\n\nfn b() {\n    2\n}\n", command: "apply_patch",
			args:  args{"patch": block("    1\n", "    one()\n") + block("fn b() {\n    2\n", "fn b() {\n    two()\n")},
			after: "fn a() {\n    one()\n}\n\nfn b() {\n    two()\n}\n"},
		{id: "C2", before: "let s = S { a, b };\n\nfn gone() {\n}\n\nfn stays() {}\n", command: "apply_patch",
			args:  args{"patch": block("let s = S { a, b };\n", "let s = S::new(a, b);\n") + block("fn gone() {\n}\n\n", "")},
			after: "let s = S::new(a, b);\n\nfn stays() {}\n"},
		{id: "C20", before: "foo\n2\n3\n4\n5\n6\n7\n8\n9\nbar\n", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "bar", "new_str": "foo"},
			after: "foo\n2\n3\n4\n5\n6\n7\n8\n9\nfoo\n", message: edited("     6\t6\n     7\t7\n     8\t8\n     9\t9\n    10\tfoo"), cure: "W3-2: the snippet is where the edit is"},
		{id: "C21", before: ten, command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "10\n"},
			after: strings.TrimSuffix(ten, "10\n"), message: edited("     6\t6\n     7\t7\n     8\t8\n     9\t9"), cure: "W3-2: for a deletion too"},
		{id: "C22", before: ten, command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "6", "new_str": "six"},
			after: strings.Replace(ten, "6", "six", 1), message: edited("     2\t2\n     3\t3\n     4\t4\n     5\t5\n     6\tsix\n     7\t7\n     8\t8\n     9\t9\n    10\t10"), cure: "W3-1: the file's line numbers"},
		{id: "C23", before: ten, command: "str_replace_editor", args: args{"command": "insert", "insert_line": 6, "new_str": "x"},
			after: strings.Replace(ten, "7", "x\n7", 1), message: inserted("     3\t3\n     4\t4\n     5\t5\n     6\t6\n     7\tx\n     8\t7\n     9\t8\n    10\t9\n    11\t10"), cure: "W3-1, W3-3: its numbers, and the final newline stays"},
		{id: "C24 top", before: "a\nb\n", command: "str_replace_editor", args: args{"command": "insert", "insert_line": 0, "insert_text": "x"},
			after: "x\na\nb\n", cure: "W3-3"},
		{id: "C24 end", before: "a\nb\n", command: "str_replace_editor", args: args{"command": "insert", "insert_line": 2, "new_str": "x"},
			after: "a\nb\nx\n", cure: "W3-3"},
		{id: "C24 beyond", before: "a\nb\n", command: "str_replace_editor", args: args{"command": "insert", "insert_line": 3, "new_str": "x"},
			kind: edits.LineOutOfRange, message: "`insert_line` 3 out of range: Line 3 does not exist in file with 2 lines."},
		{id: "C24 negative", before: "a\nb\n", command: "str_replace_editor", args: args{"command": "insert", "insert_line": -1, "new_str": "x"},
			kind: edits.LineOutOfRange, message: "`insert_line` -1 out of range: 0 is the top."},
		{id: "C24 empty", before: "", command: "str_replace_editor", args: args{"command": "insert", "insert_line": 0, "new_str": "x\n"},
			after: "x\n", cure: "W3-3"},
		{id: "C25", before: "a\r\nb\r\n", command: "str_replace_editor", args: args{"command": "insert", "insert_line": 1, "new_str": "x"},
			after: "a\r\nx\r\nb\r\n", cure: "W3-3: line ends stay"},
		{id: "C26", before: "a\nb\n-\na\nb\n", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "a\nb", "new_str": "c"},
			kind: edits.MultipleMatches, message: "Multiple occurrences of `a\nb` found in lines [1, 4]. Please ensure uniqueness.", cure: "W3-4: the lines of a text of several"},
		{id: "C27", before: "a a\n", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "a", "new_str": "c"},
			kind: edits.MultipleMatches, message: "Multiple occurrences of `a` found in lines [1, 1]. Please ensure uniqueness.", cure: "W3-4: each hit of a line"},
		{id: "C28", before: "a\n", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "", "new_str": "c"},
			kind: edits.InvalidParams, cure: "W3-5: an empty old_str is said to be one"},
		{id: "C28 empty", before: "", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "", "new_str": "c"},
			kind: edits.InvalidParams, cure: "W3-5: an empty old_str is no place"},
		{id: "C29", before: "a\n", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "a", "new_str": "a"},
			kind: edits.NoChange, cure: "W3-6: an edit that changes nothing is an error"},
		{id: "C30", before: "aaa", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "aa", "new_str": "b"},
			kind: edits.MultipleMatches, message: "Multiple occurrences of `aa` found in lines [1, 1]. Please ensure uniqueness.", cure: "places that overlap are two"},
		{id: "C31 line ends", before: "a\r\nb\r\n", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "a\nb\n", "new_str": "c\n"},
			after: "c\r\n", cure: "\\n in a command is the file's line end"},
		{id: "C31 blanks", before: "\tabc\n", command: "str_replace_editor", args: args{"command": "str_replace", "old_str": "    abc", "new_str": "x"},
			kind: edits.NoMatch},
		{id: "C32", before: "a\nb\nc\n", command: "apply_patch", args: args{"patch": block("b\n", "")}, after: "a\nc\n", cure: "W3-12: a line goes with its line end"},
		{id: "C33", before: "a\nb\n", command: "apply_patch", args: args{"patch": block("", "x\n")}, kind: edits.ContextNotFound, cure: "W3-12: an empty SEARCH is no place"},
		{id: "C34", before: "", command: "apply_patch", args: args{"patch": block("nothing\n", "x\n")}, kind: edits.ContextNotFound, cure: "W3-12: what is not there is not found"},
		{id: "C35", before: "a\r\nb\r\na\r\n", command: "apply_patch", args: args{"patch": block("a\n", "x\n")}, kind: edits.ContextAmbiguous, cure: "W3-12: several places are an error"},
		{id: "C35 line ends", before: "a\r\nb\r\n", command: "apply_patch", args: args{"patch": block("b\n", "x\n")}, after: "a\r\nx\r\n", cure: "W3-12: line ends and the final newline stay"},
	})
}

// The messages of part 3.2 of the page that are no part of the cases.
func TestSidecarRefusals(t *testing.T) {
	s := start(t, map[string]string{"src/a.go": "one\ntwo\n", "latin1.txt": "caf\xe9\n"}, headless.Options{})
	for name, test := range map[string]struct {
		args    args
		kind    edits.Kind
		message string
	}{
		"none":             {args{"command": "str_replace", "path": "src/a.go", "old_str": "three"}, edits.NoMatch, `No occurrence of ` + "`three`" + ` found in "src/a.go".`},
		"no file":          {args{"command": "str_replace", "path": "src/b.go", "old_str": "three"}, "file_not_found", `The path "src/b.go" does not exist. The nearest existing path is src/a.go.`},
		"directory":        {args{"command": "str_replace", "path": "src", "old_str": "three"}, "is_directory", "The path \"src\" is a directory and only `view` can be used on directories."},
		"create over":      {args{"command": "create", "path": "src/a.go", "file_text": "x"}, "already_exists", "File already exists at: \"src/a.go\". Cannot overwrite files using command `create`; use str_replace or insert to change it."},
		"undo":             {args{"command": "undo_edit", "path": "src/a.go"}, "nothing_to_undo", "No edit history found for src/a.go. There is no edit of src/a.go that can be taken back."},
		"range start":      {args{"command": "view", "path": "src/a.go", "view_range": []int{3, 4}}, edits.LineOutOfRange, "View command error Invalid start line 3 for range. Should be between 1 and 2."},
		"range end":        {args{"command": "view", "path": "src/a.go", "view_range": []int{1, 3}}, edits.LineOutOfRange, "View command error Invalid end line 3 for range. Should be >= 1 and <= 2 or -1."},
		"range backwards":  {args{"command": "view", "path": "src/a.go", "view_range": []int{2, 1}}, edits.InvalidRange, "View command error Invalid end line 1 for range. Should be >= 2 and <= 2 or -1."},
		"range of one":     {args{"command": "view", "path": "src/a.go", "view_range": []int{1}}, edits.InvalidParams, "View command error `view_range` should be a list of two integers."},
		"range of words":   {args{"command": "view", "path": "src/a.go", "view_range": "1-2"}, edits.InvalidParams, `"view_range" must be a list, not a string.`},
		"range of entries": {args{"command": "view", "path": "src", "view_range": []int{1, 2}}, edits.InvalidParams, "View command error The `view_range` is not allowed for directories."},
		"no file_text":     {args{"command": "create", "path": "x"}, edits.InvalidParams, "Missing input parameters Parameter `file_text` required for `create`"},
		"no old_str":       {args{"command": "str_replace", "path": "src/a.go", "new_str": "x"}, edits.InvalidParams, "Missing input parameters Parameter `old_str` required for `str_replace`"},
		"no insert_line":   {args{"command": "insert", "path": "src/a.go", "new_str": "x"}, edits.InvalidParams, "Missing input parameters Parameter `insert_line` required for `insert`"},
		"no new_str":       {args{"command": "insert", "path": "src/a.go", "insert_line": 1}, edits.InvalidParams, "Missing input parameters Parameter `new_str` required for `insert`"},
		"both texts":       {args{"command": "insert", "path": "src/a.go", "insert_line": 1, "new_str": "x", "insert_text": "y"}, edits.InvalidParams, "insert takes new_str or insert_text, which mean the same, not both."},
		"another command":  {args{"command": "insert", "path": "src/a.go", "insert_line": 1, "new_str": "x", "old_str": "y"}, edits.InvalidParams, `"old_str" has no part in the command insert, which takes insert_line, insert_text, new_str.`},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			if f := s.fail("str_replace_editor", test.args); f.Kind != test.kind || f.Message != test.message {
				t.Errorf("got %s: %q\nwant %s: %q", f.Kind, f.Message, test.kind, test.message)
			}
		})
	}
}

func TestSidecarViewAndCreate(t *testing.T) {
	s := start(t, map[string]string{"src/a.go": "one\r\ntwo", "many.txt": strings.Repeat("x\n", 300), "empty": ""}, headless.Options{})
	head := func(path string) string { return fmt.Sprintf("Here's the result of `cat -n` on %q:\n", path) }
	for name, test := range map[string]struct {
		args       args
		begin, end string
	}{
		"all":       {args{"path": "src/a.go"}, head("src/a.go"), "     1\tone\n     2\ttwo\n"},
		"range":     {args{"path": "src/a.go", "view_range": []int{2, -1}}, head("src/a.go"), "     2\ttwo\n"},
		"empty":     {args{"path": "empty"}, head("empty"), ""},
		"directory": {args{"path": "."}, "", "empty\nmany.txt\nsrc/\nsrc/a.go"},
	} {
		test.args["command"] = "view"
		if r := run[reference.Reading](s, "str_replace_editor", test.args); r.Message != test.begin+test.end {
			t.Errorf("%s: %q", name, r.Message)
		}
	}
	r := s.edit("str_replace_editor", args{"command": "create", "path": "new/b.go", "file_text": "x\n"})
	if r.Message != `File created successfully at: "new/b.go"` || !r.Verified || r.Files[0].Change != "create" {
		t.Errorf("%+v", r)
	}
}

// C5 to C14: sidecar's document model, here as the server's text after an editor
// reports changes. Columns are characters, as in the cases.
func TestSidecarDocumentCases(t *testing.T) {
	faces := "🫡🫡🫡🫡\n🚀🚀🚀\n🪨🪨\n🫡🫡🫡🫡\n🚀\n🪨\n"
	for _, c := range []struct {
		id                             string
		before                         string
		line, column, toLine, toColumn int
		put, after                     string
	}{
		{"C5", "\n\n\n", 0, 0, 0, 0, "", "\n\n\n"}, // three lines: there is no phantom one
		{"C6", faces, 4, 0, 5, 0, "", "🫡🫡🫡🫡\n🚀🚀🚀\n🪨🪨\n🫡🫡🫡🫡\n🪨\n"},
		{"C7", faces, 2, 1, 2, 1, "", faces},
		{"C8", faces, 3, 1, 3, 1, "🚀🚀🚀\n🪨🪨", "🫡🫡🫡🫡\n🚀🚀🚀\n🪨🪨\n🫡🚀🚀🚀\n🪨🪨🫡🫡🫡\n🚀\n🪨\n"},
		{"C9", "", 0, 0, 0, 0, "🚀\nx", "🚀\nx"},
		{"C10", faces, 0, 0, 6, 0, "", ""},
		{"C11", "a\nfn 🚀🚀🚀🚀🚀🚀🚀🚀()\n", 1, 3, 1, 11, "", "a\nfn ()\n"},
		{"C12", lines(1, 9) + "\n\n\n\n" + lines(10, 12), 9, 0, 13, 0, "", lines(1, 12)},
		{"C13", lines(1, 9), 6, 0, 8, 2, "🚀\n", lines(1, 6) + "🚀\nne 9\n"},
	} {
		for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
			t.Run(c.id+" "+encoding, func(t *testing.T) {
				s := start(t, nil, headless.Options{Encodings: []string{encoding}})
				b, err := s.OpenText("untitled:case", "plaintext", c.before)
				if err != nil {
					t.Fatal(err)
				}
				if err := b.Replace(offsetOf(c.before, c.line, c.column), offsetOf(c.before, c.toLine, c.toColumn), c.put); err != nil {
					t.Fatal(err)
				}
				s.holds(b, c.after)
			})
		}
	}
	t.Run("C14", func(t *testing.T) {
		s := start(t, nil, headless.Options{})
		b, _ := s.OpenText("untitled:case", "plaintext", "")
		for range 3 {
			_ = b.Insert(0, "🚀\n🪨")
			s.holds(b, "🚀\n🪨")
			_ = b.Replace(0, len("🚀\n🪨"), "")
			s.holds(b, "")
		}
	})
}

// offsetOf returns the byte at which a character of a line begins, both from 0.
func offsetOf(s string, line, column int) int {
	off := 0
	for ; line > 0; line-- {
		off += strings.Index(s[off:], "\n") + 1
	}
	return off + len(string([]rune(s[off:])[:column]))
}

// holds checks that the server has want for the buffer.
func (s *session) holds(b *headless.Buffer, want string) {
	s.t.Helper()
	n := strings.Count(want, "\n")
	if want != "" && !strings.HasSuffix(want, "\n") {
		n++
	}
	r := run[reference.Reading](s, "str_replace_editor", args{"command": "view", "path": b.URI()})
	if r.TotalLines != n || r.Rev != revOf(s, want) {
		s.t.Errorf("the server has %d lines: %q\nwant %d: %q", r.TotalLines, r.Message, n, want)
	}
}

// Of the lines that its answer shows, an agent has seen none if the answer is too long for its program.
func TestSidecarDoesNotTakeForSeenWhatIsCutOff(t *testing.T) {
	long := func(who string) string { return strings.Repeat(strings.Repeat(who, 1900)+"\n", 4) }
	s := start(t, map[string]string{"a.txt": long("u")}, headless.Options{})
	s.open("a.txt")
	s.edit("str_replace_editor", args{"command": "insert", "path": "a.txt", "insert_line": 0, "new_str": strings.Repeat(long("a"), 3)})
	if f := s.fail("write", args{"path": "a.txt", "content": strings.Repeat(long("a"), 3)}); f.Kind != edits.Stale {
		t.Errorf("%+v", f)
	}
}
