package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/mcp"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/lsp/page"
)

// The texts of the folder that has the worst to show.
var worst = map[string]string{
	"wide.txt":     "top\n" + strings.Repeat("中", 1<<20) + "\nend\n",
	"quotes.txt":   strings.Repeat(`"`, 3<<20) + "\n" + strings.Repeat(strings.Repeat("\\", 1900)+"\n", 20),
	"controls.txt": strings.Repeat(strings.Repeat("\x01\u2028\u0085", 600)+"\n", 30),
	"emoji.txt":    strings.Repeat(strings.Repeat("😀", 1999)+"\n", 30),
	"long.txt":     strings.Repeat("a line of some forty characters, as in code\n", 30_000),
	"blank.txt":    strings.Repeat("\n", 30_000),
	"numbers.txt":  manyLines(4000),
	"equal.txt":    strings.Repeat("x\n", 20_000),
	"many.txt":     strings.Repeat("the same line\n"+strings.Repeat("文", 3000)+"\n", 100),
}

// manyLines returns so many lines that differ.
func manyLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// indentedHunks is a diff of so many lines of numbers.txt, with other indentation than theirs: each hunk has a note.
func indentedHunks(n int) string {
	var b strings.Builder
	b.WriteString("--- a/numbers.txt\n+++ b/numbers.txt\n")
	for i := range n {
		fmt.Fprintf(&b, "@@ -%d +%d @@\n-  line %d\n+  new %d\n", 2*i+1, 2*i+1, 2*i, 2*i)
	}
	return b.String()
}

// longName is the name of one of many files.
func longName(i int) string { return fmt.Sprintf("d/%04d%s", i, strings.Repeat("n", 76)) }

// worstFolder makes a folder with these texts, and with folders of many long names.
func worstFolder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	add := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range worst {
		add(name, text)
	}
	for i := range 2000 {
		add(longName(i), "x\n")
		if i < 300 {
			add(fmt.Sprintf("chinese/%04d%s", i, strings.Repeat("名", 60)), "")
			add(fmt.Sprintf("short/%04d", i), "x\n")
		}
	}
	return root
}

// worstCall is a call with a long answer, and what the first 500 bytes of the answer say about what is left out.
type worstCall struct {
	tool, arguments string
	says            []string
}

// arguments returns JSON of names and values in turn.
func arguments(pairs ...any) string {
	all := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i].(string)] = pairs[i+1]
	}
	return mustJSON(all)
}

var (
	huge      = strings.Repeat("字 ", 1<<18)
	wideLines = strings.Repeat(strings.Repeat("宽", 1500)+"\n", 100)
	longPatch = func(before, after string) string {
		patch := "*** Begin Patch\n"
		for i := range 200 {
			patch += fmt.Sprintf("*** Update File: %s\n@@\n-%s\n+%s\n", longName(i), before, after)
		}
		return patch + "*** End Patch\n"
	}
)

