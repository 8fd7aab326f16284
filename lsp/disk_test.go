package lsp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

const files = `workspace."didChangeWatchedFiles":{"dynamicRegistration":true}`

func absorbs(how string) string { return fmt.Sprintf(`;"initializationOptions":{"absorb":%q}`, how) }

// watched is a player whose files are watched, and whose plugin asks the user.
func watched(t *testing.T, absorb string) *player { return watchedIn(t, "Neovim", absorb) }

func watchedIn(t *testing.T, editor, absorb string) *player {
	return startPlayer(t, editor, `"experimental":{"patchls":{"confirm":true}}`, files, absorbs(absorb))
}

// opens is a player whose file is watched, and is open with its text.
func opens(t *testing.T, text string) (*player, *sheet) {
	t.Helper()
	return opensIn(t, "Neovim", text)
}

func opensIn(t *testing.T, editor, text string) (*player, *sheet) {
	t.Helper()
	d := watchedIn(t, editor, "merge")
	writeFile(t, filepath.Join(d.root, "a.txt"), text)
	b := d.opened(d.file("a.txt"), 1, text)
	d.poll() // the server has looked at the file
	return d, b
}

// opensFiles is a player that has so many files open, file0.txt and so on, all with that text.
func opensFiles(t *testing.T, n int, text string) (d *player, open []*sheet) {
	t.Helper()
	d = watched(t, "merge")
	for i := range n {
		name := fmt.Sprintf("file%d.txt", i)
		writeFile(t, filepath.Join(d.root, name), text)
		open = append(open, d.opened(d.file(name), 1, text))
	}
	d.poll() // the server has looked at them
	return d, open
}

// unasked is a player without a plugin.
func unasked(t *testing.T, absorb string) *player {
	return startPlayer(t, "Neovim", files, absorbs(absorb))
}

// wrote has another program write a file, and the editor tell of it.
func (d *player) wrote(name, s string) {
	d.t.Helper()
	writeFile(d.t, filepath.Join(d.root, name), s)
	d.told(name)
}

func (d *player) told(name string) {
	d.send(`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":%q,"type":2}]}}`, d.file(name))
}

// wait lets time pass, and reads what the server sends meanwhile.
func (d *player) wait(pass time.Duration) {
	d.t.Helper()
	time.Sleep(pass) //nolint:forbidigo // in a bubble
	d.poll()
}

// answered answers the questions of the server, and returns them.
func (d *player) answered(with string) (asked []string) {
	d.t.Helper()
	for read := 0; read < len(d.sent); {
		m := d.sent[read]
		if read++; m.Method != "patchls/confirm" {
			continue
		}
		var p struct{ Agent, Message, Diff string }
		if err := json.Unmarshal(m.Params, &p); err != nil {
			d.t.Fatal(err)
		}
		asked = append(asked, fmt.Sprintf("%s: %s\n%s", p.Agent, p.Message, p.Diff))
		d.say(m, fmt.Sprintf(`{"decision":%q}`, with))
		d.wait(time.Second)
	}
	return asked
}

// TestAbsorb: another program writes a file under unsaved text.
func TestAbsorb(t *testing.T) {
	names, err := filepath.Glob("../testdata/absorb/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			bubble(t, func(t *testing.T) { tryAbsorb(t, name) })
		})
	}
}

