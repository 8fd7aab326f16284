package lsp_test

import (
	"cmp"
	"context"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/view"
)

// writers are the commands that send a whole text.
var writers = map[string]func(path, content string) (command string, a args){
	"write": func(path, content string) (string, args) { return "write", args{"path": path, "content": content} },
	"create": func(path, content string) (string, args) {
		return "create", args{"path": path, "content": content, "overwrite": true}
	},
	"write_file": func(path, content string) (string, args) {
		return "write_file", args{"path": path, "content": content}
	},
	"text_editor": func(path, content string) (string, args) {
		return "text_editor", args{"action": "write", "path": path, "content": content}
	},
}

// seeing starts a session with lines in a.txt, which is open, and shows the lines [from,to] to the agent.
func seeing(t *testing.T, content string, from, to int) reader {
	t.Helper()
	s := start(t, map[string]string{"a.txt": content}, headless.Options{})
	r := reader{s, s.open("a.txt")}
	r.views(from, to)
	return r
}

func (r reader) views(from, to int) view.View {
	r.t.Helper()
	return run[view.View](r.session, "view", args{"path": "a.txt", "start_line": from, "end_line": to})
}

// stale has a command refused; the text stays.
func (r reader) stale(command string, a args) failure {
	r.t.Helper()
	before := textOf(r.b)
	f := r.fail(command, a)
	if f.Kind != edits.Stale || f.Rev == "" {
		r.t.Errorf("%s fails with %s: %q, rev %q; want stale, with the rev", command, f.Kind, f.Message, f.Rev)
	}
	r.wants(before)
	return f
}

// with returns a copy of arguments with one more.
func with(a args, name string, value any) args {
	all := maps.Clone(a)
	all[name] = value
	return all
}

// What the user has typed since the agent saw the text stays, whichever command sends the whole text, with
// or without the rev of what it saw.
func TestWholeTextKeepsWhatItsAgentHasNotSeen(t *testing.T) {
	for name, writer := range writers {
		for _, withRev := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				r := seeing(t, lines(1, 5), 1, -1)
				rev := r.views(1, -1).Rev
				r.types("line 1\n", "typed above\nline 1\n")
				r.types("line 5\n", "line 5\ntyped below\n")
				command, a := writer("a.txt", lines(1, 2)+"three\n"+lines(4, 5))
				if withRev {
					a["rev"] = rev
				}
				got := r.edit(command, a)
				r.wants("typed above\n" + lines(1, 2) + "three\n" + lines(4, 5) + "typed below\n")
				if note := strings.Join(got.Notes, ""); !got.Rebased || note != "Kept what the user has changed since you saw the text: line 1 and line 7." {
					t.Errorf("rebased %v, notes %q", got.Rebased, note)
				}
			})
		}
	}
}

// An agent's whole text that changes lines of the user's shows both, and changes nothing.
func TestWholeTextShowsWhatItWouldReplace(t *testing.T) {
	for name, writer := range writers {
		t.Run(name, func(t *testing.T) {
			r := seeing(t, lines(1, 9), 1, -1)
			r.types("line 3", "line 3 by the user")
			r.types("line 8", "line 8 by the user")
			content := lines(1, 2) + "three\n" + lines(4, 9)
			command, a := writer("a.txt", content)
			for range 2 { // sent again, it is refused again
				f := r.stale(command, a)
				for _, want := range []string{"\n     3\tline 3 by the user\n", "\n     8\tline 8 by the user\n", "\nthree"} {
					if !strings.Contains(f.Snippet, want) {
						t.Errorf("%q lacks %q", f.Snippet, want)
					}
				}
			}
			rev := r.fail(command, a).Rev
			r.edit(command, with(a, "rev", rev)) // the rev says that it has seen the text
			r.wants(content)
		})
	}
}

// Lines that nobody has shown to the agent are not deleted.
func TestWholeTextOfAPartDeletesNothing(t *testing.T) {
	for name, writer := range writers {
		t.Run(name, func(t *testing.T) {
			r := seeing(t, lines(1, 30), 1, 5)
			command, a := writer("a.txt", lines(1, 2)+"three\n"+lines(4, 5))
			f := r.stale(command, a)
			if !strings.Contains(f.Message, "lines 6-30") || !strings.Contains(f.Snippet, "    30\tline 30") {
				t.Errorf("%q, %q", f.Message, f.Snippet)
			}
			r.views(6, 30)
			r.edit(command, a)
			r.wants(lines(1, 2) + "three\n" + lines(4, 5))
		})
	}
}

