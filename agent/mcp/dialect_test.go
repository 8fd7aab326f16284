package mcp_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/agent/mcp"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// The tools and arguments that the models know, by dialect; a ! is a required one.
func TestDialectTools(t *testing.T) {
	want := map[string][]string{
		"claude":     {"str_replace_based_edit_tool: command! file_text insert_line insert_text new_str old_str path! view_range"},
		"codex":      {"apply_patch: input!"},
		"agent-zero": {"text_editor: action! content edits line_from line_to new_text old_text open_in_canvas patch_text path!"},
		"smarthole": {
			"edit_file: content delete_lines insert_after_line insert_before_line new_text old_text path! replace_all",
			"read_file: end_line path! start_line",
			"write_file: content! path!",
		},
	}
	for _, dialect := range mcp.Dialects() {
		if dialect == "native" {
			continue
		}
		w := newWorld(t, dialect)
		var got []string
		all := tools(t, w.ClientSession)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			var schema struct {
				Properties map[string]any `json:"properties"`
				Required   []string       `json:"required"`
			}
			if err := json.Unmarshal([]byte(mustJSON(all[name].InputSchema)), &schema); err != nil {
				t.Fatal(err)
			}
			line := name + ":"
			for _, p := range slices.Sorted(maps.Keys(schema.Properties)) {
				line += " " + p
				if slices.Contains(schema.Required, p) {
					line += "!"
				}
			}
			got = append(got, line)
			doc := all[name].Description
			if says := strings.Contains(doc, lsp.ByLine) || strings.Contains(doc, lsp.Whole); !strings.HasSuffix(doc, ".") || says != (name != "apply_patch" && name != "read_file") {
				t.Errorf("%s: %s", dialect, mustJSON(all[name]))
			}
		}
		equal(t, dialect, strings.Join(got, "\n"), strings.Join(want[dialect], "\n"))
		contains(t, "instructions", w.InitializeResult().Instructions, "not with your own or a shell")
	}
}

// What only the command takes is refused.
func TestDialectArguments(t *testing.T) {
	for dialect, call := range map[string]string{
		"claude":     `str_replace_based_edit_tool {"command":"str_replace","path":"a.txt","old_str":"one","new_str":"1"`,
		"agent-zero": `text_editor {"action":"write","path":"a.txt","content":"1\n"`,
		"smarthole":  `write_file {"path":"a.txt","content":"1\n"`,
		"codex":      `apply_patch {"input":"*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n"`,
	} {
		tool, arguments, _ := strings.Cut(call, " ")
		w := newWorld(t, dialect, "a.txt", "one\n")
		for _, more := range []string{`"dry_run":true`, `"label":"words"`, `"save":true`, `"confirm":true`, `"rev":"1"`, `"nonsense":1`} {
			name, _, _ := strings.Cut(more, ":")
			contains(t, dialect, w.failed(tool, arguments+","+more+"}"), "Unknown argument "+name)
		}
	}
}

func TestClaude(t *testing.T) {
	w := newWorld(t, "claude", "a.txt", "one\ntwo\n")
	const tool = "str_replace_based_edit_tool"
	schema := mustJSON(tools(t, w.ClientSession)[tool].InputSchema)
	contains(t, "schema", schema, `"enum":["view","create","str_replace","insert"]`)
	contains(t, "view", w.did(tool, `{"command":"view","path":"a.txt","view_range":[2,-1]}`), "     2\ttwo")
	contains(t, "str_replace", w.did(tool, `{"command":"str_replace","path":"a.txt","old_str":"one","new_str":"1"}`), "has been edited", "     1\t1")
	contains(t, "insert", w.did(tool, `{"command":"insert","path":"a.txt","insert_line":0,"insert_text":"zero\n"}`), "     1\tzero")
	contains(t, "create", w.did(tool, `{"command":"create","path":"b.txt","file_text":"b\n"}`), "File created successfully")
	contains(t, "error", w.failed(tool, `{"command":"str_replace","path":"a.txt","old_str":"nine","new_str":"1"}`), "Error: No occurrence of `nine`")
	equal(t, "the text in the editor", w.buffer("a.txt"), "zero\n1\ntwo\n")
}

