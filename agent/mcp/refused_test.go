package mcp_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// refusedCalls are calls that fail, by dialect.
var refusedCalls = map[string][]string{
	"claude": {
		`str_replace_based_edit_tool {}`,
		`str_replace_based_edit_tool {"command":"views","path":"a.txt"}`,
		`str_replace_based_edit_tool {"command":"view"}`,
		`str_replace_based_edit_tool {"command":"view","path":"none.txt"}`,
		`str_replace_based_edit_tool {"command":"view","path":"a.txt","view_range":[3]}`,
		`str_replace_based_edit_tool {"command":"view","path":"a.txt","view_range":[90,91]}`,
		`str_replace_based_edit_tool {"command":"view","path":"a.txt","old_str":"x"}`,
		`str_replace_based_edit_tool {"command":"view","path":"a.txt","paths":["x"]}`,
		`str_replace_based_edit_tool {"command":"view","path":"a.txt","near_lines":1}`,
		`str_replace_based_edit_tool {"command":"undo_edit","path":"a.txt","old_str":"x"}`,
		`str_replace_based_edit_tool {"command":"create","path":"a.txt"}`,
		`str_replace_based_edit_tool {"command":"create","path":"a.txt","file_text":"x"}`,
		`str_replace_based_edit_tool {"command":"create","path":"../a.txt","file_text":"x"}`,
		`str_replace_based_edit_tool {"command":"insert","path":"a.txt","insert_line":1}`,
		`str_replace_based_edit_tool {"command":"insert","path":"a.txt","insert_line":90,"insert_text":"x"}`,
		`str_replace_based_edit_tool {"command":"insert","path":"a.txt","insert_line":1,"insert_text":"x","old_str":"y"}`,
		`str_replace_based_edit_tool {"command":"str_replace","path":"a.txt","old_str":""}`,
		`str_replace_based_edit_tool {"command":"str_replace","path":"a.txt","old_str":"  one","new_str":"x"}`,
		`str_replace_based_edit_tool {"command":"str_replace","path":"a.txt","old_str":"e","new_str":"x"}`,
		`str_replace_based_edit_tool {"command":"str_replace","path":"a.txt","old_str":"zero","new_str":"one"}`,
		`str_replace_based_edit_tool {"command":"str_replace","path":"a.txt","old_str":"one","new_str":"one"}`,
		`str_replace_based_edit_tool {"command":"str_replace","path":".envrc","old_str":"one","new_str":"1"}`,
	},
	"codex": {
		`apply_patch {}`, `apply_patch {"patch":"x"}`, `apply_patch {"input":""}`, `apply_patch {"input":"x"}`,
		`apply_patch {"input":"@@\n-one\n+1\n"}`,
		`apply_patch {"input":"*** Begin Patch\n*** Update File: a.txt\n@@\n-nine\n+9\n*** End Patch\n"}`,
		`apply_patch {"input":"*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"}`,
		`apply_patch {"input":"*** Begin Patch\n*** Add File: a.txt\n+y\n*** End Patch\n"}`,
		`apply_patch {"input":"*** Begin Patch\n*** Update File: none.txt\n@@\n-one\n+y\n*** End Patch\n"}`,
		`apply_patch {"input":"*** Begin Patch\n*** Delete File: none.txt\n*** End Patch\n"}`,
		`apply_patch {"input":"*** Begin Patch\n*** Update File: .envrc\n@@\n-one\n+y\n*** End Patch\n"}`,
		`apply_patch {"input":"*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+1\n*** End Patch\n"}`,
	},
	"agent-zero": {
		`text_editor {}`, `text_editor {"action":"reads","path":"a.txt"}`, `text_editor {"action":"read","path":"none.txt"}`,
		`text_editor {"action":"read","path":"a.txt","old_str":"x"}`, `text_editor {"action":"read","path":"a.txt","content":"x"}`,
		`text_editor {"action":"write","path":"a.txt","content":"x","edits":[{"from":1}]}`,
		`text_editor {"action":"patch","path":"a.txt"}`,
		`text_editor {"action":"patch","path":"a.txt","edits":[{"from":1,"to":1,"content":"x"}]}`,
		`text_editor {"action":"patch","path":"a.txt","edits":[{"from":1}]}`,
		`text_editor {"action":"patch","path":"a.txt","old_text":"nine","new_text":"x"}`,
		`text_editor {"action":"patch","path":"a.txt","old_text":"  one","new_text":"x"}`,
		`text_editor {"action":"patch","path":"a.txt","old_text":"e","new_text":"x"}`,
		`text_editor {"action":"patch","path":"a.txt","old_text":"zero","new_text":"one"}`,
		`text_editor {"action":"patch","path":"a.txt","new_text":"one"}`,
		`text_editor {"action":"patch","path":"a.txt","patch_text":"@@\n-nine\n+9\n"}`,
		`text_editor {"action":"patch","path":"a.txt","patch_text":"x"}`,
		`text_editor {"action":"patch","path":"none.txt","patch_text":"@@\n-nine\n+9\n"}`,
		`text_editor {"action":"patch","path":".envrc","old_text":"one","new_text":"x"}`,
	},
	"smarthole": {
		`edit_file {}`, `edit_file {"path":"a.txt"}`, `edit_file {"path":"a.txt","old_str":"x"}`, `edit_file {"path":"none.txt","old_text":"x","new_text":"y"}`,
		`edit_file {"path":"a.txt","old_text":"nine","new_text":"x"}`, `edit_file {"path":"a.txt","old_text":"  one","new_text":"x"}`,
		`edit_file {"path":"a.txt","old_text":"e","new_text":"x"}`, `edit_file {"path":"a.txt","old_text":"zero","new_text":"one"}`,
		`edit_file {"path":"a.txt","old_text":"one","new_text":"one"}`, `edit_file {"path":"a.txt","old_text":"","new_text":"one"}`,
		`edit_file {"path":"a.txt","insert_after_line":90,"content":"x"}`, `edit_file {"path":"a.txt","insert_after_line":-1,"content":"x"}`,
		`edit_file {"path":"a.txt","insert_before_line":-1,"content":"x"}`, `edit_file {"path":"a.txt","delete_lines":{"start":3,"end":2}}`,
		`edit_file {"path":"a.txt","delete_lines":{"first":3,"end":2}}`, `edit_file {"path":".envrc","old_text":"one","new_text":"x"}`,
		`read_file {"path":"a.txt","start_line":90}`, `read_file {"path":"none"}`, `read_file {"path":"a.txt","line":1}`,
		`write_file {"path":"a.txt"}`, `write_file {"path":"../a.txt","content":"x"}`,
	},
}

