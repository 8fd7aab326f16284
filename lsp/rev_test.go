package lsp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/view"
)

// based are calls that are based on a text which their caller has seen, by command. They change line 2.
var based = map[string][]args{
	"insert":       {{"after_line": 2, "content": "new"}, {"before_line": 2, "content": "new"}},
	"delete_lines": {{"start_line": 2, "end_line": 2}},
	"edit_lines":   {{"edits": []args{{"from": 2, "to": 2, "content": "new"}}}},
	"create":       {{"content": "line 1\nnew\n" + lines(3, 9), "overwrite": true}},
	"write":        {{"content": "line 1\nnew\n" + lines(3, 9)}},
	"write_file":   {{"content": "line 1\nnew\n" + lines(3, 9)}},
	"edit_file":    {{"insert_after_line": 2, "content": "new"}, {"delete_lines": args{"start": 2, "end": 2}}},
	"text_editor": {
		{"action": "write", "content": "line 1\nnew\n" + lines(3, 9)},
		{"action": "patch", "edits": []args{{"from": 2, "to": 2, "content": "new"}}},
	},
	"str_replace_editor": {{"command": "insert", "insert_line": 2, "insert_text": "new"}},
}

// others are calls of the same tools that are not.
var others = map[string][]args{
	"create":      {{"content": "new\n"}},
	"edit_file":   {{"old_text": "line 2", "new_text": "new"}},
	"text_editor": {{"action": "patch", "old_text": "line 2", "new_text": "new"}, {"action": "patch", "patch_text": "@@\n-line 2\n+new"}},
	"str_replace_editor": {
		{"command": "create", "file_text": "new\n"},
		{"command": "str_replace", "old_str": "line 2", "new_str": "new"},
	},
}

// A rev changes what a call does, or the call is refused. The rev of another document, or of no text at all, is an error.
func TestRevIsUsedOrRefused(t *testing.T) {
	for _, c := range lsp.Commands {
		arguments := c.Arguments()
		takes := slices.ContainsFunc(arguments, func(a schema.Member) bool { return a.Name == "rev" })
		if takes != (based[c.Name] != nil) && c.Name != "apply_document" { // whose rev has tests of its own
			t.Errorf("%s takes rev: %v", c.Name, takes)
		}
		if says := strings.Contains(c.Doc, lsp.ByLine) || strings.Contains(c.Doc, lsp.Whole); says != (based[c.Name] != nil) {
			t.Errorf("%s says that it is based on what its caller saw: %v", c.Name, says)
		}
	}
	for command, calls := range based {
		for i, a := range calls {
			t.Run(fmt.Sprint(command, i), func(t *testing.T) {
				start := func() (reader, string) {
					r := seeing(t, lines(1, 9), 1, -1)
					rev := r.views(1, -1).Rev
					r.types("line 1\n", "typed\nline 1\n")
					r.views(1, -1) // so that numbers are those of this text
					return r, rev
				}
				a := with(a, "path", "a.txt")
				r, rev := start()
				r.edit(command, with(a, "rev", rev))
				then := textOf(r.b)
				if !strings.HasPrefix(then, "typed\nline 1\n") {
					t.Errorf("with the rev of what it saw, the text is %q", then)
				}
				if r, _ = start(); true {
					r.edit(command, a)
				}
				if now := textOf(r.b); now == then {
					t.Errorf("without the rev, the text is %q too", now)
				}
				r, _ = start()
				for _, rev := range []string{"nonsense", revOf(r.session, "another\n")} {
					r.stale(command, with(a, "rev", rev))
				}
			})
		}
	}
	for command, calls := range others {
		for _, a := range calls {
			s := start(t, map[string]string{"a.txt": lines(1, 9)}, headless.Options{})
			if f := s.fail(command, with(with(a, "path", "a.txt"), "rev", revOf(s, lines(1, 9)))); f.Kind != edits.InvalidParams {
				t.Errorf("%s %v: %s: %s", command, a, f.Kind, f.Message)
			}
		}
	}
}

// The rev of a text that the agent was shown carries its lines in a file that no editor has open, too, also after edits
// of its own and of others.
func TestRevOfAClosedFile(t *testing.T) {
	s := start(t, map[string]string{"a.txt": lines(1, 9)}, headless.Options{})
	rev := run[view.View](s, "view", args{"path": "a.txt"}).Rev
	insert := func(after int, content string) {
		s.edit("insert", args{"path": "a.txt", "after_line": after, "content": content, "rev": rev, "save": true})
		for _, b := range s.Buffers() {
			b.Close()
		}
	}
	insert(1, "new 1")
	writeFile(t, s.path("a.txt"), "top\n"+s.disk("a.txt"))
	insert(3, "new 3")
	insert(5, "new 5")
	s.edit("write", args{"path": "a.txt", "rev": rev, "content": strings.Replace(lines(1, 9), "line 8", "line eight", 1), "save": true})
	if got, want := s.disk("a.txt"), "top\nline 1\nnew 1\nline 2\nline 3\nnew 3\nline 4\nline 5\nnew 5\n"+lines(6, 7)+"line eight\nline 9\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
