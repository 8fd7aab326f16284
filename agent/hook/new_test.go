package hook_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/workspace/paths"
)

// TestHookOfAFileThatIsNotOnDisk: Claude Code refuses a Read and an Edit of a file that is not on disk before it runs a hook.
// The hook after them shows the text in the editor, and makes the edit there. The answers are those of Claude Code 2.1.331.
func TestHookOfAFileThatIsNotOnDisk(t *testing.T) {
	const (
		unread   = "File does not exist. Note: your current working directory is /menu."
		unedited = "<tool_use_error>" + unread + "</tool_use_error>"
	)
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"gone.txt": "soup\n", "deleted.txt": "soup\n"})
	editor := liveeditor.Start(t, root, headless.Options{})
	for name, content := range map[string]string{"new.txt": "soup\nbread\n", "empty.txt": ""} {
		if _, err := editor.Execute(t.Context(), "patchls.create", map[string]any{"path": name, "content": content}); err != nil {
			t.Fatal(err)
		}
	}
	inFolder := filepath.Join(root, "no", "folder", "deep.txt")
	if _, err := editor.OpenText(paths.FileURI(inFolder), "plaintext", "soup\nbread\n"); err != nil {
		t.Fatal(err)
	}
	long, err := editor.OpenText(paths.FileURI(filepath.Join(root, "long.txt")), "plaintext", strings.Repeat("中文 soup and bread\n", 3000))
	if err != nil {
		t.Fatal(err)
	}
	editor.Typed("gone.txt", "bread\n")
	editor.OpenSaved("deleted.txt")
	for _, name := range []string{"gone.txt", "deleted.txt"} {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	type object = map[string]any
	call := func(tool, name, response string, more object) object {
		input := object{"file_path": filepath.Join(root, name)}
		maps.Copy(input, more)
		return object{"tool_name": tool, "tool_input": input, "tool_response": response}
	}
	read := func(name string) object { return call("Read", name, unread, nil) }
	edit := func(name, old, now string) object {
		return call("Edit", name, unedited, object{"old_string": old, "new_string": now})
	}
	batch := func(calls ...object) object { return object{"tool_calls": calls} }
	shown := func(name, text string) []string {
		return []string{"This Read is no error. " + name + " is not on disk and has unsaved text in patchls-headless, and this is it (rev ", "). Edit and Write edit it there.\n" + text}
	}
	for _, tt := range []struct {
		name, event, tool string
		more              object
		want              []string // parts of what the agent is told; none is silence
	}{
		{"reading a file that an agent has created", "PostToolBatch", "", batch(read("new.txt")), shown("new.txt", "soup\nbread\n")},
		{"reading lines of it", "PostToolBatch", "", batch(call("Read", "new.txt", unread, object{"offset": 2, "limit": 1})), []string{"It has 3 lines; an offset of 3 goes on. Edit and Write edit it there.\nbread"}},
		{"reading a file in a folder that is not there", "PostToolBatch", "", batch(read("no/folder/deep.txt")), shown("no/folder/deep.txt", "soup\nbread\n")},
		{"reading a file that was deleted beside unsaved text", "PostToolBatch", "", batch(read("gone.txt")), shown("gone.txt", "bread\nsoup\n")},
		{"reading a deleted file whose text was saved", "PostToolBatch", "", batch(read("deleted.txt")), nil},
		{"reading an empty file", "PostToolBatch", "", batch(read("empty.txt")), nil},
		{"reading a file that nobody has", "PostToolBatch", "", batch(read("none.txt")), nil},
		{"reading what may not be read", "PostToolBatch", "", batch(call("Read", "new.txt", "Permission to read has been denied.", nil)), nil},
		{"editing a file that nobody has", "PostToolBatch", "", batch(edit("none.txt", "soup", "stew")), nil},
		{"editing it while Claude plans", "PostToolBatch", "", object{"permission_mode": "plan", "tool_calls": []object{edit("new.txt", "soup", "stew")}}, nil},
		{"editing one after the other, and reading", "PostToolBatch", "", batch(edit("new.txt", "soup", "stew"), read("new.txt"), edit("no/folder/deep.txt", "soup", "stew"), edit("gone.txt", "soup", "stew"), edit("new.txt", "soup", "x")), []string{
			"These Edits were refused, since their text is not on disk, and tried in the editor. Those that are made are not to be made again:\nmade, e3: Replaced 1 occurrence in new.txt at line 1.",
			"\nmade, e4: Replaced 1 occurrence in no/folder/deep.txt at line 1.", "\nmade, e5: Replaced 1 occurrence in gone.txt at line 2.", "\nfailed: new.txt: ",
			"\nThis Read is no error. new.txt is", "edit it there.\nstew\nbread\n",
			"\nThis is no error: the edit is made, and is not to be made again. new.txt is not on disk and has unsaved text in patchls-headless, so it was made there.\n",
		}},
		{"an Edit without an old text", "PreToolUse", "Edit", edit("new.txt", "", "all"), []string{"new.txt is not on disk and has unsaved text in patchls-headless. There: old_str must not be empty"}},
		{"a whole text", "PreToolUse", "Write", call("Write", "new.txt", "", object{"content": "stew\nrye\n"}), []string{"This is no error: the edit is made", "new.txt is not on disk"}},
		{"a shell", "PreToolUse", "Bash", object{"tool_input": object{"command": "cat new.txt"}}, []string{"new.txt is not on disk and has unsaved text in patchls-headless, which a shell does not see. Read shows that text"}},
		{"reading a long file, twice", "PostToolBatch", "", batch(read("long.txt"), read("long.txt"), edit("long.txt", "nowhere", "x")), []string{"It has 3001 lines; an offset of ", "offset of 1 goes on."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.more["session_id"] = "s"
			out := answer(t, "claude", liveeditor.Question(t, root, tt.event, tt.tool, tt.more))
			var a struct {
				Out struct {
					Context string `json:"additionalContext"`
					Reason  string `json:"permissionDecisionReason"`
				} `json:"hookSpecificOutput"`
			}
			if out != "" {
				if err := json.Unmarshal([]byte(out), &a); err != nil {
					t.Fatal(err)
				}
			}
			said := a.Out.Context + a.Out.Reason
			if (out == "") != (tt.want == nil) || utf8.RuneCountInString(said) > 9500 {
				t.Errorf("%d characters, %q", utf8.RuneCountInString(said), out)
			}
			for _, part := range tt.want {
				if !strings.Contains(said, part) {
					t.Errorf("it is told %s\nwithout %s", said, part)
				}
			}
		})
	}
	for name, want := range map[string]string{"new.txt": "stew\nrye\n", "no/folder/deep.txt": "stew\nbread\n", "gone.txt": "bread\nstew\n"} {
		b, open := editor.Buffer(filepath.Join(root, filepath.FromSlash(name)))
		if !open || b.Text() != want {
			t.Errorf("%s: open %v, %q", name, open, b.Text())
		}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
			t.Errorf("%s is on disk", name)
		}
	}
	// What had no room was not shown, so a whole text does not remove it.
	before := long.Text()
	out := answer(t, "claude", liveeditor.Question(t, root, "PreToolUse", "Write", object{"session_id": "s", "tool_input": object{"file_path": filepath.Join(root, "long.txt"), "content": "x\n"}}))
	if !strings.Contains(out, "Nothing was written") || long.Text() != before {
		t.Errorf("a whole text: %s", out)
	}
}

