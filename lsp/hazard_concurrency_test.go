package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchls/patchls/editors/headless"
	"github.com/patchls/patchls/lsp"
)

// An editor that runs a command serves the server's requests and sends its changes
// before it has the answer. Changes are taken in their order, however many commands
// are under way.
//
// Fails if executeCommand is worked on by the goroutine that reads, or didChange by
// any other.
func TestHazard35(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const commands = 20
		d := startPlayer(t, "emacs")
		b := d.opened(doc, 0, "")
		typed := func() { d.changed(b, b.version+1, fmt.Sprintf("line %d\n%s", b.version, b.text)) }
		var ids []int
		for i := range commands {
			typed()
			ids = append(ids, d.replace(doc, fmt.Sprintf("line %d\n", i), fmt.Sprintf("LINE %d\n", i)))
		}
		d.buffer = b
		for _, id := range ids {
			d.result(id)
		}
		d.took(0)
		var want strings.Builder
		for i := range commands {
			fmt.Fprintf(&want, "LINE %d\n", commands-1-i)
		}
		d.wantSheet(b, want.String())
	})
}

// One applyEdit is unanswered at a time on a connection. A document whose text has not
// settled holds up its own edits, and those of no other.
//
// Fails if two edits are sent at once, or if the queue of a document is the queue of
// all.
func TestHazard36(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		a, b := d.opened(d.file("a.txt"), 1, "one\n"), d.opened(d.file("b.txt"), 1, "one\n")
		first := d.replace("a.txt", "one", "two")
		edit := d.applyEdit()
		second := d.replace("a.txt", "two", "three")
		other := d.replace("b.txt", "one", "two")
		time.Sleep(3 * time.Second)
		if d.poll(); len(d.edits) > 0 {
			t.Errorf("an edit was sent while one is unanswered: %s", d.edits[0].Params)
		}
		answered := time.Now()
		d.say(edit, yes) // the text comes later
		m := d.applyEdit()
		d.wantIn(m, "b.txt")
		d.changed(b, 2, d.land(b.text, m))
		d.say(m, yes)
		d.result(other)
		if took := time.Since(answered); took != 0 {
			t.Errorf("the edit of b.txt waited %v for a.txt", took)
		}
		if d.poll(); len(d.edits) > 0 || len(d.answers) > 1 {
			t.Errorf("a.txt went on before its text was there: %v", d.edits)
		}
		time.Sleep(100 * time.Millisecond)
		d.changed(a, 2, d.land(a.text, edit))
		d.result(first)
		d.buffer = a
		d.result(second)
		d.wantSheet(a, "three\n")
	})
}

// cancel takes a command back.
func (d *player) cancel(id int) {
	d.t.Helper()
	d.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, id)
}

// lsp-mode waits 10 s for the answer to a command, Neovim 1 s if it is told to. All
// tries of a command, and its wait for others, end within apply_timeout_ms. A cancel
// counts until the edit is sent, and not after.
//
// Fails if each try has its own time, if the queue is not on the clock, or if a cancel
// ends the wait for a text that may still come.
func TestHazard37(t *testing.T) {
	type ending struct {
		settings string
		play     func(d *player)
		kind     string
		after    time.Duration
	}
	say := func(d *player) {
		for range 5 {
			d.say(d.applyEdit(), yes)
		}
	}
	inBubbles(t, map[string]ending{
		"no answer":        {`{}`, func(d *player) { d.applyEdit() }, "timeout", 8 * time.Second},
		"no answer, 500ms": {`{"apply_timeout_ms":500}`, func(d *player) { d.applyEdit() }, "timeout", 500 * time.Millisecond},
		"yes five times":   {`{}`, say, "not_settled", 5 * 400 * time.Millisecond},
		"yes, 500ms":       {`{"apply_timeout_ms":500}`, func(d *player) { d.say(d.applyEdit(), yes); d.say(d.applyEdit(), yes) }, "not_settled", 500 * time.Millisecond},
	}, func(t *testing.T, e ending) {
		d := startPlayer(t, "Neovim", `;"initializationOptions":`+e.settings)
		d.opened(doc, 1, "one\n")
		id := d.replace(doc, "one", "two")
		e.play(d)
		d.failure(id, e.kind)
		d.took(e.after)
	})
	t.Run("waiting for others", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			d.opened(doc, 1, "one\n")
			first := d.replace(doc, "one", "two")
			d.applyEdit()
			time.Sleep(7 * time.Second)
			d.failure(d.ask("str_replace", args{"path": doc, "old_str": "one", "new_str": "three", "dry_run": false}), "timeout")
			d.took(8 * time.Second)
			d.failure(first, "timeout")
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			b := d.opened(doc, 1, "one\n")
			first := d.replace(doc, "one", "two")
			m := d.applyEdit()
			second := d.replace(doc, "one", "three")
			d.cancel(second)
			d.failure(second, "cancelled")
			d.took(0)
			d.cancel(first)
			if d.poll(); len(d.answers) > 1 {
				t.Errorf("a cancel after the edit was sent: %s", d.answers[first].Result)
			}
			d.changed(b, 2, d.land(b.text, m))
			d.say(m, yes)
			d.result(first)
			if d.poll(); len(d.edits) > 0 {
				t.Errorf("a cancelled edit was sent: %s", d.edits[0].Params)
			}
		})
	})
}

