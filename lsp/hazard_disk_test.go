package lsp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// The agent's shell sees the disk, which an edit does not change. The result says so,
// and so does view. The command save writes what is named, and nothing else.
//
// Fails if Server.fileResult or view.Show does not take dirty from paths.IsDirty, if
// Outcome.SavedBy calls an edit saved, or if Session.toSave returns more than it was told.
func TestHazardUnsavedEdit(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, headless.Options{})
	s.open("a.txt")
	if err := s.open("b.txt").Insert(0, "the user's "); err != nil {
		t.Fatal(err)
	}
	if f := s.edit("str_replace", oneToTwo).Files[0]; !f.Dirty || f.Saved {
		t.Errorf("%+v", f)
	}
	if got := s.disk("a.txt"); got != "one\n" {
		t.Errorf("disk has %q", got)
	}
	if v := run[view.View](s, "view", args{"path": "a.txt"}); !v.Dirty {
		t.Errorf("%+v", v)
	}
	if raw, err := s.Execute(context.Background(), "patchls.save", args{"paths": []string{"a.txt"}}); err != nil {
		t.Errorf("save: %v, %s", err, raw)
	}
	if got := s.disk("a.txt") + s.disk("b.txt"); got != "two\none\n" {
		t.Errorf("disk has %q", got)
	}
	if v := run[view.View](s, "view", args{"path": "a.txt"}); v.Dirty {
		t.Errorf("%+v", v)
	}
}

