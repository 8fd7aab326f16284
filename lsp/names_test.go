package lsp_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/oneline"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/patchdoc"
	"github.com/patchls/patchls/workspace/paths"
)

// named are calls of each command about the file PATH, whose text is "one\ntwo\n". They are made in this order, each with
// a text and a name of a file that is open, one that is closed, and none.
var named = []struct {
	command string
	args    args
}{
	{"view", args{}},
	{"view", args{"view_range": []int{9, 10}}},
	{"read_file", args{}},
	{"edit_file", args{"old_text": "o", "new_text": "1"}},
	{"str_replace_editor", args{"command": "str_replace", "old_str": "o", "new_str": "1"}},
	{"text_editor", args{"action": "read"}},
	{"document", args{}},
	{"str_replace", args{"old_str": "one", "new_str": "1"}},
	{"str_replace", args{"old_str": "nowhere", "new_str": "1"}},
	{"str_replace", args{"old_str": "o", "new_str": "1"}},
	{"str_replace", args{"old_str": "two", "new_str": "2", "dry_run": true}},
	{"str_replace", args{"old_str": "two", "new_str": "2", "rev": "x"}},
	{"insert", args{"insert_line": 1, "new_str": "new\n"}},
	{"insert", args{"insert_line": 99, "new_str": "new\n"}},
	{"delete_lines", args{"start_line": 1, "end_line": 1}},
	{"delete_lines", args{"start_line": 98, "end_line": 99}},
	{"edit_lines", args{"edits": []args{{"start_line": 1, "end_line": 1, "content": "x\n"}}}},
	{"apply_patch", args{"patch": "@@ -1 +1,2 @@\n new\n+more\n"}},
	{"apply_patch", args{"patch": "@@ -1 +1 @@\n-nowhere\n+x\n"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Add File: NAME\n+x\n*** Update File: NAME\n@@\n-x\n+y\n*** End Patch\n"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: NAME\n@@\n-nowhere\n+y\n*** End Patch\n"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: NAME\n*** End Patch\n"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Delete File: NAME\n+x\n*** End Patch\n"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: NAME\n@@\n-a\n+b\n*** End Patch\n"}},
	{"apply_patch", args{"patch": "--- a/NAME\n+++ b/NAME\n@@ -1 +1 @@\n-nowhere\n+y\n"}},
	{"apply_patch", args{"patch": "NAME\n<<<<<<< SEARCH\nnowhere\n=======\ny\n>>>>>>> REPLACE\n"}},
	{"apply_patch", args{"patch": "--- a/NAME\n+++ b/NAME\n@@ -1 +1 @@\n-one\n+y\n", "path": "a.txt"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@ NAME\n-a\n+b\n*** End Patch\n", "dry_run": true}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@ NAME\n-nowhere\n+b\n*** End Patch\n"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\nNAME\n-nowhere\n+b\n*** End Patch\n"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** NAME File: a.txt\n@@\n-a\n+b\n*** End Patch\n"}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Add File: NAME\n+x\n*** Update File: a.txt\n@@ NAME\n-a\n+b\n*** End Patch\n", "dry_run": true}},
	{"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** NAME\n"}},
	{"apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@ NAME\n-a\n+b\n", "dry_run": true}},
	{"apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@ NAME\n-nowhere\n+b\n"}},
	{"apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 NAME +1 @@\n-a\n+b\n"}},
	{"apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\nNAME\n+b\n"}},
	{"apply_patch", args{"patch": "diff --git a/a.txt b/NAME\ncopy from a.txt\ncopy to NAME\n"}},
	{"apply_patch", args{"patch": "diff --git a/a.txt b/a.txt\nNAME\nnew mode 120000\n"}},
	{"apply_patch", args{"patch": "a.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nNAME\n"}},
	{"apply_patch", args{"patch": "NAME"}},
	{"view", args{"NAME": 1}},
	{"view", args{"view_range": "NAME"}},
	{"view", args{"rev": "NAME"}},
	{"str_replace", args{"old_str": "one", "new_str": "1", "match": "NAME"}},
	{"str_replace", args{"old_str": "one", "new_str": "1", "replace_all": "NAME"}},
	{"str_replace", args{"old_str": "one", "new_str": "1", "rev": "NAME"}},
	{"edit_lines", args{"edits": []args{{"NAME": 1}}}},
	{"edit_lines", args{"edits": []args{{"start_line": "NAME"}}}},
	{"edit_file", args{"NAME": "x"}},
	{"read_file", args{"NAME": "x"}},
	{"text_editor", args{"action": "NAME"}},
	{"text_editor", args{"NAME": "x", "action": "read"}},
	{"str_replace_editor", args{"command": "NAME"}},
	{"undo", args{"edit_id": "NAME"}},
	{"revert", args{"edit_id": "NAME"}},
	{"keep", args{"hunk": "NAME"}},
	{"NAME", args{}},
	{"create", args{"content": "x\n"}},
	{"create", args{"content": "x\n", "path": "NAME/"}},
	{"view", args{"path": "../NAME"}},
	{"view", args{"path": "https://NAME"}},
	{"view", args{"path": ".git/NAME"}},
	{"write", args{"content": "one\ntwo\n"}},
	{"write", args{"content": "one\ntwo\n", "save": true}},
	{"keep", args{}},
	{"write", args{"content": "one\ntwo\nthree\n"}},
	{"revert", args{}},
	{"write", args{"content": "one\ntwo\nthree\n", "confirm": true}},
	{"undo", args{}},
	{"undo", args{"edit_id": "e999"}},
	{"save", args{}},
	{"list", args{}},
	{patchdoc.Command, args{}},
	{"edit_file", args{"old_text": "one", "new_text": "1"}},
	{"edit_file", args{"old_text": "nowhere", "new_text": "1"}},
	{"read_file", args{}},
	{"write_file", args{"content": "one\n"}},
	{"text_editor", args{"action": "read"}},
	{"text_editor", args{"action": "patch", "old_text": "nowhere", "new_text": ""}},
	{"text_editor", args{"action": "write", "content": "one\ntwo\n"}},
	{"str_replace_editor", args{"command": "view"}},
	{"str_replace_editor", args{"command": "str_replace", "old_str": "two", "new_str": "2"}},
	{"str_replace_editor", args{"command": "create", "file_text": "x\n"}},
	{"str_replace_editor", args{"command": "insert", "insert_line": 0, "insert_text": "x\n"}},
}