// worstCalls are the calls of each dialect.
var worstCalls = map[string][]worstCall{
	"native": {
		{"view", arguments("path", "d"), []string{"note: d is a directory", "of 2000; go on with start_line "}},
		{"view", arguments("path", "d", "start_line", 1900), nil},
		{"view", arguments("path", "chinese"), []string{"of 300; go on with start_line "}},
		{"view", arguments("path", "short"), []string{"Lines 1-200 of 300; go on with start_line 201."}},
		{"view", arguments("path", "."), []string{"note: There are more entries than 2000; view a directory below.", "go on with start_line"}},
		{"view", arguments("path", "wide.txt"), []string{"Line 2 has 1048576 characters and is cropped"}},
		{"view", arguments("path", "quotes.txt"), []string{"go on with start_line", "Line 1 has 3145728 characters and is cropped"}},
		{"view", arguments("path", "controls.txt"), []string{"go on with start_line"}},
		{"view", arguments("path", "emoji.txt"), []string{"go on with start_line"}},
		{"view", arguments("path", "long.txt"), []string{"of 30000, go on with start_line "}},
		{"view", arguments("path", "many.txt"), []string{"go on with start_line", "Line 2 has 3000 characters"}},
		{"view", arguments("path", huge), nil},
		{"view", arguments(huge, 1), nil},
		{"str_replace", arguments("path", "many.txt", "old_str", "the same line", "new_str", "another"), []string{"Error: "}},
		{"str_replace", arguments("path", "many.txt", "old_str", wideLines, "new_str", "another"), []string{"Error: "}},
		{"str_replace", arguments("path", "wide.txt", "old_str", strings.Repeat("中", 9000)+"国", "new_str", huge), []string{"Error: "}},
		{"str_replace", arguments("path", "long.txt", "old_str", huge, "new_str", huge), []string{"Error: "}},
		{"str_replace", arguments("path", "many.txt", "old_str", "the same line", "new_str", wideLines[:4500], "replace_all", true, "dry_run", true), []string{"Dry run"}},
		{"str_replace", arguments("path", "many.txt", "old_str", "the same line", "new_str", "another", "replace_all", true, "dry_run", true), []string{"Dry run"}},
		{"str_replace", arguments("path", "long.txt", "old_str", "forty", "new_str", "43", "replace_all", true, "dry_run", true), []string{"Dry run"}},
		{"write", arguments("path", "long.txt", "content", wideLines, "dry_run", true), []string{"Error: What you sent lacks lines"}},
		{"insert", arguments("path", "emoji.txt", "after_line", 3, "content", wideLines, "dry_run", true), []string{"Inserted 100 lines"}},
		{"delete_lines", arguments("path", "long.txt", "start_line", 2, "end_line", 20_000, "dry_run", true), []string{"Deleted lines 2-20000"}},
		{"edit_lines", arguments("path", "many.txt", "edits", []map[string]any{{"from": 200, "to": 200, "content": huge}}, "dry_run", true), []string{"Dry run"}},
		{"apply_patch", arguments("patch", longPatch("x", "yy")), []string{"Patched 200 files"}},
		{"apply_patch", arguments("patch", longPatch("none", "yy")), []string{"Error: "}},
		{"apply_patch", arguments("patch", indentedHunks(400), "dry_run", true), []string{"Dry run"}},
		{"apply_patch", arguments("patch", strings.Repeat("@@\n-x\n+y\n", 500), "path", "equal.txt", "on_ambiguous", "first", "dry_run", true), []string{"Dry run"}},
		{"apply_patch", arguments("patch", strings.Repeat("@@\n-x\n+y\n", 500), "path", "equal.txt"), []string{"Error: "}},
		{"apply_patch", arguments("patch", huge), []string{"Error: "}},
		{"list", "{}", []string{"bytes of this answer are left out"}},
		{"undo", arguments("path", "d"), []string{"Error: "}},
		{"undo", arguments("dry_run", true), []string{"Dry run"}},
		{"create", arguments("path", "new.txt", "content", wideLines, "dry_run", true), nil},
		{"create", arguments("path", huge, "content", ""), []string{"Error: "}},
	},
	"claude": {
		{"str_replace_based_edit_tool", arguments("command", "view", "path", "d"), []string{"note: There are more entries than the "}},
		{"str_replace_based_edit_tool", arguments("command", "view", "path", "short"), []string{"note: There are more entries than the 200 shown"}},
		{"str_replace_based_edit_tool", arguments("command", "view", "path", "long.txt"), []string{"note: Only the lines 1-200 of "}},
		{"str_replace_based_edit_tool", arguments("command", "view", "path", "wide.txt"), []string{"Line 2 has 1048576 characters and is cropped"}},
		{"str_replace_based_edit_tool", arguments("command", "view", "path", "controls.txt"), []string{"note: Only the lines 1-"}},
		{"str_replace_based_edit_tool", arguments("command", "view", "path", "blank.txt"), []string{"note: Only the lines 1-200 of 30000 are shown."}},
		{"str_replace_based_edit_tool", arguments("command", "view", "path", huge), nil},
		{"str_replace_based_edit_tool", arguments("command", "str_replace", "path", "many.txt", "old_str", "the same line", "new_str", ""), nil},
		{"str_replace_based_edit_tool", arguments("command", "str_replace", "path", "many.txt", "old_str", wideLines, "new_str", ""), nil},
		{"str_replace_based_edit_tool", arguments("command", "insert", "path", "emoji.txt", "insert_line", 3, "insert_text", wideLines), nil},
		{"str_replace_based_edit_tool", arguments("command", "create", "path", "claude.txt", "file_text", wideLines), nil},
	},
	"codex": {
		{"apply_patch", arguments("input", longPatch("none", "zz")), []string{"Error: "}},
		{"apply_patch", arguments("input", huge), []string{"Error: "}},
		{"apply_patch", arguments(huge, ""), []string{"Error: "}},
	},
	"agent-zero": {
		{"text_editor", arguments("action", "read", "path", "blank.txt", "line_to", 30_000), []string{"output trimmed at line "}},
		{"text_editor", arguments("action", "read", "path", "long.txt", "line_to", 30_000), []string{"output trimmed at line "}},
		{"text_editor", arguments("action", "read", "path", "wide.txt"), []string{"long lines 2 cropped"}},
		{"text_editor", arguments("action", "read", "path", "quotes.txt"), []string{"long lines 1 "}},
		{"text_editor", arguments("action", "read", "path", "emoji.txt"), []string{"output trimmed at line "}},
		{"text_editor", arguments("action", "read", "path", "controls.txt"), []string{"output trimmed at line "}},
		{"text_editor", arguments("action", "read", "path", huge), nil},
		{"text_editor", arguments("action", "patch", "path", "emoji.txt", "old_text", wideLines, "new_text", ""), nil},
		{"text_editor", arguments("action", "patch", "path", "emoji.txt", "patch_text", "@@\n-"+huge+"\n+x\n"), nil},
		{"text_editor", arguments("action", "write", "path", "zero.txt", "content", wideLines), nil},
	},
	"smarthole": {
		{"read_file", arguments("path", "long.txt"), []string{"note: Only the lines 1-"}},
		{"read_file", arguments("path", "blank.txt"), []string{"note: Only the lines 1-"}},
		{"read_file", arguments("path", "wide.txt"), []string{"note: Only the lines 1-1 of 3 are shown."}},
		{"read_file", arguments("path", "wide.txt", "start_line", 2), []string{"note: Line 2 is cropped"}},
		{"read_file", arguments("path", "quotes.txt"), []string{"note: Line 1 is cropped", "note: Only the lines 1-1 of "}},
		{"read_file", arguments("path", "emoji.txt", "start_line", 2, "end_line", 29), []string{"note: Only the lines 2-"}},
		{"read_file", arguments("path", huge), nil},
		{"edit_file", arguments("path", "many.txt", "old_text", "the same line", "new_text", ""), nil},
		{"edit_file", arguments("path", "many.txt", "old_text", wideLines, "new_text", ""), nil},
		{"write_file", arguments("path", "hole.txt", "content", wideLines), nil},
	},
}