func tryAbsorb(t *testing.T, name string) {
	c, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, otherwise string) string {
		i := slices.IndexFunc(c.Files, func(f txtar.File) bool { return f.Name == name })
		if i < 0 {
			return otherwise
		}
		return strings.ReplaceAll(string(c.Files[i].Data), `\r`, "\r")
	}
	const deleted = "\x00"
	absorb, start := strings.TrimSpace(file("absorb", "merge")), watched
	if file("plugin", "") == "none\n" {
		start = unasked
	}
	d := start(t, absorb)
	writeFile(t, filepath.Join(d.root, "a.txt"), file("file", file("opened", "")))
	d.buffer = d.opened(d.file("a.txt"), 1, file("opened", ""))
	d.wait(time.Second) // it has looked at the file, twice if the buffer has unsaved text
	d.changed(d.buffer, 2, file("typed", ""))
	if saved := file("saved", deleted); saved != deleted {
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":%s}}`, d.buffer.uri, quote(saved))
		d.poll()
		d.changed(d.buffer, 3, file("typed on", saved))
	}
	if now := file("disk", deleted); now != deleted {
		d.wrote("a.txt", now)
	} else if err := os.Remove(filepath.Join(d.root, "a.txt")); err == nil {
		d.told("a.txt")
	}
	d.wait(time.Second)
	asked := d.answered(strings.TrimSpace(file("answer", "reject")))
	edits := 0
	for _, m := range d.sent {
		if m.Method == "workspace/applyEdit" {
			edits++
		}
	}
	before := len(d.sent)
	d.told("a.txt") // once more, and nothing comes of it
	d.wait(time.Second)
	for _, m := range d.sent[before:] {
		if m.Method != "window/logMessage" {
			t.Errorf("the server sent %s", m.Params)
		}
	}
	inputs := slices.DeleteFunc(slices.Clone(c.Files), func(f txtar.File) bool { return f.Name == "buffer" || f.Name == "came of it" })
	got := txtar.Format(&txtar.Archive{Comment: c.Comment, Files: append(inputs,
		txtar.File{Name: "buffer", Data: []byte(strings.ReplaceAll(d.buffer.text, "\r", `\r`))},
		txtar.File{Name: "came of it", Data: fmt.Appendf(nil, "edits: %d\nquestions: %d\n%s", edits, len(asked), strings.ReplaceAll(strings.Join(asked, "\n"), d.root, "/root"))})})
	if *update {
		if err := os.WriteFile(name, got, 0o600); err != nil {
			t.Fatal(err)
		}
	} else if want := txtar.Format(c); !bytes.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A key that the user types before the edit is made is kept: the edit is planned again.
func TestTypingWhileAFileIsMerged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\ntwo\nthree\n")
		d.changed(b, 2, "one\ntwo\nthree\nfour\n")
		d.wrote("a.txt", "ONE\ntwo\nthree\n")
		d.wait(time.Second)
		d.changed(b, 3, "one\ntwo\nthree\nfour, typed\n")
		d.say(d.edits[0], `{"applied":false}`) // of version 2
		d.wait(time.Second)
		if len(d.edits) != 2 {
			t.Fatalf("%d edits were sent", len(d.edits))
		}
		d.changed(b, 4, d.land(b.text, d.edits[1]))
		d.say(d.edits[1], yes)
		d.wait(time.Second)
		d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed\n")
	})
}

// A program writes in pieces: nothing is merged and the user is asked nothing before the file is complete.
func TestAFileThatIsWrittenInPieces(t *testing.T) {
	whole := "one\ntwo\nthree\nFOUR\nfive\nsix\n"
	before := strings.ToLower(whole)
	for _, typed := range []string{"typed, " + before, before + "typed\n"} { // what is cut off is the user's as well, or not
		for _, pause := range []time.Duration{40 * time.Millisecond, 400 * time.Millisecond} {
			bubble(t, func(t *testing.T) {
				d, b := opens(t, before)
				d.buffer = b
				d.changed(d.buffer, 2, typed)
				for n := range len(whole) {
					if n%8 == 0 {
						d.wrote("a.txt", whole[:n])
					} else { // the editor does not tell of this piece
						writeFile(t, filepath.Join(d.root, "a.txt"), whole[:n])
					}
					d.wait(pause)
				}
				d.wantNoEdit()
				d.wrote("a.txt", whole)
				d.wait(time.Minute)
				if asked := d.answered("reject"); len(asked) > 0 {
					t.Errorf("asked %q", asked)
				}
				d.wantSheet(d.buffer, strings.Replace(typed, "four", "FOUR", 1))
			})
		}
	}
}

// What looks like git checkout is not merged before the user agrees: many files at a time, or a
// line that was taken out since the file was opened.
func TestWhatLooksLikeACheckout(t *testing.T) {
	for name, write := range map[string]func(d *player){
		"many files": func(d *player) {
			for i := range 5 {
				other := fmt.Sprintf("other%d.txt", i)
				writeFile(t, filepath.Join(d.root, other), "x\n")
				d.opened(d.file(other), 1, "x\n")
				d.wrote(other, "y\n")
			}
			d.wrote("a.txt", "ONE\ntwo\n")
		},
		"a line of before":            func(d *player) { broughtBack(d, "two\n", "") },
		"of which a part was changed": func(d *player) { broughtBack(d, "two", "too") },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opens(t, "one\ntwo\n")
				d.buffer = b
				d.changed(d.buffer, 2, "one\ntwo\ntyped\n")
				write(d)
				d.wait(time.Second)
				was := d.buffer.text
				if asked := d.answered("reject"); len(asked) != 1 || d.buffer.text != was {
					t.Errorf("asked %q, and the editor has %q", asked, d.buffer.text)
				}
			})
		})
	}
}

