package lsp_test

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/reference"
)

// The truth table of SmartHole's edit_file (part 1.4 of the page).
func TestSmartHoleCases(t *testing.T) {
	const phantom = "W1-2: no phantom last line"
	runRefCases(t, []refCase{
		{id: "S1-1", before: "a a a", command: "edit_file", args: args{"old_text": "a", "new_text": "b"},
			kind: edits.MultipleMatches, cure: "W1-1: several places are an error",
			message: `Text 'a' occurs 3 times in "{P}", at line 1; add text around it to old_text so that it is unique, or set replace_all.`},
		{id: "S1-2", before: "a a a", command: "edit_file", args: args{"old_text": "a", "new_text": "b", "replace_all": true},
			after: "b b b", message: `Replaced 3 occurrences in "{P}".`},
		{id: "S1-3", before: "aaa", command: "edit_file", args: args{"old_text": "aa", "new_text": "b", "replace_all": true},
			after: "ba", message: `Replaced 1 occurrence in "{P}".`},
		{id: "S1-4", before: "a", command: "edit_file", args: args{"old_text": "a", "new_text": "a"},
			kind: edits.NoChange, cure: "W1-5: an edit that changes nothing is an error"},
		{id: "S1-5", before: "a\r\nb\r\n", command: "edit_file", args: args{"old_text": "a\nb", "new_text": "x\ny"},
			after: "x\r\ny\r\n", message: `Replaced 1 occurrence in "{P}".`, cure: "W1-4: \\n stands for the file's line end"},
		{id: "S1-6", before: "a\nb\n", command: "edit_file", args: args{"insert_after_line": 0, "content": "x"},
			after: "x\na\nb\n", message: `Inserted 1 line after line 0 in "{P}".`},
		{id: "S1-7", before: "a\nb\n", command: "edit_file", args: args{"insert_after_line": 1, "content": "x"},
			after: "a\nx\nb\n", message: `Inserted 1 line after line 1 in "{P}".`},
		{id: "S1-8", before: "a\nb\n", command: "edit_file", args: args{"insert_after_line": 1, "content": "x\n"},
			after: "a\nx\nb\n", message: `Inserted 1 line after line 1 in "{P}".`, cure: "W1-3: the final newline is no line"},
		{id: "S1-9", before: "a\nb\n", command: "edit_file", args: args{"insert_after_line": 2, "content": "x"},
			after: "a\nb\nx\n", message: `Inserted 1 line after line 2 in "{P}".`},
		{id: "S1-10", before: "a\nb\n", command: "edit_file", args: args{"insert_after_line": 3, "content": "x"},
			kind: edits.LineOutOfRange, message: "Line 3 does not exist in file with 2 lines.", cure: phantom},
		{id: "S1-11", before: "a\nb\n", command: "edit_file", args: args{"insert_after_line": 4, "content": "x"},
			kind: edits.LineOutOfRange, message: "Line 4 does not exist in file with 2 lines.", cure: phantom},
		{id: "S1-12", before: "a\nb", command: "edit_file", args: args{"insert_after_line": 2, "content": "x"},
			after: "a\nb\nx", message: `Inserted 1 line after line 2 in "{P}".`},
		{id: "S1-13 first", before: "a\nb\n", command: "edit_file", args: args{"insert_before_line": 1, "content": "x"},
			after: "x\na\nb\n", message: `Inserted 1 line before line 1 in "{P}".`},
		{id: "S1-13 phantom", before: "a\nb\n", command: "edit_file", args: args{"insert_before_line": 3, "content": "x"},
			kind: edits.LineOutOfRange, message: "Line 3 does not exist in file with 2 lines.", cure: phantom},
		{id: "S1-14", before: "a\nb", command: "edit_file", args: args{"insert_after_line": 1, "content": ""},
			after: "a\n\nb", message: `Inserted 1 line after line 1 in "{P}".`},
		{id: "S1-15 1-1", before: "a\nb\n", command: "edit_file", args: deleteOf(1, 1), after: "b\n", message: `Deleted lines 1-1 (1 line) in "{P}".`},
		{id: "S1-15 2-2", before: "a\nb\n", command: "edit_file", args: deleteOf(2, 2), after: "a\n", message: `Deleted lines 2-2 (1 line) in "{P}".`},
		{id: "S1-15 3-3", before: "a\nb\n", command: "edit_file", args: deleteOf(3, 3), kind: edits.LineOutOfRange, cure: phantom},
		{id: "S1-15 1-2", before: "a\nb\n", command: "edit_file", args: deleteOf(1, 2), after: "", message: `Deleted lines 1-2 (2 lines) in "{P}".`},
		{id: "S1-15 1-3", before: "a\nb\n", command: "edit_file", args: deleteOf(1, 3), kind: edits.LineOutOfRange, cure: phantom},
		{id: "S1-16 2-1", before: "a\nb\n", command: "edit_file", args: deleteOf(2, 1), kind: edits.InvalidRange, message: "delete_lines.end must be >= delete_lines.start: 1 is before 2."},
		{id: "S1-16 9-10", before: "a\nb\n", command: "edit_file", args: deleteOf(9, 10), kind: edits.LineOutOfRange, message: "Line 9 does not exist in file with 2 lines."},
		{id: "S1-16 1-10", before: "a\nb\n", command: "edit_file", args: deleteOf(1, 10), kind: edits.LineOutOfRange, message: "Line 10 does not exist in file with 2 lines."},
		{id: "S1-16 0-1", before: "a\nb\n", command: "edit_file", args: deleteOf(0, 1), kind: edits.InvalidParams, message: "delete_lines.start must be 1 or more: lines are counted from 1."},
		{id: "S1-17 top", before: "", command: "edit_file", args: args{"insert_after_line": 0, "content": "x"}, after: "x\n"},
		{id: "S1-17 after 1", before: "", command: "edit_file", args: args{"insert_after_line": 1, "content": "x"},
			kind: edits.LineOutOfRange, message: "Line 1 does not exist in file with 0 lines.", cure: phantom},
		{id: "S1-18", before: "a\r\nb\r\n", command: "edit_file", args: args{"insert_after_line": 1, "content": "x"},
			after: "a\r\nx\r\nb\r\n", cure: "W1-4: a new line takes the file's line end"},
		{id: "S1-19", before: text.BOM + "a\nb", command: "edit_file", args: args{"insert_before_line": 1, "content": "x"},
			after: text.BOM + "x\na\nb", cure: "the byte order mark stays first"},
		{id: "S1-20 1.5", before: "a", command: "edit_file", args: args{"insert_after_line": 1.5, "content": "x"},
			kind: edits.InvalidParams, message: `"insert_after_line" must be a whole number, not 1.5.`},
		{id: "S1-20 string", before: "a\n", command: "edit_file", args: args{"insert_before_line": "1", "content": "x"},
			after: "x\na\n", cure: "a number as text has one meaning"},
		{id: "S1-20 negative", before: "a", command: "edit_file", args: args{"insert_after_line": -1, "content": "x"},
			kind: edits.InvalidParams, message: "insert_after_line must be 0 (the top) or more, and insert_before_line 1 or more."},
		{id: "S1-20 null", before: "a", command: "edit_file", args: args{"insert_after_line": nil, "content": "x"},
			kind: edits.InvalidParams, message: "Must provide either search/replace parameters (old_text, new_text) or line-based parameters (insert_after_line, insert_before_line, delete_lines)."},
		{id: "S1-20 end", before: "a\nb\n", command: "edit_file", args: args{"delete_lines": args{"start": 1, "end": "1"}},
			after: "b\n", cure: "a number as text has one meaning"},
		{id: "S1-21", before: "a", command: "edit_file", args: args{"delete_lines": nil},
			kind: edits.InvalidParams, message: "Must provide either search/replace parameters (old_text, new_text) or line-based parameters (insert_after_line, insert_before_line, delete_lines).", cure: "W1-7: no exception"},
		{id: "S1-22 content", before: "a", command: "edit_file", args: args{"old_text": "a", "new_text": "b", "content": "c"},
			kind: edits.InvalidParams, cure: "W1-10: an argument without a part is an error"},
		{id: "S1-22 replace_all", before: "a", command: "edit_file", args: args{"insert_after_line": 0, "content": "c", "replace_all": true},
			kind: edits.InvalidParams, cure: "W1-10: an argument without a part is an error"},
		{id: "S1-22 false", before: "a a", command: "edit_file", args: args{"old_text": "a", "new_text": "b", "replace_all": "false"},
			kind: edits.MultipleMatches, cure: `W1-10: "false" is not true`},
	})
}

