package lsp_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A file is written right after it was saved, so that it is not known what the save wrote: a user with unsaved text is
// asked if that makes a difference. It is known once the editor has read the file anew.
func TestAFileThatIsWrittenRightAfterASave(t *testing.T) {
	const saved, formatted = "one\ntwo\nthree\n", "ONE\ntwo\nthree\n"
	for name, c := range map[string]struct{ typed, want string }{
		"read anew": {formatted, "ONE\nTWO\nthree\ntyped\n"},
		"typed in":  {saved + "typed\n", saved + "typed\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opens(t, "one\n")
				d.buffer = b
				d.changed(b, 2, saved)
				writeFile(t, filepath.Join(d.root, "a.txt"), formatted)
				d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, b.uri)
				d.told("a.txt")
				d.wait(time.Second)
				d.changed(b, 3, c.typed)
				d.wait(time.Second)
				asked := d.answered("reject")
				d.changed(b, 4, strings.TrimSuffix(b.text, "typed\n")+"typed\n")
				d.wrote("a.txt", "ONE\nTWO\nthree\n")
				d.wait(time.Second)
				d.wantSheet(b, c.want)
				if known := c.typed == formatted; len(asked) > 0 == known {
					t.Errorf("asked %q", asked)
				}
			})
		})
	}
}

// What the editor has saved is not taken for another program's work when the editor reports the save
// late and the user types on in the same line.
func TestASaveThatIsToldLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		d.buffer = b
		d.wrote("a.txt", b.text)
		d.changed(b, 3, "one\ntwo\nthree\nfour, typed on\n")
		d.wait(2 * time.Second)
		if asked := d.answered("reject"); len(asked) != 0 {
			t.Errorf("asked %q", asked)
		}
		d.wrote("a.txt", "ONE\ntwo\nthree\nfour, typed\n")
		d.wait(time.Second)
		d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed on\n")
	})
}

// What the user types while the editor saves is not in the file, even if the editor reports it together with the save.
func TestTypingWhileTheEditorSaves(t *testing.T) {
	for name, told := range map[string][]string{
		"the save is told first": {"save", "file"}, "the file is told first": {"file", "save"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opensIn(t, "Visual Studio Code", "one\ntwo\n")
				d.buffer = b
				d.changed(b, 2, "one\ntwo, ty\n")
				writeFile(t, filepath.Join(d.root, "a.txt"), b.text)
				d.changed(b, 3, "one\ntwo, typ\n")
				d.changed(b, 4, "one\ntwo, typed\n")
				for _, what := range told {
					if what == "file" {
						d.told("a.txt")
						d.wait(2 * time.Second)
						continue
					}
					d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":%q}}`, b.uri, b.text)
					d.poll()
				}
				d.changed(b, 5, "one\ntwo, typed on\n")
				d.wrote("a.txt", "ONE\ntwo, ty\n")
				d.wait(5 * time.Second)
				d.wantSheet(b, "ONE\ntwo, typed on\n")
				if asked := d.answered("reject"); len(asked) != 0 {
					t.Errorf("asked %q", asked)
				}
			})
		})
	}
}

// An editor that reports a save late, together with what the user has typed since, has unsaved text although the report
// does not say so. The user is asked of what was written right after such a save, unless the editor reads it anew.
func TestAWriteRightAfterASaveThatIsToldLate(t *testing.T) {
	for name, c := range map[string]struct {
		formatted string
		reads     bool
		asked     int
	}{
		"elsewhere":        {"one\ntwo, saved\nthree\nfour\nFIVE\n", false, 1},
		"in what is saved": {"one\ntwo: saved\nthree\nfour\nfive\n", false, 1},
		"and read anew":    {"one\ntwo: saved\nthree\nfour\nfive\n", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opensIn(t, "Visual Studio Code", "one\ntwo\nthree\nfour\nfive\n")
				d.changed(b, 2, "one\ntwo, saved\nthree\nfour\nfive\n")
				writeFile(t, filepath.Join(d.root, "a.txt"), c.formatted)
				if !c.reads {
					d.changed(b, 3, "one\ntwo, saved\nthree, typed\nfour\nfive\n")
				}
				d.saves(b)
				d.told("a.txt")
				d.wait(time.Second)
				if c.reads {
					d.changed(b, 4, c.formatted)
				}
				d.wait(10 * time.Second)
				if asked := d.answered("reject"); len(asked) != c.asked || len(d.edits) > 0 {
					t.Errorf("asked %q, and %d edits", asked, len(d.edits))
				}
			})
		})
	}
}

