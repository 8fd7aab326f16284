package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
)

// argumentCase is a call of a command, and arguments that each change its outcome. Those that it has already have another
// value then.
type argumentCase struct {
	command string
	call    args
	more    args
}

// everyEdit are the arguments of each command that edits a text.
var everyEdit = args{"dry_run": true, "label": "some words", "save": true, "confirm": true}

var argumentCases = []argumentCase{
	{"view", args{"path": "a.txt"}, args{"path": "b.txt", "start_line": 3, "end_line": 2}},
	{"read_file", args{"path": "a.txt"}, args{"path": "b.txt", "start_line": 3, "end_line": 2}},
	{"list", args{}, args{}},
	{"str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"}, args{"path": "b.txt", "old_str": "four", "new_str": "3"}},
	{"str_replace", args{"path": "a.txt", "old_str": "same", "new_str": "2"}, args{"replace_all": true, "near_line": 5}},
	{"str_replace", args{"path": "a.txt", "old_str": "  two\n", "new_str": "  2\n"}, args{"match": "lenient"}},
	{"insert", args{"path": "a.txt", "after_line": 2, "content": "x"}, args{"path": "b.txt", "after_line": 3, "content": "y", "rev": "nonsense"}},
	{"insert", args{"path": "a.txt", "content": "x"}, args{"before_line": 1}},
	{"delete_lines", args{"path": "a.txt", "start_line": 2, "end_line": 3}, args{"path": "b.txt", "start_line": 3, "end_line": 4, "rev": "nonsense"}},
	{"edit_lines", args{"path": "a.txt", "edits": []any{args{"from": 2, "to": 3, "content": "x"}}}, args{
		"path": "b.txt", "edits": []any{args{"from": 4}}, "edits[].from": 3, "edits[].to": 2, "edits[].content": "y", "edits[].expect": "nonsense", "rev": "nonsense",
	}},
	{"apply_patch", args{"patch": "@@\n-two\n+2\n", "path": "a.txt"}, args{"patch": "@@\n-three\n+3\n", "path": "b.txt"}},
	{"apply_patch", args{"patch": "@@\n-same\n+2\n", "path": "a.txt"}, args{"on_ambiguous": "first"}},
	{"apply_patch", args{"patch": "@@\n-  two\n+  2\n", "path": "a.txt"}, args{"match": "exact"}},
	{"create", args{"path": "new.txt", "content": "x\n"}, args{"path": "new2.txt", "content": "y\n"}},
	{"create", args{"path": "a.txt", "content": "x\n"}, args{"overwrite": true}},
	{"create", args{"path": "a.txt", "content": "x\n", "overwrite": true}, args{"rev": "nonsense"}},
	{"write", args{"path": "a.txt", "content": "x\n"}, args{"path": "b.txt", "content": "y\n", "rev": "nonsense"}},
	{"write_file", args{"path": "a.txt", "content": "x\n"}, args{"path": "b.txt", "content": "y\n", "rev": "nonsense"}},
	{"undo", args{}, args{"edit_id": "e1", "path": "b.txt", "turn": "t1"}},
	{"revert", args{"edit_id": "e1"}, args{"edit_id": "e2", "path": "b.txt", "hunk": 1}},
	{"keep", args{"edit_id": "e1"}, args{"edit_id": "e2", "path": "b.txt", "hunk": 1}},
	{"save", args{}, args{"paths": []any{"b.txt"}}},
	{"apply_document", args{"path": "two.md"}, args{"path": "one.diff", "block": 1, "rev": "nonsense"}},
	{"apply_document", args{"path": "one.diff"}, args{"hunk": 1}},
	{"edit_file", args{"path": "a.txt", "old_text": "two", "new_text": "2"}, args{"path": "b.txt", "old_text": "four", "new_text": "3"}},
	{"edit_file", args{"path": "a.txt", "old_text": "same", "new_text": "2"}, args{"replace_all": true}},
	{"edit_file", args{"path": "a.txt", "content": "x"}, args{"insert_after_line": 2, "insert_before_line": 2}},
	{"edit_file", args{"path": "a.txt"}, args{"delete_lines": args{"start": 2, "end": 3}}},
	{"edit_file", args{"path": "a.txt", "content": "x", "insert_after_line": 2}, args{"content": "y", "rev": "nonsense"}},
	{"text_editor", args{"action": "read", "path": "a.txt"}, args{"line_from": 3, "line_to": 2}},
	{"text_editor", args{"action": "write", "path": "a.txt", "content": "x\n"}, args{"action": "read", "path": "b.txt", "content": "y\n", "rev": "nonsense"}},
	{"text_editor", args{"action": "patch", "path": "a.txt", "old_text": "two", "new_text": "2"}, args{"old_text": "four", "new_text": "3"}},
	{"text_editor", args{"action": "patch", "path": "a.txt"}, args{"edits": []any{args{"from": 2, "to": 2}}, "patch_text": "@@\n-two\n+2\n"}},
	{"text_editor", args{"action": "patch", "path": "a.txt", "edits": []any{args{"from": 2, "to": 3, "content": "x\n"}}}, args{"edits[].from": 3, "edits[].to": 2, "edits[].content": "y\n"}},
	{"str_replace_editor", args{"command": "view", "path": "a.txt"}, args{"view_range": []any{2, 3}}},
	{"str_replace_editor", args{"command": "create", "path": "new.txt", "file_text": "x\n"}, args{"file_text": "y\n"}},
	{"str_replace_editor", args{"command": "str_replace", "path": "a.txt", "old_str": "two", "new_str": "2"}, args{"command": "view", "path": "b.txt", "old_str": "four", "new_str": "3"}},
	{"str_replace_editor", args{"command": "insert", "path": "a.txt", "insert_line": 2, "insert_text": "x\n"}, args{"insert_line": 3, "insert_text": "y\n", "rev": "nonsense"}},
}