func deleteOf(start, end int) args {
	return args{"delete_lines": args{"start": start, "end": end}}
}

// The messages of part 1.2 that are not in the table, in the order in which that tool
// checks: path, mode, protected, file, and only then what the operation needs.
func TestSmartHoleRefusals(t *testing.T) {
	s := start(t, map[string]string{"notes/a.md": "one\ntwo\nthree\n", ".obsidian/app.json": "{}"}, headless.Options{})
	for name, test := range map[string]struct {
		command string
		args    args
		kind    edits.Kind
		message string
	}{
		"no path":         {"edit_file", args{}, edits.InvalidParams, `The argument "path" is missing: the file to edit.`},
		"blank path":      {"read_file", args{"path": "  "}, edits.InvalidParams, "path is required and must be a non-empty string."},
		"both modes":      {"edit_file", args{"path": "none", "old_text": "a", "insert_after_line": 1}, edits.InvalidParams, "Cannot mix search/replace parameters (old_text, new_text) with line-based parameters (insert_after_line, insert_before_line, delete_lines). Use one mode at a time."},
		"no mode":         {"edit_file", args{"path": "notes/a.md", "content": "x"}, edits.InvalidParams, "Must provide either search/replace parameters (old_text, new_text) or line-based parameters (insert_after_line, insert_before_line, delete_lines)."},
		"two operations":  {"edit_file", args{"path": "notes/a.md", "insert_after_line": 1, "insert_before_line": 1}, edits.InvalidParams, "Only one line-based operation can be specified at a time (insert_after_line, insert_before_line, or delete_lines)."},
		"no old_text":     {"edit_file", args{"path": "notes/a.md", "new_text": "x"}, edits.InvalidParams, "old_text is required and cannot be empty."},
		"empty old_text":  {"edit_file", args{"path": "notes/a.md", "old_text": "", "new_text": "x"}, edits.InvalidParams, "old_text is required and cannot be empty."},
		"no new_text":     {"edit_file", args{"path": "notes/a.md", "old_text": "x"}, edits.InvalidParams, "new_text is required and must be a string."},
		"no content":      {"edit_file", args{"path": "notes/a.md", "insert_after_line": 1}, edits.InvalidParams, "content is required for insert operations."},
		"not found":       {"edit_file", args{"path": "notes/a.md", "old_text": "four", "new_text": "x"}, edits.NoMatch, "Text 'four' not found in a.md"},
		"no file":         {"edit_file", args{"path": "x.md", "old_text": "", "new_text": "x"}, "file_not_found", `File not found: "x.md". The nearest existing path is notes/a.md.`},
		"protected":       {"edit_file", args{"path": ".git/config", "old_text": "", "new_text": "x"}, "protected", "Access denied: Cannot access files in '.git/' directory (protected system folder)"},
		"protected, case": {"write_file", args{"path": ".Obsidian/app.json", "content": "x"}, "protected", "Access denied: Cannot access files in '.obsidian/' directory (protected system folder)"},
		"protected, read": {"read_file", args{"path": "notes/../.smarthole/x"}, "protected", "Access denied: Cannot access files in '.smarthole/' directory (protected system folder)"},
		"start beyond":    {"read_file", args{"path": "notes/a.md", "start_line": 9}, edits.LineOutOfRange, "start_line (9) exceeds total lines (3) in file."},
		"read backwards":  {"read_file", args{"path": "notes/a.md", "start_line": 2, "end_line": 1}, edits.InvalidRange, "end_line (1) must be greater than or equal to start_line (2)."},
		"write nothing":   {"write_file", args{"path": "notes/a.md"}, edits.InvalidParams, `The argument "content" is missing: the whole text.`},
		"unknown name":    {"edit_file", args{"path": "notes/a.md", "old_txt": "x"}, edits.InvalidParams, `Unknown argument "old_txt": did you mean "old_text"?`},
		"unknown in it":   {"edit_file", args{"path": "notes/a.md", "delete_lines": args{"begin": 1, "end": 1}}, edits.InvalidParams, `Unknown argument "delete_lines.begin": the arguments are start, end.`},
		"no object":       {"edit_file", args{"path": "notes/a.md", "delete_lines": 3}, edits.InvalidParams, "delete_lines must be an object with names, not 3."},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			if f := s.fail(test.command, test.args); f.Kind != test.kind || f.Message != test.message {
				t.Errorf("got %s: %q\nwant %s: %q", f.Kind, f.Message, test.kind, test.message)
			}
		})
	}
}

