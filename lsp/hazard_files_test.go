package lsp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/workspace/paths"
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

// In Neovim, Helix and kakoune-lsp, CreateFile truncates a file that exists unless told
// not to. The server always tells it not to, leaves the operation out if an edit
// creates the file as well, and sends nothing for a file that exists. Neovim makes nothing of an operation that must not
// truncate, so an edit of nothing has it open a new file without text.
//
// Fails if Change.WorkspaceEdit does not set ignoreIfExists, if it sends a CreateFile with an edit
// to an editor that creates by editing (Quirks.CreatesByEdit), or if Session.prepare does not look
// for the file first (Target.MustBeNew).
func TestHazardCreateTruncates(t *testing.T) {
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
		cases[client+", no text"] = creation{client, "", client != "Neovim"}
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

// Neovim wipes the buffer of a file that it deletes, and lsp-mode saves what it
// renames. So a command deletes or renames only if it says so, and never if that would
// lose or save the user's text.
//
// Fails if Session.prepare makes the emptying of a file its deletion, or if patchplan.CheckOperation
// lets a document with unsaved text go.
func TestHazardDeleteAndRename(t *testing.T) {
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
// Fails if paths.KeyOf accepts a file's URI without a path, or if Policy.Resolve and
// Session.prepare accept a URI that is neither a file nor open. (Either one refuses it.)
func TestHazardJunkBuffer(t *testing.T) {
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
// Fails if paths.KeyOf keeps a URI as it is spelled, if Workspace.Resolve does not look for other
// names (paths.Find), or if Workspace.read gives the URI another spelling than the client's.
func TestHazardTwoNames(t *testing.T) {
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
		uri := paths.FileURI(d.root) + name
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

// TestUnsavedUnderAnotherName: an editor other than Neovim may have one file open under two names. What a command has
// the editor save, move or delete, it does not do under text that is unsaved in the other document.
//
// Fails if transaction.mayWrite does not ask Workspace.CheckNames.
func TestUnsavedUnderAnotherName(t *testing.T) {
	const remove, move = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n", "*** Begin Patch\n*** Update File: a.txt\n*** Move to: c.txt\n*** End Patch\n"
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{})
	made := s.edit("create", args{"path": "new.txt", "content": "new\n", "save": true})
	for name, other := range map[string]string{"a.txt": "b.txt", "new.txt": "other.txt"} {
		if err := os.Link(s.path(name), s.path(other)); err != nil {
			t.Skipf("this file system has no hard links: %v", err)
		}
		if err := s.open(other).Insert(0, "typed\n"); err != nil {
			t.Fatal(err)
		}
	}
	s.open("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	refused := func(command string, a args) {
		t.Helper()
		if f := s.fail(command, a); f.Kind != "stale" || !strings.Contains(f.Message, "the same file is open as ") {
			t.Errorf("%s %v: %+v", command, a, f)
		}
		if s.disk("a.txt") != "one\n" || s.disk("new.txt") != "new\n" {
			t.Fatalf("%s %v: on disk is %q, and %q", command, a, s.disk("a.txt"), s.disk("new.txt"))
		}
	}
	refused("save", args{})
	refused("save", args{"paths": []string{"a.txt"}})
	refused("undo", args{"edit_id": made.EditID})
	s.edit("undo", args{"path": "a.txt"})
	refused("apply_patch", args{"patch": remove})
	refused("apply_patch", args{"patch": move})
	s.open("b.txt").Close()
	s.edit("apply_patch", args{"patch": move})
}