// broughtBack has a program restore what an agent's edit changed, after that edit was saved.
func broughtBack(d *player, old, put string) {
	d.result(d.replace("a.txt", old, put))
	writeFile(d.t, filepath.Join(d.root, "a.txt"), d.buffer.text)
	d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, d.buffer.uri)
	d.poll()
	d.changed(d.buffer, d.buffer.version+1, "zero\n"+d.buffer.text)
	d.wrote("a.txt", "one\ntwo\ntyped\n")
}

// merging is a player whose file was seen, with a line that the user has typed at its end.
func merging(t *testing.T) (*player, *sheet) {
	d, b := opens(t, "one\ntwo\nthree\nfour\n")
	d.changed(b, 2, "one\ntwo\nthree\nfour, typed\n")
	return d, b
}

// isMerged asks whether the file holds what was merged.
func (d *player) isMerged(b *sheet) bool {
	d.t.Helper()
	d.serial++
	d.send(`{"jsonrpc":"2.0","id":%d,"method":"patchls/merged","params":{"textDocument":{"uri":%q}}}`, d.serial, b.uri)
	return string(d.reply(d.serial).Result) == `{"merged":true}`
}

// A program that changes the kind of all line ends, as dos2unix does: no edit brings that in, so the editor asks
// the user when they save. A line of the other kind is none of that: it is merged, and saved as the others are.
func TestLineEndsOfTheWholeFile(t *testing.T) {
	for name, c := range map[string]struct {
		was, file string
		merged    bool
	}{
		"to unix":             {"one\r\ntwo\r\nthree\r\n", "one\ntwo\nthree\n", false},
		"to dos":              {"one\ntwo\nthree\n", "one\r\ntwo\r\nthree\r\n", false},
		"to unix, and a line": {"one\r\ntwo\r\nthree\r\n", "ONE\ntwo\nthree\n", false},
		"a line":              {"one\r\ntwo\r\nthree\r\n", "ONE\ntwo\r\nthree\r\n", true},
		"a byte order mark":   {"one\ntwo\nthree\n", "\uFEFFone\ntwo\nthree\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opens(t, c.was)
				d.changed(b, 2, c.was+"typed")
				d.wrote("a.txt", c.file)
				d.wait(time.Second)
				if len(d.edits) == 1 {
					d.changed(b, 3, d.land(b.text, d.edits[0]))
					d.say(d.edits[0], yes)
					d.wait(time.Second)
				}
				if is := d.isMerged(b); is != c.merged {
					t.Errorf("merged: %t", is)
				}
			})
		})
	}
}

// What is written while a merge is in flight is compared with the file that was merged.
func TestAFileThatIsWrittenAgainMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
		d.wait(time.Second)
		d.wrote("a.txt", "one\nTWO\nthree\nfour\n")
		d.wait(time.Second)
		if len(d.edits) != 1 {
			t.Fatalf("%d edits at a time", len(d.edits))
		}
		d.changed(b, 3, d.land(b.text, d.edits[0]))
		d.say(d.edits[0], yes)
		d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed\n")
		d.wait(time.Second)
		d.changed(b, 4, d.land(b.text, d.edits[1]))
		d.say(d.edits[1], yes)
		d.wait(time.Second)
		d.wantSheet(b, "one\nTWO\nthree\nfour, typed\n")
	})
}