// TestAnswersAreBounded: an answer has at most as many bytes as its client shows, and data at most 20,000; what is left
// out is said in the first 500.
func TestAnswersAreBounded(t *testing.T) {
	chance.Long(t)
	root := worstFolder(t)
	for _, dialect := range mcp.Dialects() {
		for _, asData := range []bool{false, true} {
			if asData && dialect != "native" {
				continue
			}
			t.Run(fmt.Sprintf("%s, data %v", dialect, asData), func(t *testing.T) {
				e, err := startEmbedded(context.Background(), root)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = e.Close() })
				c := client(t, mcp.Options{
					Dialect: dialect, Structured: asData, ReviewTools: dialect == "native",
					Connect: connectTo(mcp.Session{Editor: e, Name: "headless", Notes: []string{"No live editor was found."}}),
				}, nil)
				for _, tt := range worstCalls[dialect] {
					checkBounds(t, call(t, c, tt.tool, tt.arguments), tt, page.Bytes("test"))
				}
				if asData { // the last one, since it changes the files
					checkBounds(t, call(t, c, "save", "{}"), worstCall{"save", "{}", []string{"Saved 200 files"}}, page.Bytes("test"))
				}
			})
		}
	}
}

func checkBounds(t *testing.T, r *sdk.CallToolResult, tt worstCall, most int) {
	t.Helper()
	name := fmt.Sprintf("%s %.120s", tt.tool, tt.arguments)
	text := said(t, r)
	if len(text) > most || !utf8.ValidString(text) {
		t.Errorf("%s: %d bytes, the most is %d; it begins with\n%.300s", name, len(text), most, text)
	}
	for _, want := range tt.says {
		if !strings.Contains(text[:min(500, len(text))], want) {
			t.Errorf("%s: does not say %q at first, but\n%.500s", name, want, text)
		}
	}
	if data, err := plainjson.Marshal(r.StructuredContent); err != nil || len(data) > page.MaxAnswer {
		t.Errorf("%s: %d bytes of data (%v), which begin with\n%.500s", name, len(data), err, data)
	}
}