// Editors stand still while a server thinks about a file that is to be created or
// saved. So it asks for none of that, whatever the client offers.
//
// Fails if one of these is advertised, or registered later.
func TestHazard38(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Helix",
			`"textDocument":{"synchronization":{"dynamicRegistration":true,"willSave":true,"willSaveWaitUntil":true,"didSave":true}}`,
			`workspace."fileOperations":{"dynamicRegistration":true,"willCreate":true,"willRename":true,"willDelete":true}`)
		d.poll()
		said := string(d.hello)
		for _, m := range d.sent {
			said += m.Method + string(m.Params)
		}
		for _, word := range []string{"willSave", "willCreate", "willRename", "willDelete"} {
			if strings.Contains(said, word) {
				t.Errorf("%s in %s", word, said)
			}
		}
	})
}

// An advertised command is one of the whole VS Code, and a second client with it does
// not start. An extension that says so gets none, and has patchls/execute.
//
// Fails if advertise_commands is not looked at, or patchls/execute is not there.
func TestHazard39(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Visual Studio Code", `;"initializationOptions":{"advertise_commands":false}`,
			`workspace."executeCommand":{"dynamicRegistration":true}`)
		if list := commandsOf(t, d.hello); len(list) > 0 {
			t.Errorf("advertised: %q", list)
		}
		b := d.opened(doc, 1, "one\n")
		d.send(`{"jsonrpc":"2.0","id":77,"method":"patchls/execute","params":{"command":"patchls.str_replace","arguments":[{"path":%q,"old_str":"one","new_str":"two"}]}}`, doc)
		d.buffer = b
		d.result(77)
		d.wantSheet(b, "two\n")

		d = startPlayer(t, "Neovim")
		if list := commandsOf(t, d.hello); !slices.Contains(list, "patchls.str_replace") {
			t.Errorf("advertised: %q", list)
		}
	})
}

// With full sync VS Code sends a change 250 ms late, and every client all of the text.
//
// Fails if change is not 2, or openings and saved texts are not asked for.
func TestHazard40(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Visual Studio Code")
		var sync struct {
			OpenClose bool
			Change    int
			Save      struct{ IncludeText bool }
		}
		raw := capabilitiesOf(t, d.hello, "textDocumentSync")
		if err := json.Unmarshal(raw, &sync); err != nil || sync.Change != 2 || !sync.OpenClose || !sync.Save.IncludeText {
			t.Errorf("the sync is %s", raw)
		}
	})
}