// A file that is written while the document is out of step with the editor's is merged once it is known again.
func TestAFileThatIsWrittenOutOfStep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":1},"contentChanges":[]}}`, b.uri) // out of order
		d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
		d.wait(time.Second)
		if len(d.edits) != 0 {
			t.Fatal("a text that is not known was edited")
		}
		d.send(`{"jsonrpc":"2.0","id":500,"method":"patchls/synced","params":{"textDocument":{"uri":%q,"version":3,"text":"one\ntwo\nthree\nfour, typed\n"}}}`, b.uri)
		d.wait(time.Second)
		if len(d.edits) != 1 {
			t.Fatalf("%d edits were sent", len(d.edits))
		}
		d.changed(b, 4, d.land(b.text, d.edits[0]))
		d.say(d.edits[0], yes)
		d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed\n")
	})
}

// A merge that the editor makes late is in the text that is merged next. In an editor that may make an edit in a later
// version than it is for, that merge is the last one, since its lines could come twice.
func TestAMergeThatIsNotAnswered(t *testing.T) {
	for editor, goesOn := range map[string]bool{"Neovim": true, "zed": false} {
		t.Run(editor, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opensIn(t, editor, "one\ntwo\nthree\nfour\n")
				d.changed(b, 2, "one\ntwo\nthree\nfour, typed\n")
				d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
				d.wait(time.Minute)
				sent := len(d.edits)
				d.changed(b, 3, "one\ntwo\nthree\nfour, typed and more\n")
				d.wait(time.Second)
				if again := len(d.edits) > sent; sent == 0 || again != goesOn {
					t.Errorf("%d edits, and then %d", sent, len(d.edits))
				}
				d.changed(b, 4, "ONE\ntwo\nthree\nfour, typed and more\n") // by the first one
				d.wrote("a.txt", "ONE\ntwo\nTHREE\nfour\n")
				d.buffer = b
				for _, m := range d.edits[sent:] {
					d.say(m, `{"applied":false}`)
				}
				d.wait(time.Second)
				d.wait(time.Second)
				if merged := b.text == "ONE\ntwo\nTHREE\nfour, typed and more\n"; merged != goesOn || d.isMerged(b) != goesOn {
					t.Errorf("the buffer has %q; merged: %t", b.text, d.isMerged(b))
				}
			})
		})
	}
}

// A user who saves as soon as they see the merge is asked nothing, though the editor has not answered yet. One whose editor
// does not answer is not kept waiting.
func TestSavingAtOnceAfterAMerge(t *testing.T) {
	for _, answers := range []bool{true, false} {
		t.Run(fmt.Sprint(answers), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := merging(t)
				d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
				d.wait(time.Second)
				d.changed(b, 3, d.land(b.text, d.edits[0]))
				d.serial++
				d.send(`{"jsonrpc":"2.0","id":%d,"method":"patchls/merged","params":{"textDocument":{"uri":%q}}}`, d.serial, b.uri)
				d.opened("untitled:other", 1, strings.Repeat("other\n", 100)) // in the place of the request's bytes
				d.wait(10 * time.Millisecond)
				if answers {
					d.say(d.edits[0], yes)
				}
				began := time.Now()
				got := string(d.reply(d.serial).Result)
				if want := fmt.Sprintf(`{"merged":%t}`, answers); got != want || time.Since(began) > time.Second {
					t.Errorf("after %v the answer is %s", time.Since(began), got)
				}
			})
		})
	}
}

// The editor itself reads a buffer without unsaved text anew, and the next merge starts from
// that text. What the user types before that is merged with the file.
func TestABufferWithoutUnsavedText(t *testing.T) {
	const was, now = "one\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nfour\n"
	for name, then := range map[string]func(d *player, b *sheet){
		"read anew": func(d *player, b *sheet) {
			d.changed(b, 2, now)
			d.wait(time.Second)
			if !d.isMerged(b) {
				d.t.Error("the file has what the buffer has")
			}
			d.changed(b, 3, "ONE\ntwo\nthree\nfour, typed\n")
			d.wrote("a.txt", was)
			d.wait(time.Second)
			d.wantSheet(b, "one\ntwo\nthree\nfour, typed\n")
		},
		"typed in": func(d *player, b *sheet) {
			d.wantSheet(b, was)
			d.changed(b, 2, "one\ntwo\nthree\nfour, typed\n")
			d.wait(time.Second)
			d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opens(t, was)
				d.buffer = b
				d.wrote("a.txt", now)
				d.wait(time.Second)
				then(d, d.buffer)
			})
		})
	}
}

