package lsp_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/watch"
)

// shown returns how many messages the user was shown that have a text.
func (d *player) shown(s string) int { return d.count("window/showMessage", s) }

// saves has the editor report a save.
func (d *player) saves(b *sheet) {
	d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, b.uri)
	d.poll()
}

// restores is a player that has opened a file with unsaved text, as after a crash, and whose server has looked at the
// file for so long.
func restores(t *testing.T, pass time.Duration) (*player, *sheet) {
	d := watched(t, "merge")
	writeFile(t, filepath.Join(d.root, "a.txt"), "one\ntwo\nthree\nfour\n")
	d.buffer = d.opened(d.file("a.txt"), 1, "one\ntwo\nthree\nfour, typed\n")
	d.wait(pass)
	return d, d.buffer
}

// All that a program writes later is merged into a restored buffer, but what it wrote before is not known: saving must
// ask the user, until a save was seen in the file.
func TestARestoredBuffer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := restores(t, time.Second)
		for _, typed := range []string{"one\ntwo\nthree\nfour\nfive\n", b.text} { // a line that the user has taken out in between, and the file has
			d.changed(b, b.version+1, typed)
		}
		for i, text := range []string{"ONE\ntwo\nthree\nfour\n", "ONE\nTWO\nthree\nfour\n", "one\nTWO\nthree\nfour\n"} {
			d.wrote("a.txt", text)
			d.wait(time.Second)
			d.wantSheet(b, strings.Replace(text, "four", "four, typed", 1))
			if d.isMerged(b) {
				t.Errorf("write %d: it is said to be merged", i)
			}
		}
		writeFile(t, filepath.Join(d.root, "a.txt"), b.text)
		d.saves(b)
		d.wait(time.Second)
		d.changed(b, b.version+1, b.text+"five\n")
		d.wrote("a.txt", "one\nTWO\nthree\nFOUR, typed\n")
		d.wait(2 * time.Second)
		if asked := d.answered("apply"); len(asked) != 1 || !d.isMerged(b) {
			t.Errorf("asked %q after a save that was seen; merged: %t", asked, d.isMerged(b))
		}
		if n := d.shown("not merged"); n != 0 {
			t.Errorf("%d messages", n)
		}
	})
}

// A plugin may know what the file held when the editor last read or wrote it. What a program writes then, or has written
// meanwhile, is merged at once, and is said to be merged.
func TestARestoredBufferOfWhichThePluginKnows(t *testing.T) {
	for name, written := range map[string]string{"later": "one\ntwo\nthree\nfour\n", "meanwhile": "ONE\ntwo\nthree\nfour\n"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := watched(t, "merge")
				writeFile(t, filepath.Join(d.root, "a.txt"), written)
				d.buffer = d.opened(d.file("a.txt"), 1, "one\ntwo\nthree\nfour, typed\n")
				d.send(`{"jsonrpc":"2.0","id":"sync","method":"patchls/synced","params":{"textDocument":{"uri":%q,"file":%q}}}`, d.buffer.uri, "one\ntwo\nthree\nfour\n")
				d.wait(100 * time.Millisecond)
				d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
				d.wait(2 * time.Second)
				d.wantSheet(d.buffer, "ONE\ntwo\nthree\nfour, typed\n")
				if asked := d.answered("apply"); !d.isMerged(d.buffer) || len(asked) > 0 || d.shown("not merged") > 0 {
					t.Errorf("merged: %t; asked %q", d.isMerged(d.buffer), asked)
				}
			})
		})
	}
}

// A plugin may tell of several buffers that a window has restored. Their files do not count as written, so the user is not asked
// about one that is written right after that.
func TestRestoredBuffersOfWhichThePluginKnows(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := watched(t, "merge")
		for i := range 8 {
			name := fmt.Sprintf("%d.txt", i)
			writeFile(t, filepath.Join(d.root, name), "one\ntwo\nthree\nfour\n")
			d.buffer = d.opened(d.file(name), 1, "one\ntwo\nthree\nfour, typed\n")
			d.send(`{"jsonrpc":"2.0","id":"sync %s","method":"patchls/synced","params":{"textDocument":{"uri":%q,"file":%q}}}`, name, d.buffer.uri, "one\ntwo\nthree\nfour\n")
		}
		d.wrote("7.txt", "ONE\ntwo\nthree\nfour\n")
		d.wait(2 * time.Second)
		d.wantSheet(d.buffer, "ONE\ntwo\nthree\nfour, typed\n")
		if asked := d.answered("apply"); len(asked) > 0 {
			t.Errorf("asked %q", asked)
		}
	})
}