// The person may be typing where the agent edits. What the server owes to that, with or
// without a plugin that tells of it: an edit touches nothing but what differs, so what
// is typed stays where it is typed, and the cursor with it.
//
// Fails if an edit is sent with the lines around it, or patchls/activity is an error.
func TestHazard41(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "func f() {\n\tfor {\n\t}\n}\n"}, headless.Options{})
	b := s.open("a.txt")
	if err := b.SetCursor(len("func f() {\n\tfor ")); err != nil {
		t.Fatal(err)
	}
	edits := []args{
		{"old_str": "func f() {", "new_str": "// Doc.\nfunc g() {"},
		{"old_str": "{\n\t}\n}", "new_str": "{\n\t\tstep()\n\t}\n}"},
		{"old_str": "\tfor ", "new_str": "\tx()\n\tfor "},
	}
	for i, typed := range []string{"i", " := ", "range "} {
		if err := s.Notify(context.Background(), "patchls/activity", map[string]any{"mode": "insert", "idle_ms": 0, "uri": b.URI()}); err != nil {
			t.Fatal(err)
		}
		if err := b.Type(typed); err != nil {
			t.Fatal(err)
		}
		edits[i]["path"] = "a.txt"
		s.edit("str_replace", edits[i])
	}
	if err := b.Type("9 "); err != nil {
		t.Fatal(err)
	}
	if want := "// Doc.\nfunc g() {\n\tx()\n\tfor i := range 9 {\n\t\tstep()\n\t}\n}\n"; b.Text() != want {
		t.Errorf("the buffer is %q, want %q", b.Text(), want)
	}
}

// Other servers are told of an edit as well, and by then their diagnostics are of the
// text before. None are asked for, and where the text is there already no client is
// made to ask for any.
//
// Fails if the server asks anything of the client for an edit but to apply it, as long
// as the client is on time.
func TestHazard42(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim", refreshes)
		b := d.opened(doc, 1, "one\n")
		for i := range 3 {
			id := d.replace(doc, "one", "one more, one")
			m := d.applyEdit()
			text := d.land(b.text, m)
			if i == 0 {
				d.say(m, yes)
				time.Sleep(150 * time.Millisecond)
			}
			d.changed(b, b.version+1, text)
			if i > 0 {
				d.say(m, yes)
			}
			d.result(id)
			d.changed(b, b.version+1, "one\n")
		}
		d.poll()
		for _, m := range d.sent {
			if m.Method != "" && m.Method != "workspace/applyEdit" {
				t.Errorf("the server sent %s %s", m.Method, m.Params)
			}
		}
	})
}

// The agent's shell sees the disk, which an edit leaves as it was. The result says so,
// so does view, and the command save ends it: for what is named, and nothing else.
//
// Fails if dirty is not what disk has, or if save saves more than it was told to.
func TestHazard43(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, headless.Options{})
	s.open("a.txt")
	if err := s.open("b.txt").Insert(0, "the person's "); err != nil {
		t.Fatal(err)
	}
	if f := s.edit("str_replace", oneToTwo).Files[0]; !f.Dirty || f.Saved {
		t.Errorf("%+v", f)
	}
	if got := s.disk("a.txt"); got != "one\n" {
		t.Errorf("disk has %q", got)
	}
	if v := run[lsp.View](s, "view", args{"path": "a.txt"}); !v.Dirty {
		t.Errorf("%+v", v)
	}
	if raw, err := s.Execute(context.Background(), "patchls.save", args{"paths": []string{"a.txt"}}); err != nil {
		t.Errorf("save: %v, %s", err, raw)
	}
	if got := s.disk("a.txt") + s.disk("b.txt"); got != "two\none\n" {
		t.Errorf("disk has %q", got)
	}
	if v := run[lsp.View](s, "view", args{"path": "a.txt"}); v.Dirty {
		t.Errorf("%+v", v)
	}
}

// A formatter or the agent's shell writes the file while the buffer has unsaved text:
// whoever saves next overwrites it or is stopped. The edit is of the buffer all the
// same, and a note tells of the disk. What the editor saves itself is no such case.
//
// Fails if disk is not looked at, or if a save is taken for somebody else's.
func TestHazard44(t *testing.T) {
	type change struct {
		path string
		disk string
		note bool
	}
	inBubbles(t, map[string]change{
		"by another program": {"a.txt", "formatted\n", true},
		"by a save":          {"a.txt", "one\ntyped\n", false},
		"of another file":    {"b.txt", "formatted\n", false},
	}, func(t *testing.T, c change) {
		d := startPlayer(t, "Neovim", `workspace."didChangeWatchedFiles":{"dynamicRegistration":true}`)
		writeFile(t, d.root+"/a.txt", "one\n")
		d.buffer = d.opened(d.file("a.txt"), 1, "one\n")
		d.changed(d.buffer, 2, "one\ntyped\n")
		d.result(d.ask("insert", args{"path": "a.txt", "after_line": 2, "content": "agent"}))
		d.changed(d.buffer, d.buffer.version+1, "one\ntyped\n")
		writeFile(t, filepath.Join(d.root, c.path), c.disk)
		if !c.note && c.path == "a.txt" {
			d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":%s}}`, d.buffer.uri, quote(c.disk))
		}
		d.send(`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":%q,"type":2}]}}`, d.file(c.path))
		r := d.result(d.replace("a.txt", "one", "two"))
		if got := contains(strings.Join(r.Notes, " "), "on disk"); got != c.note {
			t.Errorf("want a note of the disk: %v, got %q", c.note, r.Notes)
		}
		d.wantSheet(d.buffer, "two\ntyped\n")
	})
}