// What the editor reads anew can be undone like an agent's edit, whether the new text or the report
// of the file comes first. What looks like git checkout cannot.
func TestAReloadIsUndone(t *testing.T) {
	const was, now = "one\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nfour\n"
	for name, c := range map[string]struct {
		files        int
		before       time.Duration // until the editor has read it; negative: the user types that, and saves twice
		typed, again string
		kind         string // of the error, "" for none
	}{
		"at once":          {before: 0, typed: now, again: was},
		"later":            {before: time.Second, typed: now, again: was},
		"then typed on":    {before: time.Second, typed: "ONE\ntwo\nthree\nfour, typed\n", again: "one\ntwo\nthree\nfour, typed\n"},
		"saved":            {before: -1, typed: now, again: now, kind: "nothing_to_undo"},
		"with many others": {files: 4, typed: now, again: now, kind: "nothing_to_undo"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := watched(t, "merge")
				writeFile(t, filepath.Join(d.root, "a.txt"), was)
				d.buffer = d.opened(d.file("a.txt"), 1, was)
				for i := range c.files {
					writeFile(t, filepath.Join(d.root, fmt.Sprint(i)), was)
					d.opened(d.file(fmt.Sprint(i)), 1, was)
				}
				d.poll()
				for i := range c.files {
					d.wrote(fmt.Sprint(i), now)
				}
				if c.before < 0 {
					d.changed(d.buffer, 2, "ONE")
					d.wrote("a.txt", "ONE")
				}
				d.wrote("a.txt", now)
				d.wait(max(0, c.before))
				d.changed(d.buffer, 3, now)
				d.wait(time.Second)
				d.changed(d.buffer, 4, c.typed)
				if id := d.ask("undo", args{"path": "a.txt"}); c.kind != "" {
					d.failure(id, c.kind)
				} else if r := d.result(id); !r.Verified {
					t.Errorf("%+v", r)
				}
				d.wantSheet(d.buffer, c.again)
			})
		})
	}
}

// A buffer that is read anew and typed in before the server has looked at the file has all of it.
func TestABufferThatIsReadAnewAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\ntwo\n")
		d.wrote("a.txt", "ONE\ntwo\n")
		d.changed(b, 2, "ONE\ntwo\n")
		d.changed(b, 3, "ONE, typed\ntwo\n")
		d.wait(time.Second)
		if asked := d.answered("reject"); len(asked) > 0 || !d.isMerged(b) {
			t.Errorf("asked %q", asked)
		}
		d.wantSheet(b, "ONE, typed\ntwo\n")
	})
}

// To an editor, a buffer that it has neither saved nor read anew is unsaved, even if the file now has
// the same text. So the editor does not read that file anew when it is written again.
func TestABufferThatTheFileCaughtUpWith(t *testing.T) {
	for name, write := range map[string]func(d *player, b *sheet){
		"a program has written its text": func(d *player, b *sheet) { d.wrote("a.txt", b.text) },
		"a merge, and typing taken back": func(d *player, b *sheet) {
			d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
			d.wait(time.Second)
			d.changed(b, b.version+1, "ONE\ntwo\nthree\nfour\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := merging(t)
				d.buffer = b
				write(d, b)
				d.wait(time.Second)
				last := strings.ReplaceAll(b.text, "two", "TWO")
				d.wrote("a.txt", last)
				d.wait(time.Second)
				d.wantSheet(b, last)
			})
		})
	}
}

// A buffer with both kinds of line ends whose text a program has written counts as not saved by the editor.
func TestLineEndsOfBothKinds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\r\ntwo\r\n")
		d.buffer = b
		d.changed(b, 2, "one\r\ntwo\r\nthree\n")
		d.wrote("a.txt", b.text)
		d.wait(time.Second)
		d.wrote("a.txt", "ONE\r\ntwo\r\nthree\n")
		d.wait(time.Second)
		d.wantSheet(b, "ONE\r\ntwo\r\nthree\n")
	})
}

// A file with both kinds of line ends, which the editor keeps: where only the user has changed a line, or only the
// program, there is nothing to ask.
func TestAFileOfBothKindsOfLineEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := opens(t, "one\r\ntwo\nthree\r\nfour\n")
		d.buffer = b
		d.changed(b, 2, "one\r\ntwo\nthree\r\nfour, typed\n")
		d.wrote("a.txt", "ONE\r\ntwo\nthree\r\nfour\n")
		d.wait(time.Second)
		if asked := d.answered("reject"); len(asked) > 0 {
			t.Errorf("asked %q", asked)
		}
		d.wantSheet(b, "ONE\r\ntwo\nthree\r\nfour, typed\n")
	})
}

