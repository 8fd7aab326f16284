package lsp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/reference"
)

// The regression tests of Agent Zero (part 2.8 of the page) that are about one
// call; those of context patches are in ref_context_test.go.
func TestAgentZeroCases(t *testing.T) {
	draft := "title = x\nstatus = draft\nend\n"
	runRefCases(t, []refCase{
		{id: "A4", before: draft, command: "text_editor", args: args{"action": "patch", "old_text": "status = draft", "new_text": "status = ready"},
			after:   "title = x\nstatus = ready\nend\n",
			message: "{P} patched 1 edits applied 3 lines now\n>>>\n1 title = x\n2 status = ready\n3 end\n<<<"},
		{id: "A5", before: "alpha\nalpha\n", command: "text_editor", args: args{"action": "patch", "old_text": "alpha", "new_text": "beta"},
			kind:    edits.MultipleMatches,
			message: "error patching {P}: old_text matched 2 times; provide a longer exact span (it is at lines 1 and 2)"},
		{id: "A13", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": []args{{"from": 1, "to": 1}}, "patch_text": "@@ a\n+b"},
			kind: edits.InvalidParams, message: "error patching {P}: provide exactly one patch form: edits, patch_text, or old_text/new_text"},
		{id: "A14", before: "a\n", command: "text_editor", args: args{"action": "patch", "patch_text": "   \n"},
			kind: edits.InvalidParams, message: "error patching {P}: patch_text must not be empty"},
		{id: "A15", before: "old\n", command: "text_editor", args: args{"action": "patch", "old_text": "old", "new_text": "new"},
			after: "new\n"},
		{id: "A22", before: draft, command: "text_editor", args: args{"action": "patch", "old_text": "draft", "new_text": "ready"},
			after: "title = x\nstatus = ready\nend\n"},
		{id: "A25", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": []args{}, "patch_text": "@@ a\n+b"},
			after: "a\nb\n", cure: "an empty list is not set"},
		{id: "A27", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": []args{{"from": 1, "to": 1, "content": "b"}}},
			kind: edits.Stale, message: "error patching {P}: read file before patching - line numbers unknown"},
		{id: "A55", before: "a\na\n", command: "text_editor", args: args{"action": "patch", "old_text": "a", "new_text": "a"},
			kind: edits.MultipleMatches},
		{id: "identical", before: "a\n", command: "text_editor", args: args{"action": "patch", "old_text": "a", "new_text": "a"},
			kind: edits.NoChange, message: "error patching {P}: old_text and new_text are identical"},
		{id: "A57", before: "ab\n", command: "text_editor", args: args{"action": "patch", "old_text": "a"}, after: "b\n"},
		{id: "A58", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": []args{}, "old_text": "a"},
			after: "\n", cure: "an empty list is not set"},
		{id: "no form", before: "a\n", command: "text_editor", args: args{"action": "patch"},
			kind: edits.InvalidParams, message: "error patching {P}: edits, patch_text, or old_text/new_text is required for patch"},
		{id: "no old_text", before: "a\n", command: "text_editor", args: args{"action": "patch", "new_text": "b"},
			kind: edits.InvalidParams, message: "error patching {P}: old_text is required for exact replace"},
		{id: "not found", before: "a\n", command: "text_editor", args: args{"action": "patch", "old_text": "zebra"},
			kind: edits.NoMatch},
		{id: "no edits", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": []args{}},
			kind: edits.InvalidParams, message: "error patching {P}: edits array is required"},
		{id: "edits of another kind", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": "x"},
			kind: edits.InvalidParams, message: `error patching {P}: "edits" must be a list, not a string`},
		{id: "one edit without a list", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": args{"from": 1}},
			kind: edits.InvalidParams, message: "error patching {P}: edits[0] has neither a line to replace (to) nor content"},
		{id: "entry", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": []any{"x"}},
			kind: edits.InvalidParams, message: "error patching {P}: edits[0] must be an object with names, not a string"},
		{id: "from", before: "a\n", command: "text_editor", args: args{"action": "patch", "edits": []args{{"from": 0}}},
			kind: edits.InvalidParams, message: "error patching {P}: edits[0].from must be >= 1"},
		{id: "write", before: "a\nb\n", command: "text_editor", args: args{"action": "WRITE", "content": "a\nc\n"},
			after: "a\nc\n", message: "{P} written 2 lines\n>>>\n1 a\n2 c\n<<<"},
		{id: "write nothing", before: "a\n", command: "text_editor", args: args{"action": "write"},
			after: "", message: "{P} written 0 lines\n>>>\n\n<<<"},
		{id: "unknown action", before: "a\n", command: "text_editor", args: args{"action": "delete"},
			kind: edits.InvalidParams, message: `"action" must be "read" or "write" or "patch", not "delete".`},
		{id: "no action", before: "a\n", command: "text_editor", kind: edits.InvalidParams, message: `The argument "action" is missing: what to do.`},
		{id: "argument of another action", before: "a\n", command: "text_editor", args: args{"action": "write", "line_from": 3}, kind: edits.InvalidParams},
	})
}