// Typing is not in the file either if the server has read the saved file before the save is reported.
func TestASaveThatIsReadBeforeItIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opensIn(t, "Visual Studio Code", "one\ntwo\n")
		d.buffer = b
		d.changed(b, 2, "one\ntwo, ty\n")
		d.wrote("a.txt", b.text)
		d.poll()
		d.changed(b, 3, "one\ntwo, typed\n")
		d.wait(time.Second)
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":%q}}`, b.uri, b.text)
		d.told("a.txt")
		d.wait(time.Second)
		d.wrote("a.txt", "ONE\ntwo, ty\n")
		d.wait(time.Second)
		d.wantSheet(b, "ONE\ntwo, typed\n")
	})
}

// What the user has saved while a program keeps writing is theirs, and no later read of the file removes it.
func TestWhatIsSavedMeanwhileIsTheUsers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\ntwo\n")
		d.buffer = b
		version := 1
		reads := func(s string) {
			version++
			d.changed(d.buffer, version, s)
		}
		for i := range 4 { // it is not quiet for a while
			d.wrote("a.txt", fmt.Sprintf("one\ntwo %d\n", i))
			reads(fmt.Sprintf("one\ntwo %d\n", i))
			d.wait(60 * time.Millisecond)
		}
		reads("one, typed\ntwo 3\n")
		writeFile(t, filepath.Join(d.root, "a.txt"), "one, typed\ntwo 3\n")
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, d.buffer.uri)
		d.told("a.txt")
		d.wait(10 * time.Millisecond)
		d.wrote("a.txt", "one, typed\ntwo 4\n")
		reads("one, typed\ntwo 4\n")
		d.wait(10 * time.Second)
		for range 6 {
			d.reply(d.ask("undo", args{"path": "a.txt"}))
		}
		if !strings.HasPrefix(d.buffer.text, "one, typed\n") {
			t.Errorf("the buffer has %q", d.buffer.text)
		}
	})
}

// An earlier text of the buffer does not count as saved without a didSave: the user took it back.
func TestAProgramThatWritesWhatTheUserTookBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\ntwo\n")
		d.changed(b, 2, "one\nTWO\n")
		d.changed(b, 3, "one\ntwo\n")
		d.changed(b, 4, "one\ntwo\ntyped\n")
		d.wrote("a.txt", "one\nTWO\n")
		d.wait(10 * time.Second)
		if asked := d.answered("reject"); len(asked) != 1 || d.isMerged(b) {
			t.Errorf("asked %q", asked)
		}
	})
}

// What a program takes out right after a save does not count as merged.
func TestAProgramThatTakesASaveBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\ntwo\n")
		d.changed(b, 2, "one\nTWO\n")
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, b.uri) // and git checkout
		d.told("a.txt")
		d.changed(b, 3, "one\nTWO\ntyped\n")
		d.wait(10 * time.Second)
		if d.isMerged(b) {
			t.Error("it counts as merged")
		}
	})
}

// An earlier text that a program writes after a save does not count as merged if the save was reported at once.
func TestAProgramThatWritesWhatWasTypedBeforeASave(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\ntwo\n")
		d.changed(b, 2, "one\nTWO\n")
		d.changed(b, 3, "one\nTWO and more\n")
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, b.uri)
		d.wrote("a.txt", "one\nTWO\n")
		d.wait(10 * time.Second)
		if d.isMerged(b) {
			t.Error("it counts as merged")
		}
	})
}

// What a program writes right after a save is merged, if the file was told of before the save.
func TestAProgramThatReactsToASave(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		d.buffer = b
		d.wrote("a.txt", b.text)
		d.wait(time.Second)
		d.wrote("a.txt", "ONE\ntwo\nthree\nfour, typed\n")
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, b.uri)
		d.changed(b, 3, b.text+"five\n")
		d.wait(time.Second)
		d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed\nfive\n")
	})
}

// A plugin that asks for it is told that the file of a document without unsaved text was written, and no other editor is.
func TestAPluginIsToldOfAWrite(t *testing.T) {
	for plugin, want := range map[string]bool{`{"written":true}`: true, `{"confirm":true}`: false} {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim", `"experimental":{"patchls":`+plugin+`}`, files, absorbs("merge"))
			writeFile(t, filepath.Join(d.root, "a.txt"), "one\n")
			d.opened(d.file("a.txt"), 1, "one\n")
			d.wait(3 * time.Second)
			d.wrote("a.txt", "two\n")
			d.wait(3 * time.Second)
			told := slices.ContainsFunc(d.sent, func(m message) bool {
				return m.Method == "patchls/written" && strings.Contains(string(m.Params), d.file("a.txt"))
			})
			if told != want {
				t.Errorf("an editor with %s is told: %v, want %v", plugin, told, want)
			}
		})
	}
}