// Incremental sync can get out of step without a sign. The text of a save is the check:
// if it is another one, the document is not edited until it is opened again, or the
// client sends its text with patchls/synced.
//
// Fails if didSave is not compared, or if synced takes no text.
func TestHazard45(t *testing.T) {
	inBubbles(t, map[string]func(d *player, b *sheet){
		"opened again": func(d *player, b *sheet) {
			d.closed(b)
			d.opened(b.uri, 0, "what it really is\n")
		},
		"synced": func(d *player, b *sheet) {
			d.send(`{"jsonrpc":"2.0","id":500,"method":"patchls/synced","params":{"textDocument":{"uri":%q,"version":9,"text":"what it really is\n"}}}`, b.uri)
			if m := d.reply(500); m.Error != nil {
				d.t.Errorf("synced: %s", m.Error.Message)
			}
			b.version = 9
		},
	}, func(t *testing.T, end func(d *player, b *sheet)) {
		d := startPlayer(t, "coc.nvim")
		b := d.opened(doc, 1, "one\n")
		save := func(text string) {
			d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":%s}}`, doc, quote(text))
		}
		save("one\n")
		id := d.replace(doc, "one", "two")
		d.refuse(d.applyEdit(), id)
		save("what it really is\n")
		d.failure(d.replace(doc, "one", "two"), "not_settled")
		d.changed(b, 2, "one\n") // which says nothing about the rest
		d.failure(d.replace(doc, "one", "two"), "not_settled")
		if d.poll(); len(d.edits) > 0 {
			t.Errorf("a document out of step was edited: %s", d.edits[0].Params)
		}
		end(d, b)
		b.text = "what it really is\n"
		d.buffer = b
		d.result(d.replace(doc, "really", "still"))
		d.wantSheet(b, "what it still is\n")
	})
}

// Every client edits files outside of the workspace without a word. What a command
// names must be in a root, links followed, or open in the editor; and nothing edits
// what is protected.
//
// Fails if a path is only looked at as it is spelled, or not at all.
func TestHazard46(t *testing.T) {
	outside := t.TempDir()
	writeFile(t, outside+"/a.txt", "one\n")
	var sent atomic.Int32
	s := start(t, map[string]string{"in.txt": "one\n", ".git/config": "one\n"}, answering(
		func(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			sent.Add(1)
			return next(p), nil
		}))
	symlink(t, outside, s.path("link"))
	if err := os.Mkdir(s.path("sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	back, err := filepath.Rel(s.root, outside)
	if err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{
		outside + "/a.txt": "outside_workspace", "file://" + outside + "/a.txt": "outside_workspace", back + "/a.txt": "outside_workspace",
		"link/a.txt": "outside_workspace", "sub/../link/a.txt": "outside_workspace",
		".git/config": "protected", "sub/../.git/config": "protected",
	} {
		for command, a := range map[string]args{
			"str_replace": {"path": path, "old_str": "one", "new_str": "two"},
			"write":       {"path": path, "content": "two\n"},
			"apply_patch": {"patch": "*** Begin Patch\n*** Update File: " + path + "\n@@\n-one\n+two\n*** End Patch\n"},
		} {
			if f := s.fail(command, a); string(f.Kind) != kind {
				t.Errorf("%s of %s: %s, want %s: %s", command, path, f.Kind, kind, f.Message)
			}
		}
	}
	if n := sent.Load(); n > 0 {
		t.Errorf("the editor was asked %d times", n)
	}
	b, err := s.Open(outside + "/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	s.edit("str_replace", args{"path": outside + "/a.txt", "old_str": "one", "new_str": "two"})
	if b.Text() != "two\n" {
		t.Errorf("the buffer is %q", b.Text())
	}
}