// A suggestion that fits str_replace is not shown to a model of another dialect, which
// could not make that call.
func TestSuggestion(t *testing.T) {
	const text = "func f() {\n\treturn 1\n}\n"
	w := newWorld(t, "claude", "a.go", text)
	if got := w.failed("str_replace_based_edit_tool", `{"command":"str_replace","path":"a.go","old_str":"    return 1","new_str":"    return 2"}`); strings.Contains(got, "suggestion") {
		t.Error(got)
	}
	w = newWorld(t, "native", "a.go", text)
	contains(t, "native", w.failed("str_replace", `{"path":"a.go","old_str":"    return 1","new_str":"    return 2"}`), "\nsuggestion: str_replace {")
}

func TestCodex(t *testing.T) {
	w := newWorld(t, "codex", "a.txt", "one\ntwo\n", "b.txt", "b\n", "c.txt", "c\n")
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n two\n*** Delete File: b.txt\n*** Add File: d.txt\n+d\n" +
		"*** Update File: c.txt\n*** Move to: e.txt\n@@\n-c\n+e\n*** End Patch\n"
	equal(t, "answer", w.did("apply_patch", mustJSON(map[string]string{"input": patch})),
		"Success. Updated the following files:\nA d.txt\nM a.txt\nM e.txt\nD b.txt\nnote: "+transaction.NotOnDisk("d.txt")+"\n")
	equal(t, "the text in the editor", w.buffer("a.txt"), "1\ntwo\n")
	contains(t, "error", w.failed("apply_patch", mustJSON(map[string]string{"input": "*** Begin Patch\n*** Update File: a.txt\n@@\n-nine\n+9\n*** End Patch\n"})), "Error: ", "a.txt")
	for wrong, want := range map[string]string{
		`{"patch":"x"}`: "the arguments are input", `{"input":"x","path":"a.txt"}`: "the arguments are input",
		`{}`: `"input" is missing: the entire contents`, `{"input":null}`: `"input" is missing`,
		`{"input":{}}`: `"input" must be a string`, `[]`: "must be an object", `{"input":1}`: "this is no patch",
	} {
		contains(t, wrong, w.failed("apply_patch", wrong), want)
	}
}

func TestAgentZero(t *testing.T) {
	w := newWorld(t, "agent-zero", "a.txt", "one\ntwo\n")
	contains(t, "unread", w.failed("text_editor", `{"action":"patch","path":"a.txt","edits":[{"from":1,"to":1,"content":"1"}]}`), "read file before patching")
	contains(t, "read", w.did("text_editor", `{"action":"read","path":"a.txt"}`), "2 lines", "1 one")
	contains(t, "patch", w.did("text_editor", `{"action":"patch","path":"a.txt","edits":[{"from":1,"to":1,"content":"1"}]}`), "patched 1 edits")
	equal(t, "the text in the editor", w.buffer("a.txt"), "1\ntwo\n")
}

func TestSmartHole(t *testing.T) {
	w := newWorld(t, "smarthole", "a.txt", "one\ntwo\n")
	contains(t, "read_file", w.did("read_file", `{"path":"a.txt"}`), "1: one\n2: two")
	contains(t, "edit_file", w.did("edit_file", `{"path":"a.txt","old_text":"one","new_text":"1"}`), `Replaced 1 occurrence in "a.txt".`)
	contains(t, "write_file", w.did("write_file", `{"path":"b.txt","content":"b\n"}`), `Created file "b.txt"`)
	contains(t, "error", w.failed("edit_file", `{"path":"a.txt"}`), "Error: Must provide either")
	equal(t, "the text in the editor", w.buffer("a.txt"), "1\ntwo\n")
}