// What is written before the server knows the file of a restored buffer is not merged. The user is shown one message of
// it, and another one only after a save.
func TestAWriteThatCannotBeMergedIsShown(t *testing.T) {
	for name, c := range map[string]struct {
		start func(t *testing.T) (*player, *sheet)
		write string
		why   string
	}{
		"written while the buffer is restored": {func(t *testing.T) (*player, *sheet) { return restores(t, 100*time.Millisecond) }, "ONE\ntwo\nthree\nfour\n", "it is not known"},
		"without a plugin, a line of the user's": {func(t *testing.T) (*player, *sheet) {
			d := unasked(t, "merge")
			writeFile(t, filepath.Join(d.root, "a.txt"), "one\ntwo\nthree\nfour\n")
			d.buffer = d.opened(d.file("a.txt"), 1, "one\ntwo\nthree\nfour\n")
			d.poll()
			return d, d.buffer
		}, "one\ntwo\nthree\nFOUR\n", "takes a plugin"},
		"not UTF-8":            {merging, "one\xff\n", "not UTF-8"},
		"restored, not UTF-8":  {func(t *testing.T) (*player, *sheet) { return restores(t, time.Second) }, "one\xff\n", "not UTF-8"},
		"a save is not in it":  {func(t *testing.T) (*player, *sheet) { d, b := unaskedSave(t); return d, b }, "one\ntwo\nTHREE\nfour\n", "takes a plugin"},
		"an editor that fails": {failing, "ONE\ntwo\nthree\nfour\n", "cannot be edited"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := c.start(t)
				d.buffer = b
				d.changed(b, b.version+1, "one\ntwo\nthree\nfour, typed on\n")
				for i := range 3 {
					d.wrote("a.txt", fmt.Sprint(i, c.write))
					d.wait(5 * time.Second)
				}
				if all, these := d.shown("not merged"), d.shown(c.why); all != 1 || these != 1 {
					t.Errorf("%d messages, %d of them with %q", all, these, c.why)
				}
				writeFile(t, filepath.Join(d.root, "a.txt"), b.text)
				d.saves(b)
				d.wait(time.Second)
				d.changed(b, b.version+1, "typed\n"+b.text)
				d.wrote("a.txt", "\xff")
				d.wait(5 * time.Second)
				if all := d.shown("not merged"); all != 2 {
					t.Errorf("%d messages after a save", all)
				}
			})
		})
	}
}

// A user who does not type on is told of what was written while the buffer was restored as well. What is written once the
// file has not changed for a while is merged.
func TestAFileThatIsWrittenWhileABufferIsRestored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := restores(t, 100*time.Millisecond)
		for i := range 3 {
			d.wrote("a.txt", fmt.Sprintf("one %d\ntwo\nthree\nfour\n", i))
			d.wait(400 * time.Millisecond)
		}
		if n := d.shown("not merged"); n != 0 {
			t.Errorf("%d messages before the file was the same for a while", n)
		}
		d.wait(2 * time.Second)
		d.wrote("a.txt", "one 2\nTWO\nthree\nfour\n")
		d.wait(2 * time.Second)
		d.wantSheet(b, "one\nTWO\nthree\nfour, typed\n")
		if n := d.shown("not merged"); n != 1 || d.isMerged(b) {
			t.Errorf("%d messages; merged: %t", n, d.isMerged(b))
		}
	})
}

// unaskedSave is a player without a plugin that has reported a save which its file does not have.
func unaskedSave(t *testing.T) (*player, *sheet) {
	d := unasked(t, "merge")
	writeFile(t, filepath.Join(d.root, "a.txt"), "one\ntwo\nthree\nfour\n")
	d.buffer = d.opened(d.file("a.txt"), 1, "one\ntwo\nthree\nfour\n")
	d.poll()
	d.changed(d.buffer, 2, "one\ntwo\nthree, saved\nfour\n")
	d.saves(d.buffer)
	return d, d.buffer
}

// failing is a player whose editor cannot apply edits.
func failing(t *testing.T) (*player, *sheet) {
	d := startPlayer(t, "Neovim", noApplyEdit, files, absorbs("merge"))
	writeFile(t, filepath.Join(d.root, "a.txt"), "one\ntwo\nthree\nfour\n")
	d.buffer = d.opened(d.file("a.txt"), 1, "one\ntwo\nthree\nfour\n")
	d.poll()
	return d, d.buffer
}

// An editor that has opened an old text of a file without unsaved text, and reads the file anew, goes on to read it by
// itself: nothing is merged then.
func TestAnOldTextThatIsReadAnew(t *testing.T) {
	for name, pass := range map[string]time.Duration{"at once": 100 * time.Millisecond, "later": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := restores(t, pass)
				d.changed(b, 2, "one\ntwo\nthree\nfour\n")
				d.told("a.txt")
				d.wait(2 * time.Second)
				if !d.isMerged(b) {
					t.Error("the buffer has the text of its file, and is said to lack some")
				}
				d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
				d.wait(5 * time.Second)
				d.wantNoEdit()
				if n := d.shown("not merged"); n != 0 {
					t.Errorf("%d messages", n)
				}
			})
		})
	}
}