// A document that is closed and reopened with all its unsaved text, as when its language changes, loses nothing.
func TestADocumentThatIsOpenedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		text := b.text
		d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
		d.closed(b)
		b = d.opened(b.uri, 1, text)
		d.buffer = b
		d.wait(2 * time.Second)
		d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed\n")
	})
}

// A question about a partly written file is withdrawn when the rest is written.
func TestAQuestionAboutAPartOfAFile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		d.buffer = b
		d.wrote("a.txt", "ONE\ntwo\n")
		d.wait(2 * time.Second)
		d.told("a.txt") // once more of the same
		d.wait(2 * time.Second)
		if d.withdrawn() {
			t.Error("the question has gone")
		}
		d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
		d.wait(2 * time.Second)
		if !d.withdrawn() {
			t.Error("the question stands")
		}
		d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed\n")
	})
}

// withdrawn reports whether the server has withdrawn a question.
func (d *player) withdrawn() bool {
	return slices.ContainsFunc(d.sent, func(m message) bool { return m.Method == "patchls/withdraw" })
}

// A question that the user has not answered in time, or that they have settled by a save, stops no later merge.
func TestAQuestionThatIsOver(t *testing.T) {
	for name, over := range map[string]func(d *player, b *sheet){
		"the user saves": func(d *player, b *sheet) {
			writeFile(d.t, filepath.Join(d.root, "a.txt"), b.text)
			d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, b.uri)
			d.told("a.txt")
			d.wait(time.Second)
			d.changed(b, 3, b.text+"typed on\n")
		},
		"the user does not answer": func(d *player, b *sheet) { d.wait(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := merging(t)
				d.buffer = b
				d.wrote("a.txt", "one\ntwo\nthree\nFOUR\n")
				d.wait(2 * time.Second)
				over(d, b)
				if !d.withdrawn() {
					t.Error("the question stands")
				}
				asked := 0
				if d.isMerged(b); name == "the user does not answer" {
					asked = 1 // about a later text of the file, which may have the same
				}
				file := strings.Replace(b.text, "one\n", "ONE\n", 1)
				d.wrote("a.txt", strings.TrimSuffix(file, "typed on\n"))
				d.wait(2 * time.Second)
				if got := d.answered("apply"); len(got) != asked+1 {
					t.Errorf("asked %q", got)
				}
				d.wantSheet(b, file)
			})
		})
	}
}

// Saving need not ask only while the buffer has what the file has: not after the user's no, nor once
// they have undone the merge.
func TestIsMerged(t *testing.T) {
	for name, end := range map[string]func(d *player, b *sheet){
		"undone": func(d *player, b *sheet) {
			d.changed(b, b.version+1, "one\ntwo\nthree\nfour, typed\n")
		},
		"undone once it was closed, and opened again with all that is unsaved": func(d *player, b *sheet) {
			d.closed(b)
			b.version++
			d.opened(b.uri, b.version, b.text)
			d.wait(time.Second)
			if !d.isMerged(b) {
				d.t.Error("it is merged still")
			}
			d.changed(b, b.version+1, "one\ntwo\nthree\nfour, typed\n")
		},
		"rejected": func(d *player, b *sheet) {
			d.wrote("a.txt", "ONE\ntwo\nthree\nFOUR\n")
			d.wait(time.Second)
			if asked := d.answered("reject"); len(asked) != 1 {
				d.t.Errorf("asked %q", asked)
			}
		},
		"undone, and another one made": func(d *player, b *sheet) {
			d.changed(b, b.version+1, "one\ntwo\nthree\nfour, typed\n")
			d.wrote("a.txt", "ONE\ntwo\nTHREE\nfour\n")
			d.wait(time.Second)
			d.wantSheet(b, "one\ntwo\nTHREE\nfour, typed\n")
		},
		"taken back":    func(d *player, _ *sheet) { d.result(d.ask("undo", args{"path": "a.txt"})) },
		"written again": func(d *player, _ *sheet) { writeFile(d.t, filepath.Join(d.root, "a.txt"), "two\n") },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := merging(t)
				d.buffer = b
				if !d.isMerged(b) {
					t.Error("the file has what was opened")
				}
				d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
				d.wait(time.Second)
				d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed\n")
				if !d.isMerged(b) {
					t.Error("it was merged")
				}
				if end(d, b); d.isMerged(b) {
					t.Error("saving would take away what the program wrote")
				}
			})
		})
	}
}