// A prompt begins a turn, and its answer is what the user did to the edits of the session before.
func TestAPromptBeginsATurn(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	editor := liveeditor.Start(t, root, headless.Options{})
	buffer := editor.Typed("menu.txt", "cake\n")
	asks := func(session, event string, more map[string]any) string {
		more["hook_event_name"], more["session_id"], more["cwd"] = event, session, root
		raw, err := json.Marshal(more)
		if err != nil {
			t.Fatal(err)
		}
		return answer(t, "claude", string(raw))
	}
	prompts := func(session, words string) string {
		return asks(session, "UserPromptSubmit", map[string]any{"prompt": words})
	}
	edits := func(old, now string) {
		input := map[string]any{"file_path": filepath.Join(root, "menu.txt"), "old_string": old, "new_string": now}
		if said := asks("s1", "PreToolUse", map[string]any{"tool_name": "Edit", "tool_input": input}); !strings.Contains(said, "the edit is made") {
			t.Error(said)
		}
	}
	if said := prompts("s1", "Change the menu\nof today"); said != "" {
		t.Error(said)
	}
	edits("tea", "green tea")
	edits("bread", "rye")
	if raw, err := editor.Execute(t.Context(), "patchls.list", map[string]any{}); err != nil || strings.Count(string(raw), `"turn":"t1","prompt":"Change the menu of today"`) != 2 {
		t.Errorf("%s, %v", raw, err)
	}
	if _, err := editor.Execute(t.Context(), "patchls.undo", map[string]any{"turn": "last"}); err != nil || buffer.Text() != "cake\n"+menu {
		t.Errorf("%q, %v", buffer.Text(), err)
	}
	if said := prompts("s2", "Hello"); said != "" {
		t.Error("another session is told", said)
	}
	if said := prompts("s1", "Go on"); !strings.Contains(said, `"UserPromptSubmit","additionalContext":"Since your last call: the user reverted edit e2 in menu.txt; the user reverted edit e1 in menu.txt."`) {
		t.Error(said)
	}
	if said := prompts("s1", "And on"); said != "" {
		t.Error("it is told again", said)
	}
}