// A client that shows less gets less, also of an editor that does not know it.
func TestAnswersByClient(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "many.txt"), []byte(worst["many.txt"]), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := startEmbedded(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	for name, most := range map[string]int{"Cline": 8000, "codex-mcp-client": 9500, "claude-code": 19500} {
		r := startRaw(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: e, Name: "headless"})})
		r.greet(name)
		r.say(toolCall(1, "view", arguments("path", "many.txt")))
		var result struct{ Content []struct{ Text string } }
		if err := json.Unmarshal(r.answers(1)[0].Result, &result); err != nil {
			t.Fatal(err)
		}
		if text := result.Content[0].Text; len(text) > most || len(text) < most/2 {
			t.Errorf("%s gets %d bytes, the most is %d", name, len(text), most)
		}
	}
}

// TestTrimmedData: an edit that is data is whole or left out, and the answer says in its first 500 bytes what is left out.
func TestTrimmedData(t *testing.T) {
	long := strings.Repeat("<字>\n", 4000)
	list := func(n int, item any) (all []any) {
		for range n {
			all = append(all, item)
		}
		return all
	}
	answer := map[string]any{
		"message": "Done.", "diff": long, "notes": []string{"Own."},
		"files": list(1, map[string]any{"rev": "r", "snippet": "s", "edits": list(9000, "e"), "hunks": []any{"h"}}),
	}
	many := map[string]any{"message": "Done.", "applied": true, "notes": list(3000, "a note"), "files": list(3000, map[string]any{"path": "p"}), "documents": []any{}}
	failed := map[string]any{"kind": "no_match", "path": "p", "snippet": long, "candidates": list(1, map[string]any{"text": "t"}), "matches": []any{}}
	for _, tt := range []struct {
		name, message  string
		answer, failed any
		left           string   // of the note
		has            []string // of the data
	}{
		{"an edit", "", answer, nil, "diff, edits", []string{`"Own."`, `"rev":"r"`, `"edits":[]`, `"snippet":"s"`, `"hunks":["h"]`, `"diff":""`}},
		{"lists", "", many, nil, "files after the first 0, notes after the first 1500", []string{`"message":"Done."`}},
		{"an error", "Failed.", nil, failed, "snippet", []string{`"message":"Failed."`, `"kind":"no_match"`, `"text":"t"`}},
		{"a long message", long, nil, map[string]any{"kind": "no_match"}, "message", []string{`"kind":"no_match"`, "字"}},
		{"a message that fits", long[:14_000], nil, map[string]any{"kind": "no_match"}, "", []string{"字"}},
	} {
		f := newFake(func(context.Context, agent.Call) (any, error) {
			if tt.failed != nil {
				data, err := json.Marshal(tt.failed)
				return nil, errors.Join(err, &jsonrpc2.Error{Code: -32803, Message: tt.message, Data: data})
			}
			return tt.answer, nil
		})
		r := startRaw(t, mcp.Options{Structured: true, Connect: connectTo(mcp.Session{Editor: f, Name: "fake"})})
		r.greet("test")
		r.say(toolCall(1, "undo", "{}"))
		var result struct{ StructuredContent json.RawMessage }
		if err := json.Unmarshal(r.answers(1)[0].Result, &result); err != nil {
			t.Fatal(err)
		}
		data := string(result.StructuredContent)
		first := `{"notes":["Left out, since the answer would be too long: ` + tt.left + `."`
		if tt.left == "" {
			first = `{"error":`
		}
		var value any
		if err := json.Unmarshal(result.StructuredContent, &value); err != nil {
			t.Fatal(err)
		}
		if plain, err := plainjson.Marshal(value); !strings.HasPrefix(data, first) || err != nil || len(plain) > page.MaxAnswer {
			t.Errorf("%s: %d bytes: %.500s", tt.name, len(data), data)
		}
		contains(t, tt.name, data, tt.has...)
	}
}
