package lsp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// reader is an agent that uses text_editor on one open file.
type reader struct {
	*session
	b *headless.Buffer
}

// startReader starts a session with the lines 1, 2 … 20 in a.txt, and reads it.
func startReader(t *testing.T) reader {
	t.Helper()
	s := startTool(t, map[string]string{"a.txt": lines(1, 20)})
	r := reader{s, s.open("a.txt")}
	r.reads(args{})
	return r
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func (r reader) reads(a args) reference.Reading {
	r.t.Helper()
	a["action"], a["path"] = "read", "a.txt"
	return run[reference.Reading](r.session, "text_editor", a)
}

func patch(list ...args) args { return args{"action": "patch", "path": "a.txt", "edits": list} }

func (r reader) patches(list ...args) transaction.Result {
	r.t.Helper()
	return r.edit("text_editor", patch(list...))
}

// types has the user replace old by new.
func (r reader) types(old, put string) {
	r.t.Helper()
	at := strings.Index(textOf(r.b), old)
	if at < 0 {
		r.t.Fatalf("%q is not in the text", old)
	}
	if err := r.b.Replace(at, at+len(old), put); err != nil {
		r.t.Fatal(err)
	}
}

func (r reader) wants(text string) {
	r.t.Helper()
	if got := textOf(r.b); got != text {
		r.t.Errorf("the text is\n%s\nwant\n%s", got, text)
	}
}

// isStale has a line edit refused; the text stays.
func (r reader) isStale(why string, edit args) failure {
	r.t.Helper()
	before := textOf(r.b)
	f := r.fail("text_editor", patch(edit))
	if f.Kind != edits.Stale || f.Message != "error patching a.txt: "+why {
		r.t.Errorf("%v fails with %s: %q, want stale: %q", edit, f.Kind, f.Message, why)
	}
	r.wants(before)
	return f
}

const (
	unread  = "read file before patching - line numbers unknown"
	changed = "file changed since last read - re-read to get current line numbers"
)

// A16: what was read is fresh, and stale when it has changed; from outside.
func TestA16ReadIsFreshUntilTheLineChanges(t *testing.T) {
	r := startReader(t)
	r.patches(args{"from": 5, "to": 5, "content": "five"})
	r.types("line 7", "line seven")
	f := r.isStale(changed, args{"from": 7, "to": 7, "content": "x"})
	if !strings.Contains(f.Snippet, "     7\tline seven\n") {
		t.Errorf("the error does not show the line as it is now: %q", f.Snippet)
	}
	r.reads(args{})
	r.patches(args{"from": 7, "to": 7, "content": "x"})
}

// A17: a refused edit stays refused until the file is read again.
func TestA17StaleUntilReadAgain(t *testing.T) {
	r := startReader(t)
	r.types("line 7", "line seven")
	for range 2 {
		r.isStale(changed, args{"from": 7, "to": 7, "content": "x"})
	}
	r.patches(args{"from": 9, "to": 9, "content": "nine"}) // another line is as it was
}

// A18, R5: an edit of one line into one line keeps the rest fresh, and edits can be chained.
func TestA18OneForOneChains(t *testing.T) {
	r := startReader(t)
	r.patches(args{"from": 5, "to": 5, "content": "five"})
	r.patches(args{"from": 5, "to": 5, "content": "FIVE"})
	r.patches(args{"from": 6, "to": 6, "content": "six"})
	r.wants(lines(1, 4) + "FIVE\nsix\n" + lines(7, 20))
}

// A19, R6: after an insertion the tool demands a read (W2-15); the numbers that
// follow from the agent's own edit are good here.
func TestA19AnInsertionKeepsTheAgentsNumbers(t *testing.T) {
	r := startReader(t)
	r.patches(args{"from": 5, "content": "new\nlines"})
	r.patches(args{"from": 12, "to": 12, "content": "ten"})
	r.wants(lines(1, 4) + "new\nlines\n" + lines(5, 9) + "ten\n" + lines(11, 20))
}

// A20: a read by one agent does not count for another: each has a connection of its own.
func TestA20EachAgentReadsForItself(t *testing.T) {
	r := startReader(t)
	other := start(t, nil, headless.Options{Roots: []string{r.root}})
	f := other.fail("text_editor", args{"action": "patch", "path": r.path("a.txt"), "edits": []args{{"from": 1, "to": 1, "content": "x"}}})
	if f.Kind != edits.Stale || !strings.HasSuffix(f.Message, unread) {
		t.Errorf("%+v", f)
	}
}

// A24: write accepts the flag open_in_canvas. R4: the text that it wrote needs no read.
func TestA24WriteThenPatch(t *testing.T) {
	s := startTool(t, nil)
	w := s.edit("text_editor", args{"action": "write", "path": "a.txt", "content": lines(1, 100), "open_in_canvas": true})
	if !w.Verified || w.Files[0].Change != "create" {
		t.Errorf("%+v", w)
	}
	b, _ := s.Buffer(w.Files[0].URI)
	r := reader{s, b}
	r.patches(args{"from": 60, "to": 60, "content": "sixty"})
	r.wants(lines(1, 59) + "sixty\n" + lines(61, 100))
	// This also holds over a text that the agent never read: it knows all of what it wrote.
	writeFile(t, s.path("b.txt"), lines(1, 50))
	s.edit("text_editor", args{"action": "write", "path": "b.txt", "content": "new\n" + lines(1, 50)})
	s.edit("text_editor", args{"action": "patch", "path": "b.txt", "edits": []args{{"from": 40, "to": 40}}})
}

// A21, A26: a context patch needs no read. The tool took what was read for stale after
// one; here the shift is known. A context patch that is refused changes nothing.
func TestA26AContextPatchLeavesTheNumbers(t *testing.T) {
	r := startReader(t)
	if f := r.fail("text_editor", args{"action": "patch", "path": "a.txt", "patch_text": "@@ nowhere\n+x"}); f.Kind != edits.AnchorNotFound {
		t.Errorf("%+v", f)
	}
	r.patches(args{"from": 2, "to": 2, "content": "two"})
	r.edit("text_editor", args{"action": "patch", "path": "a.txt", "patch_text": "@@ two\n+and more"})
	r.patches(args{"from": 3, "to": 3, "content": "and no more"})
}

// A27: no line edit of a text that was not read; any other edit needs none.
func TestA27LineEditsNeedARead(t *testing.T) {
	s := startTool(t, map[string]string{"a.txt": lines(1, 20)})
	r := reader{s, s.open("a.txt")}
	r.isStale(unread, args{"from": 5, "to": 5, "content": "x"})
	r.isStale(unread, args{"from": 1, "content": "x"})

	s = startTool(t, map[string]string{"a.txt": lines(1, 20)})
	r = reader{s, s.open("a.txt")}
	r.edit("text_editor", args{"action": "patch", "path": "a.txt", "old_text": "line 5\n", "new_text": "five\nmore\n"})
	r.patches(args{"from": 6, "to": 6, "content": "six"})   // its own, which the answer showed
	r.patches(args{"from": 9, "to": 9, "content": "eight"}) // three lines below were shown
	r.isStale(unread, args{"from": 15, "to": 15, "content": "x"})
}

// A rev is proof of having seen the text as well.
func TestRevStandsForARead(t *testing.T) {
	s := startTool(t, map[string]string{"a.txt": lines(1, 20)})
	r := reader{s, s.open("a.txt")}
	p := patch(args{"from": 5, "to": 5, "content": "five"})
	p["rev"] = revOf(s, lines(1, 20))
	s.edit("text_editor", p)
	if f := s.fail("text_editor", p); f.Kind != edits.Stale {
		t.Errorf("an old rev is taken: %+v", f)
	}
	r.wants(lines(1, 4) + "five\n" + lines(6, 20))
}

// Lines that have only moved are found again, by their number as it was read.
func TestMovedLinesAreFoundAgain(t *testing.T) {
	for name, test := range map[string]struct {
		old, put string // what the user types
		edit     args
		want     string
		moved    bool
	}{
		"lines above":               {"line 2\n", "line 2\nnew\nnew 2\n", args{"from": 9, "to": 10, "content": "x"}, lines(1, 2) + "new\nnew 2\n" + lines(3, 8) + "x\n" + lines(11, 20), true},
		"lines gone above":          {"line 2\nline 3\n", "", args{"from": 9, "to": 10, "content": "x"}, lines(1, 1) + lines(4, 8) + "x\n" + lines(11, 20), true},
		"lines below":               {"line 12\n", "line 12\nnew\n", args{"from": 9, "to": 10, "content": "x"}, lines(1, 8) + "x\n" + lines(11, 12) + "new\n" + lines(13, 20), false},
		"a line further up changed": {"line 7\n", "line seven\nand more\n", args{"from": 9, "to": 9}, lines(1, 6) + "line seven\nand more\n" + lines(8, 8) + lines(10, 20), true},
		"insert before":             {"line 2\n", "line 2\nnew\n", args{"from": 9, "content": "x"}, lines(1, 2) + "new\n" + lines(3, 8) + "x\n" + lines(9, 20), true},
		"append":                    {"line 2\n", "line 2\nnew\n", args{"from": 21, "content": "x"}, lines(1, 2) + "new\n" + lines(3, 20) + "x\n", true},
		"crlf by the editor":        {lines(1, 20), strings.ReplaceAll("new\n"+lines(1, 20), "\n", "\r\n"), args{"from": 20, "to": 20}, strings.ReplaceAll("new\n"+lines(1, 19), "\n", "\r\n"), true},
	} {
		t.Run(name, func(t *testing.T) {
			r := startReader(t)
			r.types(test.old, test.put)
			got := r.patches(test.edit)
			r.wants(test.want)
			if !got.Rebased || (len(got.Notes) > 0) != test.moved {
				t.Errorf("rebased %v, notes %q", got.Rebased, got.Notes)
			}
		})
	}
}

// Lines that are no longer as they were read, in whole or in part, are not guessed at.
func TestChangedLinesAreNotFound(t *testing.T) {
	for name, test := range map[string]struct {
		old, put string
		edit     args
	}{
		"the line above":        {"line 8", "line eight", args{"from": 9, "to": 9, "content": "x"}},
		"the line below":        {"line 10", "line ten", args{"from": 9, "to": 9, "content": "x"}},
		"the line":              {"line 9", "line nine", args{"from": 9, "to": 9, "content": "x"}},
		"gone":                  {"line 9\n", "", args{"from": 9, "to": 9, "content": "x"}},
		"one of several":        {"line 9", "line nine", args{"from": 8, "to": 10, "content": "x"}},
		"a line between":        {"line 9\n", "line 9\nnew\n", args{"from": 9, "to": 10, "content": "x"}},
		"before a changed line": {"line 9", "line nine", args{"from": 9, "content": "x"}},
		"joined at the front":   {"line 9", "xline 9", args{"from": 9, "to": 9}},
		"joined at the end":     {"line 9\n", "line 9 ", args{"from": 9, "to": 9}},
		"appended below":        {"line 20\n", "line 20\nnew\n", args{"from": 21, "content": "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := startReader(t)
			r.types(test.old, test.put)
			r.isStale(changed, test.edit)
		})
	}
}

// After a change that the agent has not seen, its own edit elsewhere does not
// make its old numbers mean other lines.
func TestOwnEditDoesNotBlessNumbersThatMovedUnseen(t *testing.T) {
	r := startReader(t)
	r.types("line 2\n", "line 2\nnew\n")
	r.edit("str_replace", args{"path": "a.txt", "old_str": "line 15", "new_str": "fifteen"})
	r.patches(args{"from": 1, "to": 1, "content": "one"})  // its number was never another
	r.patches(args{"from": 16, "to": 16, "content": "15"}) // as the answer showed it
	r.isStale(changed, args{"from": 7, "to": 7})           // line 7 as read, or line 7 as it is?
	r.wants("one\nline 2\nnew\n" + lines(3, 14) + "15\n" + lines(16, 20))
}

// Every command that shows lines counts as reading them.
func TestEveryViewIsARead(t *testing.T) {
	for name, view := range map[string]func(s *session){
		"view": func(s *session) { run[view.View](s, "view", args{"path": "a.txt", "start_line": 4, "end_line": 6}) },
		"read_file": func(s *session) {
			run[reference.Reading](s, "read_file", args{"path": "a.txt", "start_line": 4, "end_line": 6})
		},
		"str_replace_editor": func(s *session) {
			run[reference.Reading](s, "str_replace_editor", args{"command": "view", "path": "a.txt", "view_range": []int{4, 6}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, map[string]string{"a.txt": lines(1, 20)}, headless.Options{})
			r := reader{s, s.open("a.txt")}
			view(s)
			r.isStale(unread, args{"from": 7, "to": 7})
			r.patches(args{"from": 5, "to": 5, "content": "five"})
		})
	}
}

// A dry run shows what would be, and changes nothing of what the agent knows.
func TestADryRunIsNoEditOfItsOwn(t *testing.T) {
	r := startReader(t)
	p := patch(args{"from": 2, "content": "new"})
	p["dry_run"] = true
	if got := r.edit("text_editor", p); got.Applied || !strings.HasPrefix(got.Message, "Dry run, nothing was changed: a.txt patched 1 edits applied 21 lines now\n>>>\n1 line 1\n2 new\n") {
		t.Errorf("%q", got.Message)
	}
	r.patches(args{"from": 3, "to": 3, "content": "three"})
	r.wants(lines(1, 2) + "three\n" + lines(4, 20))
}

// The newest of the texts that were read are remembered. Nothing is remembered of a
// text that was no file and no longer exists.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 201 {
		files[fmt.Sprintf("%d.txt", i)] = "a\n"
	}
	s := start(t, files, headless.Options{})
	read := func(path string) { run[reference.Reading](s, "text_editor", args{"action": "read", "path": path}) }
	edit := func(path string) args {
		return args{"action": "patch", "path": path, "edits": []args{{"from": 1, "to": 1, "content": "x"}}, "dry_run": true}
	}
	for i := range 200 {
		read(fmt.Sprintf("%d.txt", i))
	}
	read("0.txt") // and so it is the newest
	read("200.txt")
	if f := s.fail("text_editor", edit("1.txt")); f.Kind != edits.Stale {
		t.Errorf("%+v", f)
	}
	for _, path := range []string{"0.txt", "3.txt", "200.txt"} { // and 1.txt, whose error has shown it
		s.edit("text_editor", edit(path))
	}

	b, err := s.OpenText("untitled:x", "plaintext", "a\n")
	if err != nil {
		t.Fatal(err)
	}
	read("untitled:x")
	b.Close()
	if _, err := s.OpenText("untitled:x", "plaintext", "a\n"); err != nil {
		t.Fatal(err)
	}
	if f := s.fail("text_editor", edit("untitled:x")); f.Kind != edits.Stale || !strings.HasSuffix(f.Message, unread) {
		t.Errorf("%+v", f)
	}
}

// Among equal lines, a number still means one of them.
func TestNumbersAmongEqualLines(t *testing.T) {
	s := startTool(t, map[string]string{"a.txt": "}\n\n}\n\nx\n\n}\n"})
	r := reader{s, s.open("a.txt")}
	r.reads(args{})
	if err := r.b.Insert(0, "\n}\n"); err != nil {
		t.Fatal(err)
	}
	r.patches(args{"from": 7, "to": 7, "content": "last"}, args{"from": 5, "to": 5, "content": "y"})
	r.wants("\n}\n}\n\n}\n\ny\n\nlast\n")
}