// tells reports whether the editor's log has a text.
func (d *player) tells(s string) bool { return d.count("window/logMessage", s) > 0 }

// count returns how many notifications of a method have a text.
func (d *player) count(method, s string) (n int) {
	for _, m := range d.sent {
		if m.Method == method && bytes.Contains(m.Params, []byte(s)) {
			n++
		}
	}
	return n
}

// Typing in a buffer before the editor has read its file anew does not make a checkout look like a single file.
func TestTypingAfterACheckout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, open := opensFiles(t, 5, "one\ntwo\n")
		last := open[4]
		for i := range 5 {
			d.wrote(fmt.Sprintf("file%d.txt", i), "ONE\ntwo\n")
		}
		d.wait(time.Second)
		d.changed(last, 2, "one\ntwo\ntyped\n")
		d.wait(time.Second)
		if asked := d.answered("reject"); len(asked) != 1 {
			t.Errorf("asked %q", asked)
		}
	})
}

// Files that are written one after the other are no checkout, also while the user leaves a question
// unanswered.
func TestWritingWhileAQuestionStands(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, open := opensFiles(t, 7, "one\ntwo\n")
		d.changed(open[0], 2, "one, typed\ntwo\n")
		d.wrote("file0.txt", "ONE\ntwo\n")
		d.wait(2 * time.Second)
		for i, b := range open[1:] {
			d.buffer = b
			d.changed(b, 2, "one\ntwo\ntyped\n")
			d.wrote(fmt.Sprintf("file%d.txt", i+1), "ONE\ntwo\n")
			d.wait(time.Second)
			d.wantSheet(b, "ONE\ntwo\ntyped\n")
		}
	})
}

// Files that are merged and saved one after the other are no checkout, even if each save is reported several times.
func TestSavingAfterEachMerge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, open := opensFiles(t, 7, "one\ntwo\n")
		for i, b := range open {
			name := fmt.Sprintf("file%d.txt", i)
			d.buffer = b
			d.changed(b, 2, "one\ntwo\ntyped\n")
			d.wrote(name, "ONE\ntwo\n")
			d.wait(300 * time.Millisecond)
			d.wantSheet(b, "ONE\ntwo\ntyped\n")
			d.wrote(name, b.text)
			d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q}}}`, b.uri)
			for _, later := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond} {
				d.wait(later)
				d.told(name)
			}
		}
	})
}

// One file that is written several times while another one keeps growing is no checkout.
func TestOneFileBesideALog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, open := opensFiles(t, 2, "one\ntwo\n")
		d.buffer = open[1]
		d.changed(open[0], 2, "typed\none\ntwo\n")
		d.changed(open[1], 2, "one\ntwo\ntyped\n")
		log := "one\ntwo\n"
		for i := range 7 {
			wanted := fmt.Sprintf("ONE %d\ntwo\n", i)
			d.wrote("file1.txt", wanted)
			for range 10 {
				log += "more\n"
				d.wrote("file0.txt", log)
				d.wait(30 * time.Millisecond)
			}
			d.wantSheet(open[1], wanted+"typed\n")
		}
	})
}

// A file that already waits for the editor does not count for a checkout of others.
func TestTypingInAFileBesideACheckout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, open := opensFiles(t, 7, "one\ntwo\n")
		first := open[0]
		d.wrote("file0.txt", "ONE\ntwo\n")
		d.wait(time.Second)
		for i := range 6 {
			d.wrote(fmt.Sprintf("file%d.txt", i+1), "ONE\ntwo\n")
		}
		d.wait(time.Second)
		d.buffer = first
		d.changed(first, 2, "one\ntwo\ntyped\n")
		d.wait(time.Second)
		d.wantSheet(first, "ONE\ntwo\ntyped\n")
	})
}

// An agent that writes one of a checkout's files before the editor has read it anew does not hide the checkout.
func TestWritingAfterACheckout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, open := opensFiles(t, 5, "one\ntwo\nthree\n")
		last := open[4]
		for i := range 5 {
			d.wrote(fmt.Sprintf("file%d.txt", i), "ONE\ntwo\nthree\n")
		}
		d.wait(time.Second)
		d.wrote("file4.txt", "ONE\nTWO\nthree\n")
		d.wait(time.Second)
		d.changed(last, 2, "one\ntwo\nthree\ntyped\n")
		d.wait(time.Second)
		if asked := d.answered("reject"); len(asked) != 1 {
			t.Errorf("asked %q", asked)
		}
	})
}

// A document that was closed while the user was asked is not edited, even if the user agrees.
func TestADocumentThatIsClosedMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		d.wrote("a.txt", "one\ntwo\nthree\nFOUR\n")
		d.wait(time.Second)
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":%q}}}`, b.uri)
		writeFile(t, filepath.Join(d.root, "a.txt"), "ONE\ntwo\nthree\nfour\n")
		if asked := d.answered("apply"); len(asked) != 1 {
			t.Errorf("asked %q", asked)
		}
		d.wait(time.Second)
		d.wantNoEdit()
	})
}

