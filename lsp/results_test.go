package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// The members of a result and their order are the contract's (docs/build/results.md).
func TestResultIsAsInTheContract(t *testing.T) {
	s := start(t, map[string]string{"src/a.go": "1\n2\n3\n4\n5\n6\n7\n"}, headless.Options{})
	b := s.open("src/a.go")
	raw, err := s.Execute(context.Background(), "patchls.str_replace", args{"path": "src/a.go", "old_str": "6", "new_str": "six\nand more"})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"message":"Replaced 1 occurrence in src/a.go at line 6.",` +
		`"applied":true,"verified":true,"rebased":false,"edit_id":"e1","notes":[],` +
		`"files":[{"path":"src/a.go","uri":` + quote(b.URI()) + `,"change":"update","new_path":"",` +
		`"rev":` + quote(revOf(s, b.Text())) + `,"version":2,"open":true,"dirty":true,"saved":false,"total_lines":8,` +
		`"hunks":[{"start_line":6,"end_line":7,"old_lines":1,"new_lines":2,"match":"exact"}],` +
		`"snippet":"     2\t2\n     3\t3\n     4\t4\n     5\t5\n     6\tsix\n     7\tand more\n     8\t7"}],` +
		`"diff":"--- a/src/a.go\n+++ b/src/a.go\n@@ -3,5 +3,6 @@\n 3\n 4\n 5\n-6\n+six\n+and more\n 7\n"}`
	if string(raw) != want {
		t.Errorf("got\n%s\nwant\n%s", raw, want)
	}
}

func TestViewIsAsInTheContract(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\r\ntwo\r\nthree"}, headless.Options{})
	raw, err := s.Execute(context.Background(), "patchls.view", args{"path": "a.txt", "start_line": 2})
	if err != nil {
		t.Fatal(err)
	}
	b := s.open("a.txt")
	want := `{"path":"a.txt","uri":` + quote(b.URI()) + `,"rev":` + quote(revOf(s, b.Text())) + `,"version":0,"open":false,"dirty":false,` +
		`"eol":"crlf","final_newline":false,"total_lines":3,"start_line":2,"end_line":3,"notes":[],"text":"     2\ttwo\n     3\tthree"}`
	if string(raw) != want {
		t.Errorf("got\n%s\nwant\n%s", raw, want)
	}
}

func TestErrorIsAsInTheContract(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "x\né x\n"}, headless.Options{})
	rev := run[view.View](s, "view", args{"path": "a.txt"}).Rev
	f := s.fail("str_replace", args{"path": "a.txt", "old_str": "x", "new_str": "y"})
	want := transaction.ErrorData{Kind: "multiple_matches", Path: "a.txt", Rev: rev, Matches: []edits.Match{
		{Line: 1, Column: 1, Context: &edits.ContextLine{Line: 2, Text: "é x"}},
		{Line: 2, Column: 3, Context: &edits.ContextLine{Line: 1, Text: "x"}},
	}}
	if !reflect.DeepEqual(f.ErrorData, want) || f.Code != -32803 {
		t.Errorf("got %d %+v, want %+v", f.Code, f.ErrorData, want)
	}
}

// rev is the same for the same text, open or closed, and changes with it.
func TestRevNamesTheText(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{})
	rev := func() string { return run[view.View](s, "view", args{"path": "a.txt"}).Rev }
	closed := rev()
	b := s.open("a.txt")
	if open := rev(); open != closed || open == "" || len(open) > 64 {
		t.Errorf("closed %q, open %q", closed, open)
	}
	r := s.edit("insert", args{"path": "a.txt", "after_line": 1, "content": "two", "rev": closed})
	if now := rev(); now == closed || now != r.Files[0].Rev {
		t.Errorf("before %q, result %q, now %q", closed, r.Files[0].Rev, now)
	}
	b.Undo()
	if back := rev(); back != closed {
		t.Errorf("after undo %q, want %q", back, closed)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{})
	b := s.open("a.txt")
	r := s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two", "dry_run": true})
	if r.Applied || r.Verified || r.EditID != "" || b.Text() != "one\n" || b.Version() != 1 {
		t.Errorf("%+v, buffer %q version %d", r, b.Text(), b.Version())
	}
	if len(r.Files[0].Edits) == 0 || !strings.Contains(r.Diff, "-one\n+two\n") || r.WorkspaceEdit != nil {
		t.Errorf("%+v", r)
	}
}

func TestCreateMakesABufferAndNoFile(t *testing.T) {
	for _, content := range []string{"one\ntwo\n", "no newline", ""} {
		t.Run(fmt.Sprintf("%q", content), func(t *testing.T) {
			s := start(t, nil, headless.Options{})
			r := s.edit("create", args{"path": "new/dir/a.txt", "content": content})
			f := r.Files[0]
			if !r.Verified || f.Change != "create" || !f.Open || !f.Dirty || f.Path != "new/dir/a.txt" {
				t.Errorf("%+v", r)
			}
			b, ok := s.Buffer("new/dir/a.txt")
			if !ok || b.Text() != content {
				t.Fatalf("buffer %v", b)
			}
			if _, err := os.Stat(s.path("new")); !os.IsNotExist(err) {
				t.Errorf("something is on disk: %v", err)
			}
			if err := b.Save(); err != nil {
				t.Fatal(err)
			}
			if got := s.disk("new/dir/a.txt"); got != content {
				t.Errorf("saved %q", got)
			}
		})
	}
}

func TestCreateSaysHowManyLines(t *testing.T) {
	s := start(t, nil, headless.Options{})
	r := s.edit("create", args{"path": "a.txt", "content": "one\ntwo\n"})
	if want := "Created a.txt (2 lines)."; r.Message != want {
		t.Errorf("%q, want %q", r.Message, want)
	}
	if !strings.HasPrefix(r.Diff, "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n") {
		t.Errorf("diff %q", r.Diff)
	}
	r = s.edit("write", args{"path": "b.txt", "content": "one\n"})
	if want := "Created b.txt (1 line)."; r.Message != want {
		t.Errorf("%q, want %q", r.Message, want)
	}
}

func TestViewBounds(t *testing.T) {
	s := start(t, map[string]string{
		"many.txt": strings.Repeat("x\n", 2500),
		"wide.txt": strings.Repeat("é", 2001) + "\n" + strings.Repeat("é", 2000) + "\n",
		"big.txt":  strings.Repeat(strings.Repeat("y", 999)+"\n", 200),
		"empty":    "",
	}, headless.Options{})
	for name, test := range map[string]struct {
		args            args
		end, total      int
		next            int
		note, text      string
		textIsOnlyBegin bool
	}{
		"19 KB of lines":     {args: args{"path": "many.txt"}, end: 1727, total: 2500, next: 1728},
		"the rest":           {args: args{"path": "many.txt", "start_line": 1728}, end: 2500, total: 2500},
		"a long line":        {args: args{"path": "wide.txt", "end_line": 1}, end: 1, total: 2, note: "cropped at 2000", text: "     1\t" + strings.Repeat("é", 2000) + "…"},
		"a line at the edge": {args: args{"path": "wide.txt", "start_line": 2}, end: 2, total: 2, text: "     2\t" + strings.Repeat("é", 2000)},
		"19 KB":              {args: args{"path": "big.txt"}, end: 18, total: 200, next: 19},
		"end past the text":  {args: args{"path": "wide.txt", "start_line": 2, "end_line": 9}, end: 2, total: 2, note: "2 lines"},
		"each filled in":     {args: args{"path": "wide.txt", "start_line": 0, "end_line": 0}, end: 2, total: 2, note: "cropped at 2000"},
		"nothing":            {args: args{"path": "empty"}, end: 0, total: 0},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			v := run[view.View](s, "view", test.args)
			notes := strings.Join(v.Notes, " ")
			if v.EndLine != test.end || v.NextLine != test.next || v.TotalLines != test.total || !strings.Contains(notes, test.note) || (test.note == "") != (notes == "") {
				t.Errorf("end %d, next %d, total %d, notes %q", v.EndLine, v.NextLine, v.TotalLines, notes)
			}
			if test.text != "" && v.Text != test.text {
				t.Errorf("text %q", v.Text)
			}
		})
	}
}

func TestViewOfADirectory(t *testing.T) {
	s := start(t, map[string]string{"a/b/c.txt": "", "a/d.txt": "", ".hidden/x": "", "e.txt": ""}, headless.Options{})
	v := run[view.View](s, "view", args{"path": "."})
	if want := "a/\ne.txt\na/b/\na/d.txt"; v.Text != want {
		t.Errorf("%q, want %q", v.Text, want)
	}
}

// Only the differences are sent, and nothing past the last line's end.
func TestSentEditsAreMinimal(t *testing.T) {
	for name, test := range map[string]struct {
		before  string
		command string
		args    args
		want    string
	}{
		"inside a line":    {"call(a, b)\n", "str_replace", args{"old_str": "call(a, b)", "new_str": "call(a, c)"}, `[{"range":{"start":{"line":0,"character":8},"end":{"line":0,"character":9}},"newText":"c"}]`},
		"append":           {"a\nb\n", "insert", args{"after_line": 2, "content": "c"}, `[{"range":{"start":{"line":1,"character":1},"end":{"line":1,"character":1}},"newText":"\nc"}]`},
		"append, crlf":     {"a\r\nb\r\n", "insert", args{"after_line": 2, "content": "c"}, `[{"range":{"start":{"line":1,"character":1},"end":{"line":1,"character":1}},"newText":"\r\nc"}]`},
		"delete last line": {"a\nb\n", "delete_lines", args{"start_line": 2, "end_line": 2}, `[{"range":{"start":{"line":0,"character":1},"end":{"line":1,"character":1}},"newText":""}]`},
		"after an emoji":   {"😀x\n", "str_replace", args{"old_str": "x", "new_str": "y"}, `[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":3}},"newText":"y"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, nil, headless.Options{Encodings: []string{"utf-16"}})
			b, err := s.OpenText("untitled:x", "plaintext", test.before)
			if err != nil {
				t.Fatal(err)
			}
			test.args["path"], test.args["dry_run"] = b.URI(), true
			got, err := json.Marshal(s.edit(test.command, test.args).Files[0].Edits)
			if err != nil || string(got) != test.want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, test.want)
			}
		})
	}
}

// The diff of a new file is that of its text, also where less is sent because the editor
// has a newline in every buffer.
func TestDiffOfANewFile(t *testing.T) {
	for _, p := range personas.All() {
		bubble(t, func(t *testing.T) {
			s := startInBubble(t, nil, p.Options(headless.Options{}))
			defer func() { _ = s.Close() }()
			r := s.edit("create", args{"path": "new.txt", "content": "x\n"})
			if want := "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n"; r.Diff != want {
				t.Errorf("%s: the diff is %q", p.Name, r.Diff)
			}
		})
	}
}