// withoutEffect are arguments that are declared because tools and clients send them, and say that they do nothing.
var withoutEffect = map[string]bool{"text_editor open_in_canvas": true, "text_editor open_canvas": true, "text_editor open_document": true, "save label": true}

// Each argument of each command changes an outcome. An argument that a command does not have is refused.
func TestArguments(t *testing.T) {
	tried, all := maps.Clone(withoutEffect), map[string]bool{}
	for _, c := range argumentCases {
		outcome := outcomeOf(t, c.command, c.call)
		more := maps.Clone(c.more)
		if i := commandIndex(c.command); lsp.Commands[i].Edits() && !strings.Contains(outcome, "failed") {
			maps.Copy(more, everyEdit)
		}
		for name, value := range more {
			if withoutEffect[c.command+" "+name] {
				continue
			}
			tried[c.command+" "+name] = true
			if got := outcomeOf(t, c.command, plus(c.call, name, value)); got == outcome {
				t.Errorf("%s %v: %s %v changes nothing:\n%s", c.command, c.call, name, value, got)
			}
		}
	}
	for i := range lsp.Commands {
		for _, name := range argumentNames(t, i) {
			all[name] = true
			if !tried[lsp.Commands[i].Name+" "+name] {
				t.Errorf("no case has the argument %s of %s", name, lsp.Commands[i].Name)
			}
		}
	}
	all["nonsense"] = true
	for i := range lsp.Commands {
		command := lsp.Commands[i].Name
		c := argumentCases[slices.IndexFunc(argumentCases, func(c argumentCase) bool { return c.command == command })]
		s := startArguments(t, nil)
		for name := range all {
			if strings.Contains(name, "[]") || slices.Contains(argumentNames(t, i), name) {
				continue
			}
			if f := s.fail(command, plus(c.call, name, "x")); f.Kind != "invalid_params" || !strings.Contains(f.Message, fmt.Sprintf("Unknown argument %q", name)) {
				t.Errorf("%s with %s: %+v", command, name, f)
			}
		}
	}
}

func commandIndex(name string) int {
	return slices.IndexFunc(lsp.Commands, func(c lsp.Command) bool { return c.Name == name })
}

// argumentNames returns the arguments of a command, and those of the members of its lists.
func argumentNames(t *testing.T, command int) (names []string) {
	t.Helper()
	takes := lsp.Commands[command].Schema()
	for name, p := range takes.Properties {
		names = append(names, name)
		if p.Items != nil {
			for of := range p.Items.Properties {
				names = append(names, name+"[]."+of)
			}
		}
	}
	return names
}

// plus returns a call with one more argument. "edits[].from" is an argument of each of the edits.
func plus(call args, name string, value any) args {
	call = maps.Clone(call)
	list, of, ok := strings.Cut(name, "[].")
	if !ok {
		call[name] = value
		return call
	}
	members := slices.Clone(call[list].([]any))
	for i := range members {
		members[i] = plus(members[i].(args), of, value)
	}
	call[list] = members
	return call
}

// startArguments starts a session with two edits. label, if given, gets the label of what the editor applies then.
func startArguments(t *testing.T, label *string) *session {
	t.Helper()
	opts := headless.Options{}
	opts.Habits = personas.Decides(func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next simNext) (headless.ApplyEditResult, error) {
		if label != nil {
			*label = p.Label
		}
		return next(p), nil
	})
	const text = "one\ntwo\nthree\nsame\nfour\nsame\n"
	one := "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-c\n+C\n@@ -3 +3 @@\n-e\n+E\n"
	s := start(t, map[string]string{
		"a.txt": text, "b.txt": "b\n" + text, "c.txt": "c\nd\ne\n", "one.diff": one,
		"two.md": "```diff\n" + one + "```\n\n```diff\n--- a/d.txt\n+++ b/d.txt\n@@ -1 +1 @@\n-d\n+D\n```\n", "d.txt": "d\n",
	}, opts)
	for _, name := range []string{"a.txt", "b.txt", "one.diff", "two.md"} {
		s.open(name)
	}
	s.edit("apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n"})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "three", "new_str": "THREE"})
	for _, name := range []string{"a.txt", "b.txt"} {
		run[json.RawMessage](s, "text_editor", args{"action": "read", "path": name})
	}
	return s
}

// outcomeOf returns all that a command comes to: its answer, and what each file and each text is then.
func outcomeOf(t *testing.T, command string, call args) string {
	t.Helper()
	var label string
	s := startArguments(t, &label)
	label = ""
	raw, err := s.Execute(context.Background(), "patchls."+command, call)
	said := string(raw)
	if wire, answered := errors.AsType[*jsonrpc2.Error](err); answered {
		said = "failed: " + wire.Message + string(wire.Data)
	} else if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	for _, b := range s.Buffers() {
		said += fmt.Sprintf("\n%s: %q", b.URI(), b.Text())
	}
	files, _ := filepath.Glob(s.path("*"))
	for _, file := range files {
		raw, _ := os.ReadFile(file)
		said += fmt.Sprintf("\n%s: %q", file, raw)
	}
	listed := run[json.RawMessage](s, "list", args{})
	var edits struct {
		Edits []struct {
			EditID string `json:"edit_id"`
			Marked any
		}
	}
	_ = json.Unmarshal(listed, &edits)
	return strings.ReplaceAll(fmt.Sprintf("%s\n%q\n%v", said, label, edits), s.root, "")
}
