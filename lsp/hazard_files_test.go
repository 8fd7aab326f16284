package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/lsp"
)

const operations = `workspace."workspaceEdit":{"resourceOperations":["create","rename","delete"]}`

// operation is a resource operation of an applyEdit.
type operation struct {
	Kind    string
	URI     string
	Options struct{ Overwrite, IgnoreIfExists, Recursive, IgnoreIfNotExists bool }
}

// operations returns the resource operations of an applyEdit.
func (d *player) operations(m message) []operation {
	d.t.Helper()
	var p struct {
		Edit struct{ DocumentChanges []operation }
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		d.t.Fatal(err)
	}
	var ops []operation
	for _, op := range p.Edit.DocumentChanges {
		if op.Kind != "" {
			ops = append(ops, op)
		}
	}
	return ops
}

// CreateFile truncates a file that is there, in Neovim, Helix and kakoune-lsp, unless
// it is told not to. It is told so everywhere, is left out where an edit makes the
// file as well, and nothing is sent for a file that is there.
//
// Fails if ignoreIfExists is not true, if an editor that creates by editing is sent a
// CreateFile with an edit, or if create does not look first.
func TestHazard16(t *testing.T) {
	type creation struct {
		client, content string
		create          bool
	}
	cases := map[string]creation{}
	for client, create := range map[string]bool{
		"Visual Studio Code": true, "Zed": true, "Sublime Text LSP": true, "coc.nvim": true,
		"Neovim": false, "Eglot": false, "emacs": false, "helix": false,
	} {
		cases[client+", some text"] = creation{client, "one\n", create}
		cases[client+", no text"] = creation{client, "", true}
	}
	inBubbles(t, cases, func(t *testing.T, c creation) {
		d := startPlayer(t, c.client, operations)
		id := d.ask("create", args{"path": "new.txt", "content": c.content})
		m := d.applyEdit()
		ops := d.operations(m)
		if got := len(ops) == 1; got != c.create || len(ops) > 1 {
			t.Errorf("want CreateFile: %v, got %+v", c.create, ops)
		}
		for _, op := range ops {
			if !op.Options.IgnoreIfExists || op.Options.Overwrite {
				t.Errorf("it may truncate a file: %s", m.Params)
			}
		}
		d.refuse(m, id)
	})
	t.Run("there already", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim", operations)
			writeFile(t, d.root+"/disk.txt", "")
			d.opened(d.file("open.txt"), 0, "")
			for _, path := range []string{"disk.txt", "open.txt"} {
				d.failure(d.ask("create", args{"path": path, "content": "one\n"}), "already_exists")
			}
			d.wantNoEdit()
		})
	})
}

// Neovim wipes the buffer with a file that it deletes, and lsp-mode saves what it
// renames. So no command does either unless it says so, and none does it to text that
// would be lost or saved by it.
//
// Fails if emptying a file becomes its deletion, or if checkDelete or checkMove lets a
// document with unsaved text go.
func TestHazard17(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "emacs", operations)
		writeFile(t, d.root+"/a.txt", "one\n")
		b := d.opened(d.file("a.txt"), 0, "one\n")
		for command, a := range map[string]args{
			"write":        {"content": ""},
			"delete_lines": {"start_line": 1, "end_line": 1},
			"create":       {"content": "two\n", "overwrite": true},
		} {
			a["path"] = "a.txt"
			id := d.ask(command, a)
			m := d.applyEdit()
			if ops := d.operations(m); len(ops) > 0 {
				t.Errorf("%s sends %+v", command, ops)
			}
			d.refuse(m, id)
		}
		remove := args{"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"}
		id := d.ask("apply_patch", remove)
		m := d.applyEdit()
		if ops := d.operations(m); len(ops) != 1 || ops[0].Kind != "delete" || ops[0].Options.Recursive {
			t.Errorf("the patch sends %s", m.Params)
		}
		d.refuse(m, id)

		d.changed(b, 1, "unsaved\n")
		d.failure(d.ask("apply_patch", remove), "stale")
		d.failure(d.ask("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n*** End Patch\n"}), "stale")
		if len(d.edits) > 0 {
			t.Errorf("unsaved text was to go: %s", d.edits[0].Params)
		}
	})
}

