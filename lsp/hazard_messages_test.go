package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// VS Code says no to an empty list of edits. Where there is nothing to do nothing is
// sent, and a file without text is only created.
//
// Fails if a plan without edits is no error (Source.Unchanged), or if Change.WorkspaceEdit has a
// document without text edits, or no CreateFile for a file without text.
func TestHazardEmptyEdit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Visual Studio Code", operations)
		d.opened(doc, 1, "one\n")
		d.failure(d.replace(doc, "one", "one"), "no_change")
		d.failure(d.ask("write", args{"path": doc, "content": "one\n"}), "no_change")
		d.failure(d.ask("apply_patch", args{"path": doc, "patch": "@@ -1 +1 @@\n-zero\n+one\n"}), "already_applied", "no_change")
		d.wantNoEdit()
		id := d.ask("create", args{"path": "new.txt", "content": ""})
		m := d.applyEdit()
		if ops := d.operations(m); len(ops) != 1 || len(d.textEdits(m)) > 0 || strings.Contains(string(m.Params), `"edits"`) {
			t.Errorf("%s", m.Params)
		}
		d.refuse(m, id)
	})
}

// Neovim takes a null for a value, and fails on it. Only a version may be null.
//
// Fails if Engine.Apply sends an optional member as null. (All other messages are checked on every
// wire.)
func TestHazardNullMember(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Visual Studio Code", operations)
		writeFile(t, d.root+"/a.txt", "one\n")
		d.opened(doc, 1, "one\n")
		for command, a := range map[string]args{
			"str_replace": {"path": "a.txt", "old_str": "one", "new_str": "two"},
			"insert":      {"path": doc, "after_line": 1, "content": "two"},
			"create":      {"path": "new.txt", "content": "one\n"},
			"apply_patch": {"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+two\n*** End Patch\n"},
		} {
			id := d.ask(command, a)
			m := d.applyEdit()
			var params any
			if err := json.Unmarshal(m.Params, &params); err != nil {
				t.Fatal(err)
			}
			if at := nullIn(params, ""); at != "" {
				t.Errorf("%s: %s is null in %s", command, at, m.Params)
			}
			d.refuse(m, id)
		}
	})
}

// Most clients fail on a snippet, and to the others "$1" in an agent's text would be a
// place to type at.
//
// Fails if Change.WorkspaceEdit sends edits as snippets where the client takes them.
func TestHazardSnippet(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const text = "$1 ${2:x} $0 \\$ }"
		d := startPlayer(t, "Visual Studio Code", `workspace."workspaceEdit":{"snippetEditSupport":true}`)
		b := d.opened(doc, 1, "one\n")
		id := d.replace(doc, "one", text)
		m := d.applyEdit()
		d.wantIn(m, `"newText":`+quote(text))
		d.changed(b, 2, d.land(b.text, m))
		d.say(m, yes)
		d.result(id)
		d.wantSheet(b, text+"\n")
	})
}

// VS Code and Sublime save what is part of a refactoring. Their undo menus show the
// label; Neovim prints it, and asks for a key if it is long.
//
// Fails if Engine.Apply sends metadata, or a label to Neovim (Quirks.NoLabel), or if label of
// lsp/transaction returns a label as the agent gave it.
func TestHazardEditMetadata(t *testing.T) {
	inBubbles(t, map[string]string{
		"none": "", "of one line": "rename a variable", "of two lines": "first\nsecond", "a long one": strings.Repeat("é", 300), "blank": " \t\n",
	}, func(t *testing.T, label string) {
		for _, client := range []string{"Visual Studio Code", "Neovim"} {
			d := startPlayer(t, client, `workspace."workspaceEdit":{"metadataSupport":true}`)
			d.opened(doc, 1, "one\n")
			id := d.ask("str_replace", args{"path": doc, "old_str": "one", "new_str": "two", "label": label})
			m := d.applyEdit()
			var p map[string]any
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			got, labelled := p["label"].(string)
			switch {
			case p["metadata"] != nil:
				t.Errorf("%s is told of a refactoring: %s", client, m.Params)
			case labelled != (client != "Neovim"):
				t.Errorf("%s gets the label %q", client, got)
			case labelled && (strings.TrimSpace(got) == "" || strings.ContainsAny(got, "\r\n") || utf8.RuneCountInString(got) > maxLabel):
				t.Errorf("%s gets the label %q", client, got)
			}
			d.refuse(m, id)
		}
	})
}