func TestSmartHoleRead(t *testing.T) {
	s := start(t, map[string]string{
		"a.md": "one\r\ntwo\r\nthree", "empty.md": "", "many.md": strings.Repeat("x\n", 2500),
		"wide.md": strings.Repeat(strings.Repeat("y", 996)+"\n", 200),
		"long.md": strings.Repeat("é", 100_001) + "\nz\n",
	}, headless.Options{})
	for name, test := range map[string]struct {
		args args
		ends string
		end  int
	}{
		"all":            {args{"path": " a.md "}, "1: one\n2: two\n3: three", 3},
		"a range":        {args{"path": "a.md", "start_line": 2, "end_line": 99}, "2: two\n3: three\n\n[Showing lines 2-3 of 3 total]", 3},
		"from below 1":   {args{"path": "a.md", "start_line": -4, "end_line": 1}, "1: one\n\n[Showing lines 1-1 of 3 total]", 1},
		"empty":          {args{"path": "empty.md"}, "", 0},
		"19 KB":          {args{"path": "many.md"}, "\n2234: x\n\n[... truncated, showing lines 1-2234, total lines in file: 2500]", 2234},
		"19 KB of more":  {args{"path": "many.md", "start_line": 2, "end_line": 2400}, "\n2234: x\n\n[... truncated, showing lines 2-2234 of requested range 2-2400, total lines in file: 2500]", 2234},
		"wide lines":     {args{"path": "wide.md"}, "\n\n[... truncated, showing lines 1-18, total lines in file: 200]", 18},
		"one long line":  {args{"path": "long.md"}, "é…\n\n[... truncated, showing lines 1-1, total lines in file: 2]", 1},
		"the line after": {args{"path": "long.md", "start_line": 2}, "2: z\n\n[Showing lines 2-2 of 2 total]", 2},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			r := run[reference.Reading](s, "read_file", test.args)
			if !strings.HasSuffix(r.Message, test.ends) || r.EndLine != test.end {
				t.Errorf("got to line %d: %.80q … %.120q\nwant %d: %q", r.EndLine, r.Message, r.Message[max(0, len(r.Message)-120):], test.end, test.ends)
			}
		})
	}
}

func TestSmartHoleWrite(t *testing.T) {
	s := start(t, nil, headless.Options{})
	for _, test := range []struct{ content, message string }{
		{"hello\nworld\n", `Created file "dir/a.md" (12 bytes).`},
		{strings.Repeat("é", 614), `Overwrote file "dir/a.md" (1.2 KB).`},
		{"", `Overwrote file "dir/a.md" (0 bytes).`},
	} {
		r := s.edit("write_file", args{"path": "dir/a.md", "content": test.content})
		if r.Message != test.message || !r.Verified {
			t.Errorf("%q, verified %v; want %q", r.Message, r.Verified, test.message)
		}
		b, ok := s.Buffer(r.Files[0].URI)
		if !ok || textOf(b) != test.content {
			t.Errorf("%q is not in the buffer", test.content)
		}
	}
	if r := s.edit("write_file", args{"path": "dir/a.md", "content": "x", "dry_run": true}); r.Message != `Dry run, nothing was changed: Overwrote file "dir/a.md" (1 bytes).` {
		t.Errorf("%q", r.Message)
	}
}