// The base of a whole text is made of lines. An edit of the agent's own, and a view of a part, show the
// lines around, and not the others.
func TestBaseIsMadeOfLines(t *testing.T) {
	for name, between := range map[string]func(r reader) (mine string){
		"an edit of its own": func(r reader) string {
			r.edit("str_replace", args{"path": "a.txt", "old_str": "line 10\n", "new_str": "ten\n"})
			return lines(1, 9) + "ten\n" + lines(11, 40)
		},
		"an edit beside what the user has typed": func(r reader) string {
			r.edit("str_replace", args{"path": "a.txt", "old_str": "line 36\n", "new_str": "36\nand more\n"})
			return lines(1, 35) + "36\nand more\n" + lines(37, 40)
		},
		"several hunks": func(r reader) string {
			r.edit("edit_lines", args{"path": "a.txt", "edits": []args{{"from": 2, "to": 3}, {"from": 10, "to": 10, "content": "ten"}}})
			return lines(1, 1) + lines(4, 9) + "ten\n" + lines(11, 40)
		},
		"a view of another part": func(r reader) string {
			r.views(1, 20)
			return lines(1, 40)
		},
		"an insertion and its undo": func(r reader) string {
			e := r.edit("insert", args{"path": "a.txt", "after_line": 3, "content": "new"})
			r.edit("undo", args{"edit_id": e.EditID})
			return lines(1, 40)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := seeing(t, lines(1, 40), 1, -1)
			r.types("line 30\n", "line 30\ntyped\n")
			mine := between(r)
			r.edit("write", args{"path": "a.txt", "content": strings.Replace(mine, "line 20\n", "twenty\n", 1)})
			want := strings.Replace(mine, "line 20\n", "twenty\n", 1)
			r.wants(strings.Replace(want, "line 30\n", "line 30\ntyped\n", 1))
		})
	}
}

// A line that the agent has seen is its own to delete.
func TestWholeTextDeletesWhatItsAgentHasSeen(t *testing.T) {
	for name, sees := range map[string]func(r reader){
		"all of it":      func(r reader) { r.views(1, -1) },
		"that part":      func(r reader) { r.views(5, 9) },
		"its own answer": func(r reader) { r.edit("str_replace", args{"path": "a.txt", "old_str": "line 9", "new_str": "nine"}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := seeing(t, lines(1, 20), 1, -1)
			r.types("line 7\n", "line 7\ntyped\n")
			sees(r)
			content := strings.Replace(textOf(r.b), "typed\n", "", 1)
			r.edit("write", args{"path": "a.txt", "content": content})
			r.wants(content)
		})
	}
}

// Without any base, what is on disk is known, and what is not is the user's.
func TestWholeTextOfAnAgentThatSawNothing(t *testing.T) {
	s := start(t, map[string]string{"a.txt": lines(1, 20)}, headless.Options{})
	r := reader{s, s.open("a.txt")}
	r.types("line 20\n", "line 20\ntyped\n")
	r.stale("create", args{"path": "a.txt", "content": "all new\n", "overwrite": true})
	r.edit("write", args{"path": "a.txt", "content": lines(1, 2) + "three\n" + lines(4, 20)})
	r.wants(lines(1, 2) + "three\n" + lines(4, 20) + "typed\n")
	r.stale("create", args{"path": "a.txt", "content": "all new\n", "overwrite": true})
}

// Blanks that a formatter has changed are not worth a refusal: the agent's line is taken.
func TestWholeTextOverBlanks(t *testing.T) {
	r := seeing(t, "a {\nb\nc\n}\n", 1, -1)
	r.types("b\n", "\tb\n")
	r.types("c\n", "\tc\n")
	r.edit("write", args{"path": "a.txt", "content": "a {\nB\nc\n}\n"})
	if got := textOf(r.b); got != "a {\nB\n\tc\n}\n" && got != "a {\nB\nc\n}\n" {
		t.Errorf("%q", got)
	}
	r = seeing(t, "one\r\ntwo\r\n", 1, -1)
	r.types("one", "typed\r\none")
	r.edit("write", args{"path": "a.txt", "content": "one\nTWO\n"})
	r.wants("typed\r\none\r\nTWO\r\n")
	r = seeing(t, "one\ntwo", 1, -1)
	r.types("one", "typed\none")
	r.edit("write", args{"path": "a.txt", "content": "one\ntwo\nthree"})
	r.wants("typed\none\ntwo\nthree")
}