// What edits mean (part 2.3 of the page), and the results of 2.9. The text is
// read before.
func TestAgentZeroEdits(t *testing.T) {
	var cases []refCase
	for _, c := range []struct {
		refCase
		edits []args
	}{
		{refCase{id: "replace", before: "a\nb\nc\n", after: "a\nx\ny\nc\n"}, []args{{"from": 2, "to": 2, "content": "x\ny\n"}}},
		{refCase{id: "delete", before: "a\nb\nc\n", after: "a\nc\n", message: "{P} patched 1 edits applied 2 lines now\n>>>\n1 a\n2 c\n<<<"}, []args{{"from": 2, "to": 2}}},
		{refCase{id: "insert", before: "a\nb\n", after: "a\nx\nb\n"}, []args{{"from": 2, "content": "x"}}},
		{refCase{id: "insert, to -1", before: "a\nb\n", after: "a\nx\nb\n"}, []args{{"from": 2, "to": -1, "content": "x"}}},
		{refCase{id: "numeric strings", before: "a\nb\n", after: "a\nx\n"}, []args{{"from": "2", "to": " 2", "content": "x"}}},
		{refCase{id: "several, unsorted", before: "a\nb\nc\n", after: "x\na\ny\nz\nc\n", message: "{P} patched 3 edits applied 5 lines now\n>>>\n1 x\n2 a\n3 y\n4 z\n5 c\n<<<"},
			[]args{{"from": 2, "to": 2, "content": "z"}, {"from": 1, "content": "x"}, {"from": 2, "content": "y"}}},
		{refCase{id: "A30", before: "a\nb\n", kind: edits.LineOutOfRange, message: "error patching {P}: Line 9 does not exist in file with 2 lines."}, []args{{"from": 2, "to": 9, "content": "x"}}},
		{refCase{id: "A31", before: "a\nb\nc", after: "a\nb\nc\nx"}, []args{{"from": 4, "content": "x"}}},
		{refCase{id: "A32 insert", before: "a\n", kind: edits.LineOutOfRange}, []args{{"from": 99, "content": "x"}}},
		{refCase{id: "A32 replace", before: "a\n", kind: edits.LineOutOfRange}, []args{{"from": 50, "to": 60, "content": "x"}}},
		{refCase{id: "A32 delete", before: "a\n", kind: edits.LineOutOfRange}, []args{{"from": 50, "to": 60}}},
		{refCase{id: "A33", before: "a\nb\n", after: "a\nx\ny\nb\n"}, []args{{"from": 2, "content": "x"}, {"from": 2, "content": "y"}}},
		{refCase{id: "A34", before: "a\nb\n", after: "a\nx\nb\n"}, []args{{"from": 2, "to": 0, "content": "x"}}},
		{refCase{id: "A35", before: "a\nb\n", kind: edits.InvalidParams}, []args{{"from": 1}}},
		{refCase{id: "A36", before: "a\nb\nc\n", kind: edits.Overlapping, message: "error patching {P}: Two edits meet at line 2 of {P}; a line may be changed by one edit only, and all numbers are those before the call."}, []args{{"from": 2, "to": 3, "content": "x"}, {"from": 1, "to": 2, "content": "y"}}},
		{refCase{id: "insert inside a replaced range", before: "a\nb\nc\n", kind: edits.Overlapping, message: "error patching {P}: Two edits meet at line 2 of {P}; a line may be changed by one edit only, and all numbers are those before the call."}, []args{{"from": 1, "to": 2, "content": "x"}, {"from": 2, "content": "y"}}},
		{refCase{id: "A37", before: "a\nb\nc\n", after: "a\nx\nc\n"}, []args{{"from": 2, "to": 2, "content": "x"}}},
		{refCase{id: "A38 to null", before: "a\nb\n", after: "x\na\nb\n"}, []args{{"from": 1, "to": nil, "content": "x"}}},
		{refCase{id: "A38 to word", before: "a\nb\n", kind: edits.InvalidParams}, []args{{"from": 1, "to": "end", "content": "x"}}},
		{refCase{id: "A38 content number", before: "a\nb\n", after: "5\nb\n"}, []args{{"from": 1, "to": 1, "content": 5}}},
		{refCase{id: "A39", before: "a\r\nb\r\n", after: "a\r\nx\r\n"}, []args{{"from": 2, "to": 2, "content": "x"}}},
		{refCase{id: "A40", before: "\uFEFFa\nb\n", after: "\uFEFFx\nb\n"}, []args{{"from": 1, "to": 1, "content": "x"}}},
		{refCase{id: "no change", before: "a\nb\n", kind: edits.NoChange}, []args{{"from": 1, "to": 1, "content": "a"}}},
		{refCase{id: "misspelt", before: "a\nb\n", kind: edits.InvalidParams}, []args{{"from": 1, "to": 1, "contents": "x"}}},
	} {
		c.reads, c.command, c.args = true, "text_editor", args{"action": "patch", "edits": c.edits}
		cases = append(cases, c.refCase)
	}
	runRefCases(t, cases)
}