// Neovim makes a junk buffer of a name that it does not know, and all its buffers
// without a name share the URI "file://". Such a URI is an error before anything is
// sent.
//
// Fails if a URI that is neither a file nor open is taken, or a document is kept under
// a file's URI without a path.
func TestHazard18(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim", operations)
		d.opened("file://", 4, "one\n")
		for _, uri := range []string{"untitled:never", "file://", "file:///", "http://example.com/a", "vscode-remote://host/a", "git:/a.txt?HEAD"} {
			for command, a := range map[string]args{
				"str_replace": {"old_str": "one", "new_str": "two"},
				"create":      {"content": "one\n"},
				"write":       {"content": "one\n"},
				"apply_patch": {"patch": "@@\n-one\n+two\n"},
			} {
				a["path"] = uri
				d.failure(d.ask(command, a), "file_not_found", "invalid_params", "is_directory", "outside_workspace")
			}
		}
		d.wantNoEdit()
		d.buffer = d.opened("untitled:never", 0, "one\n")
		d.result(d.replace("untitled:never", "one", "two"))
	})
}

// Neovim has one buffer for a file, by whatever link or percent-encoding it is named.
// An edit names the document as the client spelled it.
//
// Fails if documents are kept by the URI as it is spelled, or if an edit is sent with
// a URI of the server's making.
func TestHazard19(t *testing.T) {
	inBubbles(t, map[string]string{
		"percent-encoded": "/%61.txt", "lower-case hex": "/d%c3%a9.txt", "dots": "/sub/../a.txt", "a link": "/link.txt", "a linked folder": "/dir/a.txt",
	}, func(t *testing.T, name string) {
		d := startPlayer(t, "Neovim")
		path := "a.txt"
		if strings.Contains(name, "%c3") {
			path = "dé.txt"
		}
		writeFile(t, d.root+"/"+path, "on disk\n")
		symlink(t, "a.txt", d.root+"/link.txt")
		symlink(t, ".", d.root+"/dir")
		uri := "file://" + d.root + name
		b := d.opened(uri, 3, "one\n")
		id := d.replace(path, "one", "two")
		m := d.applyEdit()
		d.wantIn(m, `"uri":`+quote(uri), `"version":3`)
		d.changed(b, 4, d.land(b.text, m))
		d.say(m, yes)
		if f := d.result(id).Files[0]; f.URI != uri {
			t.Errorf("the result names %s", f.URI)
		}
	})
}

// An editor that takes the edit of a closed file may open it before or after its
// answer, with the edit in it or without, or never say a word of it. Then the answer
// comes all the same, and says that nothing was seen.
//
// Fails if the server waits for a didOpen for ever, takes the text of a didOpen for one
// that cannot have the edit, or calls an edit verified that nobody saw.
func TestHazard20(t *testing.T) {
	type script func(d *player, m message)
	open := func(d *player, version int, s string) *sheet { return d.opened(d.file("a.txt"), version, s) }
	inBubbles(t, map[string]script{
		"VS Code": func(d *player, m message) {
			b := open(d, 1, "one\n")
			d.say(m, yes)
			d.changed(b, 2, d.land(b.text, m))
		},
		"Helix": func(d *player, m message) {
			b := open(d, 0, "one\n")
			d.changed(b, 1, d.land(b.text, m))
			d.say(m, yes)
		},
		"vim-lsp": func(d *player, m message) {
			d.say(m, yes)
			time.Sleep(700 * time.Millisecond)
			open(d, 1, "two\n")
		},
		"Neovim": func(d *player, m message) {
			d.say(m, yes)
			open(d, 0, "two\n")
		},
		"Neovim, late": func(d *player, m message) {
			b := open(d, 0, "one\n")
			d.say(m, yes)
			time.Sleep(150 * time.Millisecond)
			d.changed(b, 4, "two\n")
		},
	}, func(t *testing.T, play script) {
		d := startPlayer(t, "a client unheard of")
		writeFile(t, d.root+"/a.txt", "one\n")
		id := d.replace("a.txt", "one", "two")
		play(d, d.applyEdit())
		if f := d.result(id).Files[0]; !f.Open || !f.Dirty {
			t.Errorf("%+v", f)
		}
	})
	t.Run("never", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			writeFile(t, d.root+"/a.txt", "one\n")
			id := d.replace("a.txt", "one", "two")
			d.say(d.applyEdit(), yes)
			var r lsp.Result
			if raw := d.reply(id).Result; json.Unmarshal(raw, &r) != nil || !r.Applied || r.Verified || len(r.Notes) == 0 {
				t.Errorf("%s", raw)
			}
			d.took(400 * time.Millisecond)
		})
	})
}

