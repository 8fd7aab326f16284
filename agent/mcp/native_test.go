package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent/mcp"
)

// tools returns the tools that a client is shown, by name.
func tools(t *testing.T, c *sdk.ClientSession) map[string]*sdk.Tool {
	t.Helper()
	r, err := c.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*sdk.Tool{}
	for _, tool := range r.Tools {
		all[tool.Name] = tool
	}
	return all
}

// resolved compiles a schema as a client was shown it.
func resolved(t *testing.T, shown any) *jsonschema.Resolved {
	t.Helper()
	raw, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	r, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every native tool is called with a real editor, and its answers, errors included,
// are data as well.
func TestNativeTools(t *testing.T) {
	w := newWorld(t, "", "a.txt", "one\ntwo\nthree\n", "empty.txt", "")
	all := tools(t, w.ClientSession)
	patch := "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-ONE\n+1\n two\n"
	called := map[string]bool{}
	for _, tt := range []struct {
		tool, arguments string
		want            []string // "!" first: the call fails
	}{
		{"view", `{"path":"a.txt"}`, []string{"     1\tone\n     2\ttwo\n     3\tthree"}},
		{"view", `{"path":"a.txt","end_line":9}`, []string{"[a.txt, 3 lines, rev ", "note: end_line 9 is past the end; the text has 3 lines.\n     1\tone"}},
		{"view", `{"path":"empty.txt"}`, []string{"[empty.txt, 0 lines, rev "}},
		{"view", `{"path":"."}`, []string{"note: . is a directory", "\na.txt\nempty.txt"}},
		{"view", `{"path":"a.txt","start_line":7}`, []string{"!", "Error: Line 7 does not exist in file with 3 lines"}},
		{"list", `{}`, []string{"Open documents: none.\nEdits that can be undone: none."}},
		{"str_replace", `{"path":"a.txt","old_str":"one","new_str":"ONE","dry_run":true}`, []string{"Dry run", "\n-one\n+ONE\n"}},
		{"str_replace", `{"path":"a.txt","old_str":"one","new_str":"ONE"}`, []string{"Replaced 1 occurrence in a.txt at line 1.\n[edit e1, a.txt, rev ", "]\n     1\tONE\n     2\ttwo"}},
		{"str_replace", `{"path":"a.txt","old_str":"one more","new_str":"x"}`, []string{"!", "Error: Text not found in a.txt"}},
		{"insert", `{"path":"a.txt","after_line":3,"content":"four"}`, []string{"Inserted 1 line after line 3 in a.txt.", "     4\tfour"}},
		{"delete_lines", `{"path":"a.txt","start_line":4,"end_line":4}`, []string{"Deleted line 4 (1 line) in a.txt."}},
		{"edit_lines", `{"path":"a.txt","edits":[{"from":3,"to":3,"content":"THREE"}]}`, []string{"Edited a.txt"}},
		{"apply_patch", mustJSON(map[string]string{"patch": patch}), []string{"atched", "     1\t1"}},
		{"apply_patch", mustJSON(map[string]any{"patch": patch, "dry_run": true}), []string{"!", "Error: "}},
		{"create", `{"path":"new/b.txt","content":"b\n"}`, []string{"Created new/b.txt (1 line)."}},
		{"create", `{"path":"a.txt","content":"b\n"}`, []string{"!", "Error: "}},
		{"write", `{"path":"a.txt","content":"1\n2\n"}`, []string{"a.txt", "     2\t2"}},
		{"list", `{}`, []string{"\n  a.txt (2 lines, unsaved)", "\n  e7 write in a.txt, not reviewed: e7.1"}},
		{"keep", `{"edit_id":"e7"}`, []string{"Kept edit e7 in a.txt."}},
		{"keep", `{}`, []string{"!", "Error: keep takes"}},
		{"revert", `{"edit_id":"e5","hunk":1,"dry_run":true}`, []string{"Dry run", "Reverted hunk 1 of edit e5 in a.txt."}},
		{"undo", `{}`, []string{"Undid edit e7 in a.txt."}},
		{"undo", `{"edit_id":"e99"}`, []string{"!", "Error: "}},
		{"save", `{}`, []string{"Saved 2 files."}},
	} {
		called[tt.tool] = true
		fails := tt.want[0] == "!"
		r := call(t, w.ClientSession, tt.tool, tt.arguments)
		name := tt.tool + " " + tt.arguments
		if r.IsError != fails {
			t.Errorf("%s: isError %v", name, r.IsError)
		}
		if fails {
			tt.want = tt.want[1:]
		}
		contains(t, name, said(t, r), tt.want...)
		data, _ := r.StructuredContent.(map[string]any)
		if _, failed := data["error"]; len(data) == 0 || failed != fails {
			t.Errorf("%s: the data is %v", name, data)
		}
		var arguments any
		if err := json.Unmarshal([]byte(tt.arguments), &arguments); err != nil {
			t.Fatal(err)
		}
		if err := resolved(t, all[tt.tool].InputSchema).Validate(arguments); err != nil {
			t.Errorf("%s: the arguments are not what the schema says: %v", name, err)
		}
	}
	equal(t, "the text in the editor", w.buffer("a.txt"), "1\ntwo\nTHREE\n")
	if want := slices.Sorted(maps.Keys(all)); !slices.Equal(slices.Sorted(maps.Keys(called)), want) {
		t.Errorf("called are %v of %v", slices.Sorted(maps.Keys(called)), want)
	}
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestNativeDeclarations(t *testing.T) {
	w := newWorld(t, "native")
	all := tools(t, w.ClientSession)
	equal(t, "names", strings.Join(slices.Sorted(maps.Keys(all)), " "),
		"apply_patch create delete_lines edit_lines insert keep list revert save str_replace undo view write")
	for name, want := range map[string]string{ // read-only, destructive, idempotent
		"view": "true false true", "list": "true false true", "insert": "false false false", "str_replace": "false true false",
		"delete_lines": "false true false", "edit_lines": "false true false", "apply_patch": "false true false",
		"create": "false true true", "write": "false true true", "undo": "false true false", "save": "false true true",
		"keep": "false true false", "revert": "false true false",
	} {
		tool := all[name]
		a := tool.Annotations
		if got := mustJSON([]any{a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint}); got != "["+strings.ReplaceAll(want, " ", ",")+"]" {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if *a.OpenWorldHint || tool.Title == "" || !strings.HasSuffix(tool.Description, ".") || !strings.Contains(tool.Description, " ") {
			t.Errorf("%s: %s", name, mustJSON(tool))
		}
	}
	info := w.InitializeResult()
	contains(t, "instructions", info.Instructions, "not with your own or a shell", "save", "rev")
	if info.Capabilities.Logging == nil || info.Capabilities.Tools == nil || info.Capabilities.Resources != nil {
		t.Errorf("capabilities %s", mustJSON(info.Capabilities))
	}
}

// TestDefault: what a model is shown at the start is small, and says what the model needs. Clients choose which
// tools they load and may show only 240 characters of the instructions; users review edits, agents do not.
func TestDefault(t *testing.T) {
	w := newWorld(t, "", "a.txt", strings.Repeat("a line of some forty characters, as in code\n", 1000))
	c := client(t, mcp.Options{Connect: connectTo(mcp.Session{Editor: w.editor, Name: "headless"})}, nil)
	all := tools(t, c)
	equal(t, "names", strings.Join(slices.Sorted(maps.Keys(all)), " "), "apply_patch create delete_lines edit_lines insert list save str_replace undo view write")
	for name, tool := range all {
		if tool.OutputSchema != nil {
			t.Errorf("%s has a schema of its answers", name)
		}
		if want := slices.Contains([]string{"view", "str_replace", "apply_patch", "create", "undo", "save"}, name); (tool.Meta["anthropic/alwaysLoad"] == true) != want {
			t.Errorf("%s: _meta %v", name, tool.Meta)
		}
	}
	contains(t, "instructions", c.InitializeResult().Instructions[:240], "open editor, unsaved text included", "search for patchls view")
	r := call(t, c, "view", `{"path":"a.txt"}`)
	if first, _, _ := strings.Cut(said(t, r), "\n"); r.StructuredContent != nil || len(said(t, r)) > 20000 || !strings.HasPrefix(first, "[a.txt, lines 1-358 of 1000, go on with start_line 359, rev ") {
		t.Errorf("view: %v, %d bytes, %s", r.StructuredContent, len(said(t, r)), first)
	}
	r = call(t, c, "str_replace", `{"path":"a.txt","old_str":"forty","new_str":"43","replace_all":true}`)
	if got := said(t, r); r.StructuredContent != nil || len(got) > 7<<10 || !strings.Contains(got, "\n[edit e1, a.txt, rev ") {
		t.Errorf("str_replace: %v, %d bytes, %s", r.StructuredContent, len(got), got)
	}
}

// TestPatchIsTold: an answer has for each file what later calls need, and the lines around; for many files, less of it.
func TestPatchIsTold(t *testing.T) {
	var files []string
	patch := "*** Begin Patch\n"
	for i := range 60 {
		name := fmt.Sprintf("%02d.txt", i)
		files = append(files, name, strings.Repeat("x", 200)+"\none\n")
		patch += "*** Update File: " + name + "\n@@\n-one\n+two\n"
	}
	patch += "*** End Patch\n"
	w := newWorld(t, "", files...)
	got := said(t, call(t, w.ClientSession, "apply_patch", mustJSON(map[string]string{"patch": patch})))
	contains(t, "answer", got, "Patched 60 files", "\n[edit e1, 00.txt, rev ", "\n[edit e1, 01.txt, rev ", "     2\ttwo", " files more)")
	if len(got) > 8<<10 {
		t.Errorf("the answer has %d bytes", len(got))
	}
}

// An error of the SDK's own schema would say what is wrong; ours says what to send.
func TestUnknownArgument(t *testing.T) {
	w := newWorld(t, "", "a.txt", "one\n")
	contains(t, "error", w.failed("str_replace", `{"path":"a.txt","old_string":"one","new_str":"two"}`),
		`Error: Unknown argument "old_string": did you mean "old_str"?`)
	contains(t, "error", w.failed("view", `[]`), "Error: The arguments must be an object")
	contains(t, "error", w.failed("view", `{}`), `Error: The argument "path" is missing: the file`)
	contains(t, "error", w.failed("view", `{"path":{}}`), `Error: "path" must be a string`)
}

func TestUnknownDialect(t *testing.T) {
	_, err := mcp.New(mcp.Options{Dialect: "claud"})
	if err == nil {
		t.Fatal("no error")
	}
	equal(t, "error", err.Error(), `unknown dialect "claud": did you mean "claude"? (the dialects are native, claude, codex, agent-zero, smarthole)`)
	for _, opts := range []mcp.Options{{Dialect: "claude", Structured: true}, {Dialect: "codex", ReviewTools: true}} {
		_, err := mcp.New(opts)
		equal(t, "error", fmt.Sprint(err), "structured answers and review tools are for the dialect native, not for "+opts.Dialect)
	}
}