// A text that only lacks what others have written since is not made: it may be an old one.
func TestWholeTextOfBefore(t *testing.T) {
	r := seeing(t, lines(1, 5), 1, -1)
	r.types("line 5\n", "line 5\ntyped\n")
	f := r.fail("write", args{"path": "a.txt", "content": lines(1, 5)})
	if f.Kind != edits.NoChange || f.Rev == "" || !strings.Contains(f.Snippet, "     6\ttyped") {
		t.Errorf("%s, rev %q, %q", f.Kind, f.Rev, f.Snippet)
	}
	r.wants(lines(1, 5) + "typed\n")
}

// The answer to a whole text says whose changes are kept. It names no agent where the user may have changed what it wrote.
func TestWholeTextSaysWhoseChangesStay(t *testing.T) {
	const edit = `{"path": "a.txt", "old_str": "line 2\n", "new_str": "two\nand more\n"}`
	for name, tt := range map[string]struct {
		own  bool // the edit is of the agent that sends the whole text
		then func(r reader, id string)
		want string
	}{
		"an agent alone":      {false, func(reader, string) {}, "an agent has changed"},
		"the user elsewhere":  {false, func(r reader, _ string) { r.types("line 8\n", "line 8\ntyped\n") }, "an agent and the user have changed"},
		"typed in its line":   {false, func(r reader, _ string) { r.types("two", "typed two") }, "others have changed"},
		"typed at its end":    {false, func(r reader, _ string) { r.types("and more", "and more, typed") }, "others have changed"},
		"a part deleted":      {false, func(r reader, _ string) { r.types("and more", "and") }, "others have changed"},
		"a line deleted":      {false, func(r reader, _ string) { r.types("two\n", "") }, "an agent has changed"},
		"a line between":      {false, func(r reader, _ string) { r.types("two\n", "two\ntyped\n") }, "others have changed"},
		"its own, typed in":   {true, func(r reader, _ string) { r.types("two", "typed two") }, "others have changed"},
		"its own, and a line": {true, func(r reader, _ string) { r.types("line 8\n", "line 8\ntyped\n") }, "the user has changed"},
		"kept":                {false, func(r reader, id string) { r.edit("keep", args{"edit_id": id}) }, "others have changed"},
		"kept, and elsewhere": {false, func(r reader, id string) {
			r.edit("keep", args{"edit_id": id})
			r.types("line 8\n", "line 8\ntyped\n")
		}, "others and the user have changed"},
		"kept, typed in": {false, func(r reader, id string) {
			r.edit("keep", args{"edit_id": id})
			r.types("two", "typed two")
		}, "others have changed"},
		"kept, moved, and typed below": {false, func(r reader, id string) {
			r.edit("keep", args{"edit_id": id})
			r.types("line 1\n", "above\nline 1\n")
			r.types("and more\n", "and more\ntyped\n")
		}, "others and the user have changed"},
		"its own, kept, and a line": {true, func(r reader, id string) {
			r.edit("keep", args{"edit_id": id})
			r.types("line 8\n", "line 8\ntyped\n")
		}, "the user has changed"},
		"its own, kept, typed in": {true, func(r reader, id string) {
			r.edit("keep", args{"edit_id": id})
			r.types("two", "typed two")
		}, "others have changed"},
		"a part kept": {false, func(r reader, id string) {
			r.edit("keep", args{"edit_id": id, "hunk": 1})
			r.types("line 8\n", "line 8\ntyped\n")
		}, "others and the user have changed"},
	} {
		t.Run(name, func(t *testing.T) {
			d := startEndpoint(t, map[string]string{"a.txt": lines(1, 9)}, headless.Options{}, time.After)
			r := reader{d.session, d.open("a.txt")}
			r.views(1, -1)
			if tt.own {
				r.edit("str_replace", args{"path": "a.txt", "old_str": "line 2\n", "new_str": "two\nand more\n"})
			} else {
				d.enter().call("str_replace", edit)
			}
			tt.then(r, run[view.Listing](r.session, "list", args{}).Edits[0].EditID)
			sent := lines(1, 4)
			if tt.own {
				sent = "line 1\ntwo\nand more\n" + lines(3, 4)
			}
			got := r.edit("write", args{"path": "a.txt", "content": sent + "five\n" + lines(6, 9)})
			if note := strings.Join(got.Notes, ""); !strings.HasPrefix(note, "Kept what "+tt.want+" since you saw the text: line") {
				t.Error(note)
			}
		})
	}
}