func TestAgentZeroRead(t *testing.T) {
	s := start(t, map[string]string{
		"a.txt":     "one\r\ntwo\nthree",
		"many.txt":  strings.Repeat("x\n", 250),
		"long.txt":  "a\n" + strings.Repeat("é", 2001) + "\n" + strings.Repeat("b", 2000) + "\n",
		"big.txt":   strings.Repeat(strings.Repeat("z", 4*60)+"\n", 150),
		"empty.txt": "",
	}, headless.Options{})
	t.Setenv("HOME", s.root)
	for name, test := range map[string]struct {
		args    args
		head    string
		last    string // line of the body
		from, n int    // of the lines shown
	}{
		"A23":             {args{"path": "a.txt"}, "a.txt 3 lines", "3 three", 1, 3},
		"range":           {args{"path": "a.txt", "line_from": "2", "line_to": 2.0}, "a.txt 3 lines", "2 two", 2, 1},
		"200 lines":       {args{"path": "many.txt"}, "many.txt 250 lines", "200 x", 1, 200},
		"the rest":        {args{"path": "many.txt", "line_from": 201}, "many.txt 250 lines", "250 x", 201, 50},
		"numbers align":   {args{"path": "many.txt", "line_from": 9, "line_to": 10}, "many.txt 250 lines", "10 x", 9, 2},
		"A53 beyond":      {args{"path": "a.txt", "line_from": 9}, "a.txt 3 lines", "", 9, 0},
		"A53 backwards":   {args{"path": "a.txt", "line_from": 3, "line_to": 2}, "a.txt 3 lines", "", 3, 0},
		"long lines":      {args{"path": "long.txt"}, "long.txt 3 lines\nwarning: long lines 2 cropped - use terminal for precise manipulation", "3 " + strings.Repeat("b", 2000), 1, 3},
		"A56 trimmed":     {args{"path": "big.txt"}, "big.txt 150 lines\nwarning: output trimmed at line 78 due to token limit - use line_from/line_to for remaining", " 77 " + strings.Repeat("z", 240), 1, 77},
		"empty":           {args{"path": "empty.txt"}, "empty.txt 0 lines", "", 1, 0},
		"home folder":     {args{"path": "~/a.txt"}, "~/a.txt 3 lines", "3 three", 1, 3},
		"canvas is taken": {args{"path": "a.txt", "open_in_canvas": "yes"}, "a.txt 3 lines", "3 three", 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			test.args["action"] = "read"
			r := run[reference.Reading](s, "text_editor", test.args)
			head, body, _ := strings.Cut(r.Message, "\n>>>\n")
			rows := strings.Split(strings.TrimSuffix(body, "\n<<<"), "\n")
			if head != test.head || rows[len(rows)-1] != test.last || r.StartLine != test.from || r.EndLine != test.from+test.n-1 {
				t.Errorf("%q … %q, lines %d-%d\nwant %q … %q, %d lines from %d", head, rows[len(rows)-1], r.StartLine, r.EndLine, test.head, test.last, test.n, test.from)
			}
		})
	}
	for path, want := range map[string]string{
		"b.txt": "error reading b.txt: file not found. The nearest existing path is a.txt.",
		"":      "error reading : path is required",
	} {
		if f := s.fail("text_editor", args{"action": "read", "path": path}); f.Message != want {
			t.Errorf("%q, want %q", f.Message, want)
		}
	}
}

// Of a line that is too long only the beginning is shown, and what is not shown is not taken for seen.
func TestAgentZeroCropsLongLines(t *testing.T) {
	s := start(t, map[string]string{"a.txt": strings.Repeat("é", 2001) + "\nshort\n"}, headless.Options{})
	s.open("a.txt")
	r := run[reference.Reading](s, "text_editor", args{"action": "read", "path": "a.txt"})
	want := fmt.Sprintf("a.txt 2 lines\nwarning: long lines 1 cropped - use terminal for precise manipulation\n>>>\n1 %s…\n2 short\n<<<", strings.Repeat("é", 2000))
	if r.Message != want || r.EndLine != 2 {
		t.Errorf("%q", r.Message)
	}
	for content, kind := range map[string]edits.Kind{"x\n": edits.Stale, strings.Repeat("é", 2001) + "\n": ""} {
		raw, err := s.Execute(context.Background(), "patchls.text_editor", args{"action": "write", "path": "a.txt", "content": content, "dry_run": true})
		if kind == "" && err != nil || kind != "" && failureOf(t, raw, err).Kind != kind {
			t.Errorf("%.20q: %s, %v", content, raw, err)
		}
	}
}