// An error names no tool and no argument that the model's list has not.
func TestErrorsNameWhatIsListed(t *testing.T) {
	// What may be a name: a word with _, or in quotes after which nothing but a word stands, or before a colon and a value.
	names := regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b|"[a-z]+"(?:,| and| or| is| must|:)|\b(?:match|rev|confirm|overwrite|expect|save)\b(?:: |\.$)`)
	for dialect, calls := range refusedCalls {
		w := newWorld(t, dialect, "a.txt", "one\ntwo\nthree\nx\nx\n", "b.txt", "b\n", ".envrc", "one\n")
		known := []string{"ask_timeout_ms"}
		for name, tool := range tools(t, w.ClientSession) {
			known = append(known, name)
			for argument, p := range members(schemaOf(t, tool)) {
				known = append(known, argument)
				words, _ := p["enum"].([]any)
				for _, word := range words {
					known = append(known, fmt.Sprint(word))
				}
			}
		}
		for _, line := range calls {
			tool, arguments, _ := strings.Cut(line, " ")
			said := w.failed(tool, arguments)
			for _, name := range names.FindAllString(said, -1) {
				if name = strings.Trim(name, `",: .`); !slices.Contains(known, strings.Fields(strings.ReplaceAll(name, `"`, ""))[0]) && !strings.Contains(arguments, name) {
					t.Errorf("%s %s names %s:\n%s", dialect, line, name, said)
				}
			}
			if testing.Verbose() {
				t.Logf("%s\n%s", line, said)
			}
		}
	}
}