// A file that has gone since the agent saw it is not made again without a word.
func TestWholeTextOfAFileThatHasGone(t *testing.T) {
	r := seeing(t, lines(1, 5), 1, -1)
	r.b.Close()
	if err := os.Remove(r.path("a.txt")); err != nil {
		t.Fatal(err)
	}
	if f := r.fail("write", args{"path": "a.txt", "content": "new\n"}); f.Kind != edits.Stale {
		t.Errorf("%s: %s", f.Kind, f.Message)
	}
	if got := r.edit("write", args{"path": "a.txt", "content": "new\n"}); got.Files[0].Change != "create" {
		t.Errorf("%+v", got)
	}
}

// A closed file that another program has written is merged as well.
func TestWholeTextOverAnotherProgram(t *testing.T) {
	s := start(t, map[string]string{"a.txt": lines(1, 9)}, headless.Options{})
	run[view.View](s, "view", args{"path": "a.txt"})
	writeFile(t, s.path("a.txt"), "new\n"+lines(1, 9))
	got := s.edit("write", args{"path": "a.txt", "content": lines(1, 4) + "five\n" + lines(6, 9)})
	b, _ := s.Buffer(got.Files[0].URI)
	if want := "new\n" + lines(1, 4) + "five\n" + lines(6, 9); textOf(b) != want {
		t.Errorf("%q", textOf(b))
	}
	if note := strings.Join(got.Notes, ""); !strings.Contains(note, "Kept what another program has changed") {
		t.Error(note)
	}
}

// What the agent's own shell has done to the file stands in what it sends. The lines that it was never shown do not
// go, though it may know them from its shell, too.
func TestWholeTextAfterTheAgentsOwnShell(t *testing.T) {
	for shown, fails := range map[int]bool{9: false, 3: true} {
		s := start(t, map[string]string{"a.txt": lines(1, 9)}, headless.Options{})
		run[view.View](s, "view", args{"path": "a.txt", "end_line": shown})
		writeFile(t, s.path("a.txt"), "ONE\nTWO\n"+lines(3, 9))
		want := "ONE\nTWO\n" + lines(3, 7) + "eight\n"
		if fails {
			if f := s.fail("write", args{"path": "a.txt", "content": want}); f.Kind != edits.Stale || !strings.Contains(f.Message, "lines 8-9") {
				t.Errorf("%s: %s", f.Kind, f.Message)
			}
			continue
		}
		got := s.edit("write", args{"path": "a.txt", "content": want})
		if b, _ := s.Buffer(got.Files[0].URI); textOf(b) != want {
			t.Errorf("%q", textOf(b))
		}
	}
}

// byNumber are commands that name line 2, or the place after it, by its number.
var byNumber = map[string]args{
	"edit_lines":         {"edits": []args{{"from": 2, "to": 2, "content": "new"}}},
	"delete_lines":       {"start_line": 2, "end_line": 2},
	"insert":             {"after_line": 2, "content": "new"},
	"edit_file":          {"delete_lines": args{"start": 2, "end": 2}},
	"str_replace_editor": {"command": "insert", "insert_line": 2, "insert_text": "new"},
	"text_editor":        {"action": "patch", "edits": []args{{"from": 2, "to": 2, "content": "new"}}},
}

// A number without a rev is that of the line that the agent saw.
func TestNumbersAreThoseThatTheAgentSaw(t *testing.T) {
	for command, a := range byNumber {
		t.Run(command, func(t *testing.T) {
			r := seeing(t, lines(1, 9), 1, -1)
			r.types("line 1\n", "typed\nline 1\n")
			a := with(a, "path", "a.txt")
			got := r.edit(command, a)
			want := map[string]string{"insert": "line 1\nline 2\nnew\n", "str_replace_editor": "line 1\nline 2\nnew\n", "delete_lines": "line 1\n", "edit_file": "line 1\n"}[command]
			r.wants("typed\n" + cmp.Or(want, "line 1\nnew\n") + lines(3, 9))
			const note = "The text has changed since it was shown: its line 2 is line 3 now."
			if said := got.Message + strings.Join(got.Notes, ""); !got.Rebased || !strings.Contains(said, note) {
				t.Errorf("rebased %v, %q", got.Rebased, said)
			}
			if native := got.Message; strings.HasSuffix(command, "lines") && !strings.HasPrefix(native, note) {
				t.Errorf("%q", native)
			}
		})
	}
}