// A formatter or the agent's shell writes the file while the buffer has unsaved text:
// the next save overwrites it or is stopped. The edit is of the buffer all the
// same, and a note tells of the disk. What the editor saves itself is no such case.
//
// Fails if Outcome.DiskNotes does not look at the disk, or if mirror.didSave does not record what
// was saved.
func TestHazardDiskChanged(t *testing.T) {
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

// A file that has another text than its document need not mean unsaved text: the editor may be about to read what another
// program wrote there, or have the file in another encoding.
//
// Fails if view.List takes dirty for unsaved, or if isUnsaved of lsp/view believes Document.Disk
// although DiskSeen is false.
func TestUnsavedText(t *testing.T) {
	const text = "one\ntwo\n"
	type file struct {
		disk, opened, changed, written string
		dirty, unsaved                 bool
	}
	const none = "none"
	inBubbles(t, map[string]file{
		"as it is":                              {text, text, text, text, false, false},
		"typed":                                 {text, text, "typed\n" + text, text, true, true},
		"written by another program":            {text, text, text, "ONE\n", true, false},
		"written by another program, and typed": {text, text, "typed\n" + text, "ONE\ntwo\n", true, true},
		"removed":                               {text, text, text, none, true, false},
		"opened with unsaved text":              {text, "typed\n" + text, "typed\n" + text, text, true, true},
		"CRLF":                                  {"one\r\ntwo\r\n", text, text, "one\r\ntwo\r\n", false, false},
		"CRLF, written by another program":      {"one\r\ntwo\r\n", text, text, "ONE\r\n", true, false},
		"a byte order mark":                     {"\uFEFF" + text, text, text, "\uFEFF" + text, false, false},
		"a byte order mark, written by another program": {"\uFEFF" + text, text, text, "\uFEFFONE\n", true, false},
		"UTF-16":                    {"\xff\xfeo\x00\n\x00", "o\n", "o\n", "\xff\xfeo\x00\n\x00", true, false},
		"UTF-16, typed":             {"\xff\xfeo\x00\n\x00", "o\n", "on\n", "\xff\xfeo\x00\n\x00", true, true},
		"Latin-1":                   {"\xe9\n", "é\n", "é\n", "\xe9\n", true, false},
		"no text, in Vim":           {"", "\n", "\n", "", true, false},
		"no file, and no text":      {none, "\n", "\n", none, true, false},
		"no file, opened with text": {none, text, text, none, true, true},
	}, func(t *testing.T, f file) {
		d := watched(t, "off")
		write := func(s string) {
			if s == none {
				_ = os.Remove(filepath.Join(d.root, "a.txt")) // it may not be there
			} else {
				writeFile(t, filepath.Join(d.root, "a.txt"), s)
			}
		}
		write(f.disk)
		b := d.opened(d.file("a.txt"), 1, f.opened)
		d.poll() // the server has looked at the file
		if f.changed != f.opened {
			d.changed(b, 2, f.changed)
		}
		write(f.written)
		var l view.Listing
		if err := json.Unmarshal(d.reply(d.ask("list", args{})).Result, &l); err != nil || len(l.Documents) != 1 {
			t.Fatal(err, l)
		}
		if got := l.Documents[0]; got.Dirty != f.dirty || got.Unsaved != f.unsaved {
			t.Errorf("dirty %v, unsaved %v, want %v, %v", got.Dirty, got.Unsaved, f.dirty, f.unsaved)
		}
	})
}

// A document whose text is not known, or which is too large for commands, has unsaved text unless the server knows that it
// has none: no agent's own tool may write its file then.
//
// Fails if view.List says of such documents that they have none.
func TestUnsavedTextThatIsNotKnown(t *testing.T) {
	const text, large, larger = "12345678\n", "1234567890\n", "more\n1234567890\n"
	type file struct {
		disk, opened string
		does         func(d *player, b *sheet)
		unsaved      bool
	}
	inBubbles(t, map[string]file{
		"known":        {text, text, nil, false},
		"out of order": {text, text, func(d *player, b *sheet) { d.changed(b, 0, text) }, true},
		"large":        {large, large, nil, false},
		"large, typed": {large, large, func(d *player, b *sheet) { d.changed(b, 2, larger) }, true},
		"large, typed, and saved": {large, large, func(d *player, b *sheet) {
			d.changed(b, 2, larger)
			writeFile(d.t, filepath.Join(d.root, "a.txt"), larger)
			d.saves(b)
		}, false},
		"large, opened with unsaved text": {large, larger, nil, true},
		"large, of a small file":          {text, large, nil, true},
		"small, of a large file":          {large, text, nil, true},
		"large, and its file was written": {large, large, func(d *player, _ *sheet) { writeFile(d.t, filepath.Join(d.root, "a.txt"), larger) }, false},
	}, func(t *testing.T, f file) {
		d := startPlayer(t, "Neovim", files, `;"initializationOptions":{"absorb":"off","max_document_bytes":10}`)
		writeFile(t, filepath.Join(d.root, "a.txt"), f.disk)
		b := d.opened(d.file("a.txt"), 1, f.opened)
		d.poll() // the server has looked at the file
		if f.does != nil {
			f.does(d, b)
		}
		var l view.Listing
		if err := json.Unmarshal(d.reply(d.ask("list", args{})).Result, &l); err != nil || len(l.Documents) != 1 {
			t.Fatal(err, l)
		}
		if got := l.Documents[0]; got.Dirty != f.unsaved || got.Unsaved != f.unsaved {
			t.Errorf("dirty %v, unsaved %v, want %v: %+v", got.Dirty, got.Unsaved, f.unsaved, got)
		}
	})
}

// Incremental sync can get out of step without a sign. The text of a save is the check:
// if it is another one, the document is not edited until it is opened again, or the
// client sends its text with patchls/synced.
//
// Fails if mirror.didSave does not compare the texts, if Document.Change clears Document.Drift, or
// if mirror.synced takes no text.
func TestHazardSilentDesync(t *testing.T) {
	inBubbles(t, map[string]func(d *player, b *sheet){
		"opened again": func(d *player, b *sheet) {
			d.closed(b)
			*b = *d.opened(b.uri, 0, "what it really is\n")
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
// Fails if Policy.check allows what is outside and not open, does not follow links (realPath), or
// does not look for what is protected (Policy.protects).
func TestHazardOutsideWorkspace(t *testing.T) {
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
		outside + "/a.txt": "outside_workspace", paths.FileURI(outside + "/a.txt"): "outside_workspace", back + "/a.txt": "outside_workspace",
		"link/a.txt": "outside_workspace", "sub/../link/a.txt": "outside_workspace",
		".git/config": "protected", "sub/../.git/config": "protected",
	} {
		for command, a := range map[string]args{
			"str_replace": {"path": path, "old_str": "one", "new_str": "two"},
			"write":       {"path": path, "content": "two\n"},
			"create":      {"path": path[:strings.LastIndex(path, "/")+1] + "new.txt", "content": "two\n"},
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
