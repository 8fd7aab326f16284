package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// newsStep is a call, or what the user does in the editor.
type newsStep struct {
	who  string // an actor; "user" for the editor's own client, "unseen" for an agent that reads no answers, "keys" for the editor
	do   string
	args string
	kind string // of the error
	news string // what the answer says of the agent's edits
}

// An agent is told, once, what others did to its edits since its last call, and what they took back it does not make again
// unawares.
func TestNews(t *testing.T) {
	const (
		two   = `{"path":"a.txt","old_str":"two","new_str":"2"}`
		three = `{"path":"a.txt","old_str":"three","new_str":"3"}`
		both  = `{"path":"a.txt","edits":[{"from":1,"to":1,"content":"1"},{"from":3,"to":3,"content":"3"}]}`
		all   = `{"path":"a.txt"}`
		sees  = `{"path":"a.txt"}`
	)
	for name, steps := range map[string][]newsStep{
		"reverted, told once": {
			{"a", "str_replace", two, "", ""},
			{"user", "revert", all, "", ""},
			{"a", "view", sees, "", "Since your last call: the user reverted edit e1 in a.txt."},
			{"a", "view", sees, "", ""},
		},
		"a hunk of two": {
			{"a", "edit_lines", both, "", ""},
			{"user", "revert", `{"edit_id":"e1.2"}`, "", ""},
			{"a", "view", sees, "", "Since your last call: the user reverted hunk 2 of edit e1 in a.txt."},
		},
		"told in an error, and others are told nothing": {
			{"a", "str_replace", two, "", ""},
			{"b", "str_replace", three, "", ""},
			{"user", "revert", `{"edit_id":"e1"}`, "", ""},
			{"b", "view", sees, "", ""},
			{"a", "str_replace", `{"path":"a.txt","old_str":"2","new_str":"II"}`, "no_match", "Since your last call: the user reverted edit e1 in a.txt."},
			{"a", "view", sees, "", ""},
		},
		"a conversation is told of its sub-agents' edits": {
			{"a sub", "str_replace", two, "", ""},
			{"user", "undo", `{"edit_id":"e1"}`, "", ""},
			{"a", "view", sees, "", "Since your last call: the user reverted edit e1 in a.txt."},
			{"a sub", "view", sees, "", ""},
		},
		"another agent took it back": {
			{"a", "str_replace", two, "", ""},
			{"b", "undo", `{"edit_id":"e1"}`, "", ""},
			{"a", "str_replace", three, "", "Since your last call: an agent took back edit e1 in a.txt."},
		},
		"its own undo is no news": {
			{"a", "str_replace", two, "", ""},
			{"a", "undo", `{}`, "", ""},
			{"a", "str_replace", two, "", ""},
			{"a", "view", sees, "", ""},
		},
		"not made again unawares": {
			{"a", "str_replace", two, "", ""},
			{"a", "str_replace", three, "", ""},
			{"user", "revert", `{"edit_id":"e1"}`, "", ""},
			{"a", "str_replace", two, "reverted", "Since your last call: the user reverted edit e1 in a.txt."},
			{"a", "str_replace", two, "", ""},
		},
		"not made again in other words": {
			{"a", "str_replace", two, "", ""},
			{"user", "revert", all, "", ""},
			{"a", "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** End Patch\n"}`, "reverted", "Since your last call: the user reverted edit e1 in a.txt."},
		},
		"made by others, or something else": {
			{"a", "str_replace", two, "", ""},
			{"user", "revert", all, "", ""},
			{"b", "str_replace", two, "", ""},
			{"a", "str_replace", three, "", "Since your last call: the user reverted edit e1 in a.txt."},
		},
		"the user changes their mind": {
			{"a", "str_replace", two, "", ""},
			{"user", "revert", all, "", ""},
			{"user", "str_replace", two, "", ""},
			{"a", "str_replace", two, "no_match", "Since your last call: the user reverted edit e1 in a.txt."},
		},
		"undone by the editor": {
			{"a", "str_replace", two, "", ""},
			{"keys", "undo", "", "", ""},
			{"a", "str_replace", two, "reverted", "Since your last call: the user or a program undid edit e1 in a.txt."},
			{"a", "view", sees, "", ""},
			{"a", "str_replace", two, "", ""},
		},
		"its own edit back, and another agent's": {
			{"a", "str_replace", two, "", ""},
			{"a", "str_replace", `{"path":"a.txt","old_str":"2","new_str":"two"}`, "", ""},
			{"a", "str_replace", two, "", ""},
			{"b", "str_replace", `{"path":"a.txt","old_str":"2","new_str":"two"}`, "", ""},
			{"a", "view", sees, "", ""},
			{"a", "str_replace", two, "", ""},
		},
		"its own edit back, where the file is closed": {
			{"a", "str_replace", `{"path":"c.txt","old_str":"two","new_str":"2"}`, "", ""},
			{"a", "str_replace", `{"path":"c.txt","old_str":"2","new_str":"two"}`, "", ""},
			{"a", "view", sees, "", ""},
		},
		"two agents' edits": {
			{"a", "str_replace", two, "", ""},
			{"b", "str_replace", three, "", ""},
			{"user", "revert", all, "", ""},
			{"b", "view", sees, "", "Since your last call: the user reverted edit e2 in a.txt."},
			{"a", "view", sees, "", "Since your last call: the user reverted edit e1 in a.txt."},
			{"a", "write", `{"path":"a.txt","content":"one\n2\nthree\n"}`, "reverted", ""},
			{"a", "write", `{"path":"a.txt","content":"one\n2\nthree\n"}`, "", ""},
		},
		"answers that take no news": {
			{"a", "str_replace", two, "", ""},
			{"user", "revert", all, "", ""},
			{"a", "list", `{}`, "", ""},
			{"a", "keep", `{"path":"a.txt"}`, "nothing_to_undo", "Since your last call: the user reverted edit e1 in a.txt."},
		},
		"told by the tools of others": {
			{"a", "edit_file", `{"path":"a.txt","old_text":"two","new_text":"2"}`, "", ""},
			{"user", "revert", all, "", ""},
			{"a", "read_file", sees, "", "Since your last call: the user reverted edit e1 in a.txt."},
			{"a", "edit_file", `{"path":"a.txt","old_text":"two","new_text":"2"}`, "reverted", ""},
			{"a", "edit_file", `{"path":"a.txt","old_text":"two","new_text":"2"}`, "", ""},
		},
		"undone and made again by the editor": {
			{"a", "str_replace", two, "", ""},
			{"keys", "undo", "", "", ""},
			{"keys", "redo", "", "", ""},
			{"a", "view", sees, "", ""},
		},
		"nobody reads the answers": {
			{"unseen", "str_replace", two, "", ""},
			{"user", "revert", all, "", ""},
			{"unseen", "str_replace", two, "", ""},
		},
		"a plan is no edit": {
			{"a", "str_replace", two, "", ""},
			{"user", "revert", all, "", ""},
			{"a", "str_replace", `{"path":"a.txt","old_str":"two","new_str":"2","dry_run":true}`, "", "Since your last call: the user reverted edit e1 in a.txt."},
			{"a", "str_replace", two, "reverted", ""},
		},
		"a file that was made": {
			{"a", "create", `{"path":"b.txt","content":"made\n"}`, "", ""},
			{"user", "undo", `{"edit_id":"e1"}`, "", ""},
			{"a", "create", `{"path":"b.txt","content":"made\n"}`, "reverted", "Since your last call: the user reverted edit e1 in b.txt."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := startEndpoint(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "c.txt": "two\n"}, headless.Options{}, nil)
			b := d.open("a.txt")
			agents, unseen := d.enter(), d.enterAs(`"unseen":true`)
			for _, step := range steps {
				if step.who == "keys" {
					ok := step.do == "undo" && b.Undo() || step.do == "redo" && b.Redo()
					if err := d.Call(t.Context(), "patchls/synced", map[string]any{}, nil); !ok || err != nil {
						t.Fatal(step, ok, err)
					}
					continue
				}
				if step.who == "user" {
					d.edit(step.do, decoded(t, step.args))
					continue
				}
				c, actor := agents, step.who
				if step.who == "unseen" {
					c, actor = unseen, ""
				}
				if got := c.told(actor, step.do, step.args); got.kind != step.kind || got.news != step.news {
					t.Errorf("%s %s %s: error %q, want %q; told %q, want %q", step.who, step.do, step.args, got.kind, step.kind, got.news, step.news)
				}
			}
		})
	}
}

func decoded(t *testing.T, arguments string) (a args) {
	t.Helper()
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// toldNews is what an answer says.
type toldNews struct{ id, kind, news string }

// told runs a command of an actor, and returns the id of its edit, or the kind of its error, and what the answer says of the
// agent's edits.
func (c *rawClient) told(actor, command, arguments string) (got toldNews) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"call","method":"workspace/executeCommand","params":{"command":"patchls.%s","arguments":[%s],"actor":%q}}`, command, arguments, actor)
	m := c.answer(`"call"`)
	var said string
	var answer struct {
		ID    string `json:"edit_id"`
		Notes []string
	}
	var data struct{ Kind string }
	raw, into := m.Result, any(&answer)
	if m.Error != nil {
		said, raw, into = m.Error.Message, m.Error.Data, &data
	}
	if err := json.Unmarshal(raw, into); err != nil {
		c.t.Fatal(err)
	}
	if m.Error == nil {
		said = strings.Join(answer.Notes, "")
	}
	if i := strings.Index(said, "Since your last call: "); i >= 0 {
		got.news = said[i:]
	}
	got.id, got.kind = answer.ID, data.Kind
	return got
}