// A number without a rev is refused if the line, or one beside it, is another now.
func TestNumbersOfChangedLinesAreStale(t *testing.T) {
	for name, typed := range map[string][2]string{
		"the line":       {"line 2", "line two"},
		"the line above": {"line 1", "line one"},
		"a line below":   {"line 2\n", "line 2\ntyped\n"},
		"gone":           {"line 2\n", ""},
	} {
		for command, a := range byNumber {
			t.Run(name+", "+command, func(t *testing.T) {
				r := seeing(t, lines(1, 9), 1, -1)
				r.types(typed[0], typed[1])
				a := with(a, "path", "a.txt")
				for range 2 { // sent again, it is refused again
					if f := r.stale(command, a); !strings.Contains(f.Snippet, "     2\t") {
						t.Errorf("%q", f.Snippet)
					}
				}
				rev := r.views(1, -1).Rev
				if command == "text_editor" || command == "edit_file" {
					rev = ""
				}
				r.edit(command, with(a, "rev", rev))
			})
		}
	}
}

// An agent that has seen nothing counts the lines of the present text. One that has seen another part of it does
// too, as long as no number that it knows has moved.
func TestNumbersOfLinesThatTheAgentHasNotSeen(t *testing.T) {
	s := start(t, map[string]string{"a.txt": lines(1, 20)}, headless.Options{})
	r := reader{s, s.open("a.txt")}
	r.types("line 1\n", "typed\nline 1\n")
	got := r.edit("delete_lines", args{"path": "a.txt", "start_line": 3, "end_line": 3})
	r.wants("typed\nline 1\n" + lines(3, 20))
	if !strings.Contains(got.Files[0].Snippet, "     2\tline 1\n     3\tline 3\n") {
		t.Errorf("%q", got.Files[0].Snippet)
	}
	r.edit("delete_lines", args{"path": "a.txt", "start_line": 15, "end_line": 15})
	r.types("line 1\n", "typed\nline 1\n")
	r.edit("str_replace", args{"path": "a.txt", "old_str": "line 19", "new_str": "nineteen"})
	r.stale("delete_lines", args{"path": "a.txt", "start_line": 11, "end_line": 11}) // was it counted before or after?
	r.edit("delete_lines", args{"path": "a.txt", "start_line": 19, "end_line": 19})  // the answer showed it
}

// The lines around an insertion at the top and at the end count as well.
func TestNumbersAtTheEnds(t *testing.T) {
	r := seeing(t, lines(1, 3), 1, -1)
	r.types("line 2", "line two")
	r.edit("insert", args{"path": "a.txt", "after_line": 0, "content": "top"})
	end := args{"path": "a.txt", "edits": []args{{"from": 5, "content": "end"}}}
	r.edit("edit_lines", end) // the answer showed all
	r.types("line 3\n", "line 3\ntyped\n")
	end["edits"] = []args{{"from": 6, "content": "end"}}
	r.stale("edit_lines", end)
	r.wants("top\nline 1\nline two\nline 3\ntyped\nend\n")
	if f := r.fail("insert", args{"path": "a.txt", "before_line": 8, "content": "x"}); f.Kind != edits.LineOutOfRange {
		t.Errorf("%s: %s", f.Kind, f.Message)
	}
}

// An agent that edits above a last line that the user has deleted still counts that line, unless the answer shows the end.
func TestNumberOfALastLineThatHasGone(t *testing.T) {
	r := seeing(t, lines(1, 16), 1, -1)
	r.types("line 16\n", "")
	r.edit("delete_lines", args{"path": "a.txt", "start_line": 8, "end_line": 10})
	end := args{"path": "a.txt", "edits": []args{{"from": 13, "content": "end"}}}
	r.stale("edit_lines", end)
	r = seeing(t, lines(1, 16), 1, -1)
	r.types("line 16\n", "")
	r.edit("delete_lines", args{"path": "a.txt", "start_line": 11, "end_line": 13})
	r.edit("edit_lines", end)
	r.wants(lines(1, 10) + lines(14, 15) + "end\n")
}