// TestEveryCommandWithEveryName: whatever a file is called, its name stays in its line in what commands answer, and controls
// neither a terminal nor the direction of reading.
func TestEveryCommandWithEveryName(t *testing.T) {
	called := map[string]bool{"document": true}
	for _, c := range named {
		called[c.command] = true
	}
	for i := range lsp.Commands {
		if name := lsp.Commands[i].Name; !called[name] {
			t.Errorf("no call of %s is here", name)
		}
	}
	for _, name := range chance.Sample(oneline.FileNames()) {
		for _, state := range []string{"open", "closed", "none"} {
			t.Run(state+" "+paths.OneLine(name, 30), func(t *testing.T) {
				asked := &asked{answers: []string{"Show diff", "Reject"}}
				s := start(t, map[string]string{"a.txt": "a\n"}, headless.Options{Answer: chooses(asked.choose)})
				if state != "none" {
					if err := os.WriteFile(s.path(name), []byte("one\ntwo\n"), 0o600); err != nil {
						t.Skip("the file system does not allow this name:", err)
					}
				}
				if state == "open" {
					s.open(name)
				}
				for _, c := range named {
					a := args{"path": name}
					maps.Copy(a, c.args)
					if c.command == "save" {
						a = args{"paths": []string{name}}
					}
					if patch, ok := a["patch"].(string); ok && strings.Contains(patch, "NAME") {
						a["patch"] = strings.ReplaceAll(patch, "NAME", strings.NewReplacer("\n", "", "\r", "").Replace(name))
						if a["path"] == name {
							delete(a, "path")
						}
					}
					quoted, err := json.Marshal(name)
					if err != nil {
						t.Fatal(err)
					}
					given, err := json.Marshal(a)
					if err != nil {
						t.Fatal(err)
					}
					given = bytes.ReplaceAll(given, []byte("NAME"), quoted[1:len(quoted)-1])
					raw, err := s.Execute(t.Context(), "patchls."+strings.ReplaceAll(c.command, "NAME", name), json.RawMessage(given))
					said := stringsIn(t, raw)
					if err != nil {
						said = append(said, failureOf(t, raw, err).Message)
					}
					for _, text := range said {
						if wrong := oneline.Misleads(text, edits.IsFit); wrong != "" {
							t.Errorf("%s %q: %s in %q", c.command, given, wrong, text)
						}
					}
				}
				for _, question := range asked.questions {
					if wrong := oneline.Misleads(question, edits.IsFit); wrong != "" {
						t.Errorf("a question: %s in %q", wrong, question)
					}
				}
			})
		}
	}
}

// stringsIn returns all strings of a JSON value.
func stringsIn(t *testing.T, raw json.RawMessage) (all []string) {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, in := range v {
				walk(in)
			}
		case map[string]any:
			for _, in := range v {
				walk(in)
			}
		}
	}
	walk(value)
	return all
}