// The text of an open file is the editor's, of a closed one the disk's, and of a new
// one what the editor says that it begins with: "\n" in Neovim, nothing elsewhere.
//
// Fails if disk is read for an open document, if the text of a closed one is kept, or
// if a document that is not on disk is taken to be empty.
func TestHazard21(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		writeFile(t, d.root+"/a.txt", "disk 1\n")
		d.failure(d.replace("a.txt", "buffer", "x"), "no_match")
		b := d.opened(d.file("a.txt"), 0, "buffer\n")
		writeFile(t, d.root+"/a.txt", "disk 2\n")
		d.failure(d.replace("a.txt", "disk", "x"), "no_match")
		d.closed(b)
		d.failure(d.replace("a.txt", "buffer", "x"), "no_match")
		writeFile(t, d.root+"/a.txt", "disk 3\n")
		id := d.replace("a.txt", "disk 3", "x")
		d.refuse(d.applyEdit(), id)

		for name, first := range map[string]string{"neovim.txt": "\n", "other.txt": ""} {
			b := d.opened(d.file(name), 0, first)
			d.buffer = b
			d.result(d.ask("write", args{"path": name, "content": "hello\nworld\n"}))
			if got := strings.TrimSuffix(b.text, "\n"); got != "hello\nworld" {
				t.Errorf("%s is %q now", name, b.text)
			}
			d.buffer = nil
		}
	})
}

// kakoune-lsp writes files that are closed, or open and unchanged, to disk itself. The
// agent is told that they are saved.
//
// Fails if an edit that was seen on disk is not called saved.
func TestHazard22(t *testing.T) {
	for name, says := range map[string]bool{"without a word": false, "with a didOpen": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, "kakoune-lsp")
				writeFile(t, d.root+"/a.txt", "one\n")
				id := d.replace("a.txt", "one", "two")
				m := d.applyEdit()
				d.say(m, yes) // before the edit is done
				time.Sleep(50 * time.Millisecond)
				writeFile(t, d.root+"/a.txt", d.land("one\n", m))
				if says {
					d.opened(d.file("a.txt"), 1, d.land("one\n", m))
				}
				if f := d.result(id).Files[0]; !f.Saved || f.Dirty || f.Open != says {
					t.Errorf("%+v", f)
				}
			})
		})
	}
	t.Run("open and unchanged", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "kakoune-lsp")
			writeFile(t, d.root+"/a.txt", "one\n")
			b := d.opened(d.file("a.txt"), 1, "one\n")
			id := d.replace("a.txt", "one", "two")
			m := d.applyEdit()
			d.say(m, yes)
			writeFile(t, d.root+"/a.txt", "two\n")
			d.changed(b, 2, "two\n")
			if f := d.result(id).Files[0]; f.Dirty {
				t.Errorf("%+v", f)
			}
		})
	})
}

// eglot asks the person about a file that is not open, and may answer after minutes.
// Nothing is done to hasten it, others are served meanwhile, and an edit that comes
// when nobody waits for it any more is a text like any other.
//
// Fails if a short delay ends the wait for an answer, or if the server waits for it
// longer than a command may take. (window/showDocument is looked for on every wire.)
func TestHazard23(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Eglot")
		for i, name := range []string{"a.txt", "b.txt"} {
			writeFile(t, d.root+"/"+name, fmt.Sprintf("one %d\n", i))
		}
		id := d.replace("a.txt", "one", "two")
		m := d.applyEdit()
		time.Sleep(5 * time.Second) // the person reads
		d.opened(d.file("a.txt"), 0, d.land("one 0\n", m))
		d.say(m, yes)
		d.result(id)
		d.took(5 * time.Second)

		id = d.replace("b.txt", "one", "two")
		m = d.applyEdit()
		d.opened(doc, 0, "meanwhile\n")
		if look := d.reply(d.ask("view", args{"path": doc})); look.Error != nil {
			t.Errorf("nothing can be read while the person is asked: %+v", look.Error)
		}
		d.failure(id, "timeout")
		time.Sleep(time.Minute)
		b := d.opened(d.file("b.txt"), 0, d.land("one 1\n", m))
		d.say(m, yes)
		d.buffer = b
		d.result(d.replace("b.txt", "two", "three"))
		d.wantSheet(b, "three 1\n")
	})
}