// The error for a whole text shows all that its rev says that the agent has seen: what others have changed, too.
func TestRefusedWholeTextShowsAllThatIsNew(t *testing.T) {
	r := seeing(t, lines(1, 12), 1, 9)
	r.types("line 2\n", "line two\n")
	f := r.stale("write", args{"path": "a.txt", "content": lines(1, 8) + "nine\n"})
	for _, want := range []string{"     2\tline two", "    12\tline 12"} {
		if !strings.Contains(f.Snippet, want) {
			t.Errorf("%q lacks %q", f.Snippet, want)
		}
	}
}

// What the user has not saved stays, though the server was started after it was typed.
func TestWholeTextOfAnAgentThatSawNothingOfADirtyText(t *testing.T) {
	s := start(t, map[string]string{"a.txt": lines(1, 5)}, headless.Options{})
	b, err := s.OpenText("file://"+s.path("a.txt"), "plaintext", lines(1, 4)+"typed\n"+lines(5, 5))
	if err != nil {
		t.Fatal(err)
	}
	r := reader{s, b}
	r.stale("write", args{"path": "a.txt", "content": "all new\n"})
	r.edit("write", args{"path": "a.txt", "content": lines(1, 1) + "two\n" + lines(3, 5)})
	r.wants(lines(1, 1) + "two\n" + lines(3, 4) + "typed\n" + lines(5, 5))
}

// A save does not show the text to an agent that has seen a part of it.
func TestWholeTextOfAPartAfterASave(t *testing.T) {
	r := seeing(t, lines(1, 30), 1, 5)
	r.types("line 3\n", "line three\n")
	r.views(1, 5)
	if err := r.b.Save(); err != nil {
		t.Fatal(err)
	}
	r.stale("write", args{"path": "a.txt", "content": lines(1, 2) + "3\n" + lines(4, 5)})
}

// An error shows lines with numbers of the present text. A number that means another line there than in the text
// that the agent saw is refused.
func TestNumbersThatAnErrorShowedNeedARev(t *testing.T) {
	patch := func(parts string) args { return args{"patch": "*** Begin Patch\n" + parts + "*** End Patch\n"} }
	const part = "*** Update File: a.txt\n@@\n-line 4 and more\n+new\n"
	shows := map[string]func(r reader){
		"delete_lines": func(r reader) { r.stale("delete_lines", args{"path": "a.txt", "start_line": 8, "end_line": 8}) },
		"str_replace": func(r reader) {
			r.fail("str_replace", args{"path": "a.txt", "old_str": "line 4 and more", "new_str": "new"})
		},
		"a patch":                  func(r reader) { r.fail("apply_patch", patch(part)) },
		"a patch of several files": func(r reader) { r.fail("apply_patch", patch("*** Delete File: gone.txt\n"+part)) },
		"undo":                     func(r reader) { r.fail("undo", args{}) },
	}
	for name, show := range shows {
		for command, a := range byNumber {
			t.Run(name+"/"+command, func(t *testing.T) {
				r := seeing(t, lines(1, 9), 1, -1)
				r.edit("str_replace", args{"path": "a.txt", "old_str": "line 8", "new_str": "eighth"})
				r.types("line 1\n", "typed\nline 1\n")
				r.types("eighth", "eight")
				show(r)
				r.stale(command, with(a, "path", "a.txt"))
			})
		}
	}
}

// The tools of other programs have no rev, so their errors do not ask for one: what they do ask for helps.
func TestErrorsAskForWhatAToolHas(t *testing.T) {
	sent := lines(1, 2) + "three\n" + lines(4, 9)
	for name, call := range map[string]func() (string, args){
		"write_file":  func() (string, args) { return writers["write_file"]("a.txt", sent) },
		"text_editor": func() (string, args) { return writers["text_editor"]("a.txt", sent) },
		"patch":       func() (string, args) { return "text_editor", with(byNumber["text_editor"], "path", "a.txt") },
		"edit_file":   func() (string, args) { return "edit_file", with(byNumber["edit_file"], "path", "a.txt") },
		"str_replace_editor": func() (string, args) {
			return "str_replace_editor", with(byNumber["str_replace_editor"], "path", "a.txt")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := seeing(t, lines(1, 9), 1, -1)
			r.types("line 2\nline 3", "line two\nline 3 by the user")
			command, a := call()
			f := r.stale(command, a)
			if strings.Contains(f.Message, f.Rev) || !strings.Contains(f.Message, " again") && !strings.Contains(f.Message, "re-read") {
				t.Errorf("the error is %q", f.Message)
			}
			r.views(1, -1)
			r.edit(command, a)
		})
	}
	for _, whole := range []string{"write_file", "text_editor"} {
		r := seeing(t, lines(1, 9), 1, -1)
		r.types("line 9\n", "line 9\ntyped\n")
		f := r.fail(writers[whole]("a.txt", lines(1, 9)))
		if f.Kind != edits.NoChange || strings.Contains(f.Message, f.Rev) {
			t.Errorf("%s: %s: %q", whole, f.Kind, f.Message)
		}
	}
}