// What the user has rejected is not brought in by a later text of the file that has it as well.
func TestAfterANo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		d.wrote("a.txt", "one\ntwo\nthree\nFOUR\n")
		d.wait(time.Second)
		first := d.answered("reject")
		d.wrote("a.txt", "ONE\nTWO\nthree\nfour\n")
		d.wait(time.Second)
		if second := d.answered("reject"); len(first) != 1 || len(second) != 2 {
			t.Errorf("asked %q and %q", first, second)
		}
		d.wantSheet(b, "one\ntwo\nthree\nfour, typed\n")
	})
}

// A program writes on and on: the text that the editor has read anew meanwhile is the common base of
// its buffer and the next text of the file.
func TestAFileThatIsWrittenOnAndOn(t *testing.T) {
	const was = "one\ntwo\nthree\n"
	for name, c := range map[string]struct{ next, want string }{
		"takes out what it wrote": {"ONE\ntwo\nthree\n", "ONE\ntwo\nthree, typed\n"},
		"writes what it was":      {was, "one\ntwo\nthree, typed\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d, b := opens(t, was)
				d.buffer = b
				d.wrote("a.txt", "one\nWIP\ntwo\nthree\n")
				d.wait(60 * time.Millisecond) // it is read once
				d.changed(d.buffer, 2, "one\nWIP\ntwo\nthree\n")
				d.changed(d.buffer, 3, "one\nWIP\ntwo\nthree, typed\n")
				d.wrote("a.txt", c.next)
				d.wait(5 * time.Second)
				if asked := d.answered("reject"); len(asked) > 0 {
					t.Errorf("asked %q", asked)
				}
				d.wantSheet(d.buffer, c.want)
			})
		})
	}
}

// An editor that refuses a merge may accept the next one, and the user is not asked about it.
func TestAnEditorsNo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d, b := merging(t)
		d.wrote("a.txt", "ONE\ntwo\nthree\nfour\n")
		d.wait(time.Second)
		d.say(d.edits[0], `{"applied":false,"failureReason":"the user is typing a command"}`)
		d.wait(time.Second)
		d.buffer = b
		d.changed(b, 3, "one\ntwo\nthree\nfour, typed on\n")
		d.wait(time.Second)
		if asked := d.answered("reject"); len(asked) > 0 {
			t.Errorf("asked %q", asked)
		}
		d.wantSheet(b, "ONE\ntwo\nthree\nfour, typed on\n")
	})
}

// Nothing is merged in an editor that cannot apply edits, and the user is told.
func TestAnEditorThatAppliesNoEdits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim", noApplyEdit, files, absorbs("merge"))
		writeFile(t, filepath.Join(d.root, "a.txt"), "one\ntwo\n")
		b := d.opened(d.file("a.txt"), 1, "one\ntwo\n")
		d.poll()
		d.changed(b, 2, "one\ntwo, typed\n")
		d.wrote("a.txt", "ONE\ntwo\n")
		d.wait(time.Second)
		if told := d.tells("it was not merged"); !told || d.isMerged(b) {
			t.Errorf("told: %t; merged: %t", told, d.isMerged(b))
		}
	})
}
