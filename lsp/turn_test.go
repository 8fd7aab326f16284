package lsp_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/view"
)

// turnStep is a call, or what the user types or deletes.
type turnStep struct {
	who  string // an actor; "user" for the editor's own client; "keys" for the user's keys in a file
	do   string // a command; for keys, the file
	args string // for keys, the line above which a line is typed
	kind string // of the error
}

// A turn is undone whole, in all of its files, and what the user typed stays; if a part of it cannot be undone, nothing is.
func TestUndoOfATurn(t *testing.T) {
	const (
		prompt = `{"prompt":"  Fix the tests,\nplease. And then go on with all of the others that you can find."}`
		a2     = `{"path":"a.txt","old_str":"two","new_str":"2"}`
		a3     = `{"path":"a.txt","old_str":"three","new_str":"3"}`
		b2     = `{"path":"b.txt","old_str":"two","new_str":"2"}`
		last   = `{"turn":"last"}`
	)
	for name, c := range map[string]struct {
		steps []turnStep
		want  map[string]string // "" for a file that is not there
	}{
		"edits of two files among keys": {
			[]turnStep{
				{"a", "turn", prompt, ""}, {"a", "str_replace", a2, ""}, {"a", "str_replace", b2, ""}, {"keys", "a.txt", "one", ""},
				{"a", "str_replace", a3, ""}, {"keys", "b.txt", "three", ""}, {"a", "undo", last, ""},
			},
			map[string]string{"a.txt": "typed\none\ntwo\nthree\n", "b.txt": "one\ntwo\ntyped\nthree\n"},
		},
		"the turn before stays": {
			[]turnStep{{"a", "str_replace", a2, ""}, {"a", "turn", prompt, ""}, {"a", "str_replace", a3, ""}, {"a", "str_replace", b2, ""}, {"user", "undo", last, ""}},
			map[string]string{"a.txt": "one\n2\nthree\n", "b.txt": "one\ntwo\nthree\n"},
		},
		"one after the other": {
			[]turnStep{{"a", "str_replace", a2, ""}, {"a", "turn", `{}`, ""}, {"a", "str_replace", a3, ""}, {"user", "undo", `{"turn":"t2"}`, ""}, {"user", "undo", `{"turn":"t1"}`, ""}, {"user", "undo", last, "nothing_to_undo"}},
			map[string]string{"a.txt": "one\ntwo\nthree\n"},
		},
		"an edit of what the turn wrote": {
			[]turnStep{{"a", "str_replace", a2, ""}, {"a", "str_replace", b2, ""}, {"a", "str_replace", `{"path":"a.txt","old_str":"2\n","new_str":"2\nand\n"}`, ""}, {"a", "undo", last, ""}},
			map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "one\ntwo\nthree\n"},
		},
		"a file that was made and edited": {
			[]turnStep{{"a", "create", `{"path":"c.txt","content":"two\n"}`, ""}, {"a", "str_replace", a2, ""}, {"a", "str_replace", `{"path":"c.txt","old_str":"two","new_str":"2"}`, ""}, {"a", "undo", last, ""}},
			map[string]string{"a.txt": "one\ntwo\nthree\n", "c.txt": ""},
		},
		"a file that was edited, renamed and edited": {
			[]turnStep{
				{"a", "str_replace", b2, ""},
				{"a", "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: b.txt\n*** Move to: d.txt\n@@\n-one\n+1\n*** End Patch\n"}`, ""},
				{"a", "str_replace", `{"path":"d.txt","old_str":"three","new_str":"3"}`, ""}, {"a", "undo", last, ""},
			},
			map[string]string{"b.txt": "one\ntwo\nthree\n", "d.txt": ""},
		},
		"a file that was deleted": {
			[]turnStep{{"a", "str_replace", a2, ""}, {"a", "apply_patch", `{"patch":"*** Begin Patch\n*** Delete File: b.txt\n*** End Patch\n"}`, ""}, {"a", "undo", last, ""}},
			map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "one\ntwo\nthree\n"},
		},
		"a file that was edited and deleted": {
			[]turnStep{{"a", "str_replace", strings.Replace(b2, "}", `,"save":true}`, 1), ""}, {"a", "view", `{"path":"b.txt"}`, ""}, {"a", "apply_patch", `{"patch":"*** Begin Patch\n*** Delete File: b.txt\n*** End Patch\n"}`, ""}, {"a", "undo", last, "undo_conflict"}, {"a", "undo", `{"edit_id":"e2"}`, ""}, {"a", "undo", last, ""}},
			map[string]string{"b.txt": "one\ntwo\nthree\n"},
		},
		"a file that was made and deleted": {
			[]turnStep{{"a", "str_replace", a2, ""}, {"a", "create", `{"path":"c.txt","content":"two\n","save":true}`, ""}, {"a", "view", `{"path":"c.txt"}`, ""}, {"a", "apply_patch", `{"patch":"*** Begin Patch\n*** Delete File: c.txt\n*** End Patch\n"}`, ""}, {"a", "undo", last, "undo_conflict"}},
			map[string]string{"a.txt": "one\n2\nthree\n", "c.txt": ""},
		},
		"a file that was made and renamed": {
			[]turnStep{{"a", "create", `{"path":"c.txt","content":"two\n"}`, ""}, {"a", "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: c.txt\n*** Move to: d.txt\n@@\n-two\n+2\n*** End Patch\n"}`, ""}, {"a", "undo", last, "undo_conflict"}},
			map[string]string{"c.txt": "", "d.txt": "2\n"},
		},
		"a part that the user has changed": {
			[]turnStep{{"a", "str_replace", b2, ""}, {"a", "str_replace", a2, ""}, {"user", "str_replace", `{"path":"a.txt","old_str":"2","new_str":"two or three"}`, ""}, {"a", "undo", last, "undo_conflict"}},
			map[string]string{"a.txt": "one\ntwo or three\nthree\n", "b.txt": "one\n2\nthree\n"},
		},
		"a part that the user has reverted": {
			[]turnStep{{"a", "str_replace", a2, ""}, {"a", "str_replace", b2, ""}, {"user", "revert", `{"edit_id":"e1"}`, ""}, {"a", "undo", last, ""}},
			map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "one\ntwo\nthree\n"},
		},
		"two agents, and a sub-agent": {
			[]turnStep{{"a", "str_replace", a2, ""}, {"b", "str_replace", b2, ""}, {"a sub", "str_replace", a3, ""}, {"a", "undo", last, ""}, {"a", "undo", last, "nothing_to_undo"}},
			map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "one\n2\nthree\n"},
		},
		"edits that take each other back": {
			[]turnStep{
				{"a", "str_replace", b2, ""}, {"a", "str_replace", a2, ""}, {"a", "str_replace", `{"path":"a.txt","old_str":"2","new_str":"two"}`, ""},
				{"a", "undo", last, ""}, {"a", "undo", last, "nothing_to_undo"},
			},
			map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "one\ntwo\nthree\n"},
		},
		"only edits that take each other back": {
			[]turnStep{{"a", "str_replace", a2, ""}, {"a", "str_replace", `{"path":"a.txt","old_str":"2","new_str":"two"}`, ""}, {"a", "undo", last, "nothing_to_undo"}, {"user", "undo", `{"edit_id":"e1"}`, "nothing_to_undo"}},
			map[string]string{"a.txt": "one\ntwo\nthree\n"},
		},
		"a file that was renamed twice": {
			[]turnStep{
				{"a", "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: b.txt\n*** Move to: d.txt\n@@\n-one\n+1\n*** End Patch\n"}`, ""},
				{"a", "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: d.txt\n*** Move to: e.txt\n@@\n-two\n+2\n*** End Patch\n"}`, ""},
				{"a", "undo", last, "undo_conflict"}, {"a", "undo", `{"edit_id":"e2"}`, ""}, {"a", "undo", last, ""},
			},
			map[string]string{"b.txt": "one\ntwo\nthree\n", "d.txt": "", "e.txt": ""},
		},
		"no such turn":  {[]turnStep{{"a", "str_replace", a2, ""}, {"a", "undo", `{"turn":"t9"}`, "nothing_to_undo"}}, map[string]string{"a.txt": "one\n2\nthree\n"}},
		"two are named": {[]turnStep{{"a", "str_replace", a2, ""}, {"a", "undo", `{"turn":"t1","path":"a.txt"}`, "invalid_params"}}, map[string]string{"a.txt": "one\n2\nthree\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := net.Pipe() // whose messages are not checked, since agents ask for what they have
			d := startEndpointAt(t, ours, theirs, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "one\ntwo\nthree\n"}, headless.Options{}, nil)
			buffers := map[string]*headless.Buffer{"a.txt": d.open("a.txt"), "b.txt": d.open("b.txt")}
			agents := d.enter()
			for _, step := range c.steps {
				switch step.who {
				case "keys":
					b := buffers[step.do]
					if err := b.Insert(strings.Index(b.Text(), step.args), "typed\n"); err != nil {
						t.Fatal(err)
					}
				case "user":
					if step.kind == "" {
						d.edit(step.do, decoded(t, step.args))
					} else if f := d.fail(step.do, decoded(t, step.args)); string(f.Kind) != step.kind {
						t.Errorf("%v: %+v", step, f)
					}
				default:
					if got := agents.told(step.who, step.do, step.args); got.kind != step.kind {
						t.Errorf("%v: error %q", step, got.kind)
					}
				}
			}
			for name, want := range c.want {
				got := ""
				if b, open := d.Buffer(d.path(name)); open {
					got = b.Text()
				}
				if got != want {
					t.Errorf("%s: buffer %q, want %q", name, got, want)
				}
			}
		})
	}
}