// A number that only an error has shown is none of the text that the agent sees next: the user has moved lines
// between the two, and none of those that the agent saw.
func TestNumberThatOnlyAnErrorShowedIsOfThatText(t *testing.T) {
	moves := func(r reader) { r.types(lines(1, 4), "line 4\n"+lines(1, 3)) }
	errs := map[string]func(r reader){
		"write":      func(r reader) { r.stale("write", args{"path": "a.txt", "content": lines(5, 6)}) },
		"edit_lines": func(r reader) { r.fail("edit_lines", args{"path": "a.txt", "edits": []args{{"from": 3, "to": 1}}}) },
		"apply_patch": func(r reader) {
			r.fail("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 3 and more\n+new\n*** End Patch\n"})
		},
	}
	meets := map[string]func(r reader){
		"view": func(r reader) { r.views(20, 21) },
		"str_replace": func(r reader) {
			r.edit("str_replace", args{"path": "a.txt", "old_str": "line 20", "new_str": "twenty"})
		},
	}
	for name, shows := range errs {
		for after, meet := range meets {
			for command, a := range byNumber {
				t.Run(name+"/"+after+"/"+command, func(t *testing.T) {
					r := seeing(t, lines(1, 30), 5, 6)
					shows(r)
					moves(r)
					meet(r)
					r.stale(command, with(a, "path", "a.txt"))
				})
			}
		}
	}
}

// While the text is the same, what an error showed counts, whatever else of it the agent sees.
func TestNumberThatAnErrorShowedOfTheSameText(t *testing.T) {
	for command, a := range byNumber {
		r := seeing(t, lines(1, 30), 5, 6)
		r.stale("write", args{"path": "a.txt", "content": lines(5, 6)})
		r.views(20, 21)
		if command != "text_editor" { // which changes only lines that were read
			r.edit(command, with(a, "path", "a.txt"))
		}
	}
}

// A number that the agent no longer knows is not known by the line above it.
func TestNumberBesideAKnownOneIsNotKnown(t *testing.T) {
	r := seeing(t, lines(1, 9), 1, -1)
	r.types("line 1\n", "line 1\ntyped\n")
	r.views(4, 5)
	r.stale("insert", args{"path": "a.txt", "before_line": 6, "content": "x"}) // before line 6, or before line 5?
	r.edit("insert", args{"path": "a.txt", "after_line": 5, "content": "x"})
	r.wants("line 1\ntyped\n" + lines(2, 4) + "x\n" + lines(5, 9))
}

// An edit that is planned again, because the user types before it is made, is rebased, whatever it names its place by.
func TestEditThatIsPlannedAgainIsRebased(t *testing.T) {
	calls := map[string]args{"str_replace": {"old_str": "line 2", "new_str": "new"}, "write": {"content": lines(1, 8) + "nine\n"}}
	maps.Copy(calls, byNumber)
	for command, a := range calls {
		var types func()
		s := start(t, map[string]string{"a.txt": lines(1, 9)}, headless.Options{
			Habits: personas.Decides(func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next simNext) (headless.ApplyEditResult, error) {
				if does := types; does != nil {
					types = nil
					does()
				}
				return next(p), nil
			}),
		})
		r := reader{s, s.open("a.txt")}
		r.views(1, -1)
		types = func() { r.types("line 6\n", "line 6\ntyped\n") }
		if got := r.edit(command, with(a, "path", "a.txt")); !got.Rebased || !strings.Contains(textOf(r.b), "typed") {
			t.Errorf("%s: rebased %v, %q", command, got.Rebased, textOf(r.b))
		}
	}
}