// A new file that is written right after its first save: it is not known what the save wrote.
func TestANewFileThatIsFormatted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := watched(t, "merge")
		d.buffer = d.opened(d.file("a.txt"), 1, "")
		d.wait(time.Second)
		d.changed(d.buffer, 2, "one=1\ntwo\n")
		writeFile(t, filepath.Join(d.root, "a.txt"), "one = 1\ntwo\n")
		d.saves(d.buffer)
		d.changed(d.buffer, 3, "one=1\ntwo\ntyped\n")
		d.told("a.txt")
		d.wait(2 * time.Second)
		if asked := d.answered("apply"); len(asked) != 1 || !d.isMerged(d.buffer) {
			t.Errorf("asked %q; merged: %t", asked, d.isMerged(d.buffer))
		}
		d.wantSheet(d.buffer, "one = 1\ntwo\ntyped\n")
	})
}

// A user who says no to a write after a save is asked about the next one, and so is one whose save went elsewhere. A file
// that holds what it held before the save was not written.
func TestASaveThatIsNotInTheFile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\ntwo\nthree\n")
		d.buffer = b
		d.changed(b, 2, "one\ntwo, saved\nthree\n")
		d.saves(b)
		d.changed(b, 3, "one\ntwo, saved\nthree, typed\n")
		d.told("a.txt")
		d.wait(5 * time.Second)
		if asked := d.answered("apply"); len(asked) != 0 || d.isMerged(b) {
			t.Errorf("asked %q of a file that was not written; merged: %t", asked, d.isMerged(b))
		}
		for _, typed := range []string{"one\ntwo\nthree\nfour\nfive\n", b.text} { // a line that the user has taken out in between, and the file has
			d.changed(b, b.version+1, typed)
		}
		for i, text := range []string{"ONE\ntwo\nthree\n", "TWO\ntwo\nthree\n"} {
			d.wrote("a.txt", text)
			d.wait(5 * time.Second)
			if asked := d.answered("reject"); len(asked) != i+1 {
				t.Errorf("asked %q of write %d", asked, i)
			}
		}
		d.wantSheet(b, "one\ntwo, saved\nthree, typed\n")
	})
}

// A restored buffer that is closed and opened again, as when its language changes, and one whose folder cannot be
// watched, are merged as well.
func TestARestoredBufferElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		opts lsp.Options
		then func(d *player)
	}{
		"opened again": {then: func(d *player) {
			d.closed(d.buffer)
			d.buffer = d.opened(d.buffer.uri, 1, d.buffer.text)
		}},
		"in a folder that cannot be watched": {
			opts: lsp.Options{Notify: func(func(string)) (watch.Notifier, error) { return nil, errors.New("none is left") }},
			then: func(*player) {},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayerWith(t, c.opts, "Neovim", `"experimental":{"patchls":{"confirm":true}}`, absorbs("merge"))
				writeFile(t, filepath.Join(d.root, "a.txt"), "one\ntwo\nthree\nfour\n")
				d.buffer = d.opened(d.file("a.txt"), 1, "one\ntwo\nthree\nfour, typed\n")
				d.wait(10 * time.Second)
				c.then(d)
				writeFile(t, filepath.Join(d.root, "a.txt"), "ONE\ntwo\nthree\nfour\n")
				if c.opts.Notify == nil {
					d.told("a.txt")
				}
				d.wait(10 * time.Second)
				d.wantSheet(d.buffer, "ONE\ntwo\nthree\nfour, typed\n")
			})
		})
	}
}

// An agent whose edit goes into a restored buffer is not told that another program has written the file, unless one has.
func TestNoDiskNoteForARestoredBuffer(t *testing.T) {
	for name, c := range map[string]struct {
		off   string
		write string
		note  bool
	}{
		"not written": {"merge", "", false}, "written and merged": {"merge", "ONE\ntwo\nthree\nfour\n", false}, "written and not merged": {"off", "ONE\ntwo\nthree\nfour\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := watched(t, c.off)
				writeFile(t, filepath.Join(d.root, "a.txt"), "one\ntwo\nthree\nfour\n")
				d.buffer = d.opened(d.file("a.txt"), 1, "one\ntwo\nthree\nfour, typed\n")
				d.wait(time.Second)
				if c.write != "" {
					d.wrote("a.txt", c.write)
					d.wait(time.Second)
				}
				r := d.result(d.replace("a.txt", "two", "TWO"))
				if got := strings.Contains(strings.Join(r.Notes, " "), "on disk"); got != c.note {
					t.Errorf("notes %q", r.Notes)
				}
			})
		})
	}
}

// Thirty folders that cannot be watched are said in one line.
func TestFoldersThatCannotBeWatchedAreSaidOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayerWith(t, lsp.Options{Notify: func(func(string)) (watch.Notifier, error) { return &scarce{from: 1 << 30}, nil }}, "Neovim", absorbs("merge"))
		d.opened(d.file("new/not-there/a.txt"), 1, "x\n") // a folder that is not there yet is no failure of the system
		for i := range 30 {
			name := fmt.Sprintf("folder%d/a.txt", i)
			writeFile(t, filepath.Join(d.root, name), "x\n")
			d.opened(d.file(name), 1, "x\n")
		}
		d.wait(20 * time.Second)
		if n := d.count("window/logMessage", "cannot be watched"); n != 1 {
			t.Errorf("the log said it %d times", n)
		}
	})
}