// A turn ends when its agent has sent no command for ten minutes.
func TestTurnsEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startEndpoint(t, map[string]string{"a.txt": "a\n"}, headless.Options{}, nil)
		d.open("a.txt")
		agents := d.enter()
		agents.told("x", "turn", `{"prompt":"one"}`)
		for _, pause := range []time.Duration{0, 9 * time.Minute, 9 * time.Minute, 11 * time.Minute, 0} {
			pass(pause)
			agents.told("x", "view", `{"path":"a.txt"}`)
			agents.told("x", "insert", `{"path":"a.txt","after_line":1,"content":"b"}`)
		}
		var got []string
		for _, e := range run[view.Listing](d.session, "list", args{}).Edits {
			got = append(got, e.Turn+e.Prompt)
		}
		if strings.Join(got, " ") != "t2 t2 t1one t1one t1one" {
			t.Error(got)
		}
	})
}

// Of a turn whose first edits the log has dropped, nothing is undone.
func TestUndoOfATurnThatIsTooLong(t *testing.T) {
	d := startEndpoint(t, map[string]string{"a.txt": "a\n"}, headless.Options{}, nil)
	b := d.open("a.txt")
	agents := d.enter()
	for range review.MaxRemembered + 1 {
		agents.told("x", "insert", `{"path":"a.txt","after_line":1,"content":"b"}`)
	}
	before := b.Text()
	if got := agents.told("x", "undo", `{"turn":"last"}`); got.kind != "undo_conflict" || b.Text() != before {
		t.Errorf("error %q, the text has %d bytes of %d", got.kind, len(b.Text()), len(before))
	}
}
