package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// offered is a code lens or a code action.
type offered struct {
	Range   struct{ Start struct{ Line int } }
	Title   string
	Command json.RawMessage
}

// command returns the title of what is offered, and its command's only argument.
func (o offered) command(t *testing.T) (title, name string, argument args) {
	t.Helper()
	var c struct {
		Title, Command string
		Arguments      []args
	}
	if err := json.Unmarshal(o.Command, &c); err != nil || len(c.Arguments) != 1 {
		t.Fatalf("%v: %s", err, o.Command)
	}
	return c.Title, c.Command, c.Arguments[0]
}

// ask sends a request about a document.
func ask[R any](s *session, method string, b *headless.Buffer, more args) R {
	s.t.Helper()
	params := args{"textDocument": args{"uri": b.URI()}}
	maps.Copy(params, more)
	var r R
	if err := s.Call(context.Background(), method, params, &r); err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
	return r
}

func lineRange(from, to int) args {
	return args{"start": args{"line": from, "character": 0}, "end": args{"line": to, "character": 0}}
}

// lensesOf returns the lenses of a document, each as its line, title and arguments.
func lensesOf(s *session, b *headless.Buffer) []string {
	var all []string
	for _, o := range ask[[]offered](s, "textDocument/codeLens", b, nil) {
		title, name, a := o.command(s.t)
		if name != "patchls.apply_document" || a["path"] != b.URI() {
			s.t.Errorf("%s runs %s of %v", title, name, a["path"])
		}
		if _, has := a["rev"]; has != (a["hunk"] != nil) {
			s.t.Errorf("%s has the rev %v", title, a["rev"])
		}
		delete(a, "rev")
		delete(a, "path")
		raw, _ := json.Marshal(a)
		all = append(all, fmt.Sprint(o.Range.Start.Line, " ", title, " ", string(raw)))
	}
	return all
}

const markdownPatches = "# Two patches\n\n```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n```\n\n*** Begin Patch\n*** Update File: b.txt\n@@\n-x\n+y\n@@\n-z\n+zz\n*** Delete File: a.txt\n*** End Patch\n\n```diff\n-just\n+shown\n```\n"

// The commands for a patch are offered where the patch stands.
func TestPatchesAreOffered(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "x\ny\n", "x.diff": twoHunks, "r.md": markdownPatches, "a.go": twoHunks}, headless.Options{})
	patch, readme := s.open("x.diff"), s.open("r.md")
	for _, c := range []struct {
		of   *headless.Buffer
		want []string
	}{
		{patch, []string{
			`0 Apply to buffers {}`, `2 Apply this hunk {"hunk":1}`, `6 Apply this hunk {"hunk":2}`,
		}},
		{readme, []string{
			`3 Apply to buffers {"block":1}`, `5 Apply this hunk {"hunk":1}`,
			`10 Apply to buffers {"block":2}`,
			`12 Apply this hunk {"hunk":2}`, `15 Apply this hunk {"hunk":3}`, `18 Apply this hunk {"hunk":4}`,
		}},
		{s.open("a.go"), nil},
	} {
		if got := lensesOf(s, c.of); !slices.Equal(got, c.want) {
			t.Errorf("lenses of %s:\n%s\nwant\n%s", c.of.Path(), strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	for _, c := range []struct {
		from, to int
		want     []string
	}{
		{4, 4, []string{"Apply to buffers"}},
		{7, 7, []string{"Apply this hunk", "Apply to buffers"}},
		{8, 9, nil},
		{16, 16, []string{"Apply this hunk", "Apply to buffers"}},
		{22, 23, nil},
	} {
		var got []string
		for _, o := range ask[[]offered](s, "textDocument/codeAction", readme, args{"range": lineRange(c.from, c.to), "context": args{"diagnostics": []any{}}}) {
			got = append(got, o.Title)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("actions on lines %d to %d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// A chosen command does what apply_patch does, and is one edit.
func TestOfferedPatchesAreApplied(t *testing.T) {
	var shown shownDiagnostics
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\n", "x.patch": twoHunks}, withDiagnostics(&shown))
	patch, target := s.open("x.patch"), s.open("a.txt")
	choose := func(number int) (json.RawMessage, error) {
		lenses := ask[[]offered](s, "textDocument/codeLens", patch, nil)
		_, name, a := lenses[number].command(t)
		return s.Execute(context.Background(), name, a)
	}
	if _, err := choose(2); err != nil { // the second hunk
		t.Error(err)
	}
	if got := target.Text(); got != "one\ntwo\nthree\nfour\nfive\n6\n" {
		t.Errorf("after one hunk: %q", got)
	}
	shown.become(t, "x.patch", "6-6 3 already_applied Applied already: a.txt reads so at line 6.")
	raw, err := choose(0)
	var r struct {
		EditID   string `json:"edit_id"`
		Verified bool
	}
	if _ = json.Unmarshal(raw, &r); err != nil || !r.Verified || target.Text() != "1\ntwo\nthree\nfour\nfive\n6\n" {
		t.Errorf("%v, %s: %q", err, raw, target.Text())
	}
	s.edit("undo", args{"edit_id": r.EditID})
	if got := target.Text(); got != "one\ntwo\nthree\nfour\nfive\n6\n" {
		t.Errorf("after undo: %q", got)
	}
	if err := target.Replace(0, len(target.Text()), "all\nother\n"); err != nil {
		t.Fatal(err)
	}
	raw, err = choose(0)
	f := failureOf(t, raw, err)
	want := s.fail("apply_patch", args{"patch": twoHunks})
	if f.Kind != "context_not_found" || f.Message != want.Message {
		t.Errorf("%+v, want %+v", f, want)
	}
}

// A hunk whose place only follows from the other hunks goes to that place also when it is applied alone.
func TestAHunkGoesWhereItGoesAsOneOfAll(t *testing.T) {
	const patchText = "*** Begin Patch\n*** Update File: a.txt\n@@\n-first\n+1\n@@\n-same\n+SAME\n@@\n-last\n+9\n*** End Patch\n"
	s := start(t, map[string]string{"a.txt": "same\nfirst\nsame\nlast\nsame\n", "x.patch": patchText}, headless.Options{})
	patch, target := s.open("x.patch"), s.open("a.txt")
	s.edit("apply_document", args{"path": patch.URI(), "hunk": 2})
	if got := target.Text(); got != "same\nfirst\nSAME\nlast\nsame\n" {
		t.Errorf("%q", got)
	}
}

// Arguments that cannot be meant give an error that says so.
func TestApplyDocumentRefuses(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "x\nz\n", "r.md": markdownPatches, "all.md": strings.Replace(markdownPatches, "*** Delete File: a.txt\n", "", 1), "no.md": "text\n", "no.patch": "@@\n-a\n+b\n"}, headless.Options{})
	for _, c := range []struct {
		a    args
		kind string
		says string
	}{
		{args{"path": "r.md", "hunk": 9}, "invalid_params", "there is no hunk 9 in r.md, which has 4 hunks"},
		{args{"path": "r.md", "block": 3}, "invalid_params", "there is no block 3 in r.md, which has 2 blocks"},
		{args{"path": "r.md", "hunk": 1, "block": 2}, "invalid_params", "hunk 1 of r.md is in block 1"},
		{args{"path": "r.md", "hunk": -1}, "invalid_params", `"hunk" and "block" must be 0`},
		{args{"path": "no.md"}, "invalid_params", "there is no patch in no.md"},
		{args{"path": "no.patch"}, "patch_syntax", "Line 1 of the patch: the patch names no file"},
		{args{"path": "gone.patch"}, "file_not_found", "File not found: gone.patch"},
		{args{"path": "../out.patch"}, "outside_workspace", ""},
		{args{"path": "r.md", "hunk": 1, "rev": "another"}, "stale", "r.md has changed since that rev"},
	} {
		if f := s.fail("apply_document", c.a); string(f.Kind) != c.kind || !strings.Contains(f.Message, c.says) {
			t.Errorf("%v: %s %q, want %s %q", c.a, f.Kind, f.Message, c.kind, c.says)
		}
	}
	// From disk, and all patches of a document as one.
	s.edit("apply_document", args{"path": "all.md"})
	a, _ := s.Buffer(s.path("a.txt"))
	b, _ := s.Buffer(s.path("b.txt"))
	if a == nil || b == nil || a.Text() != "1\n" || b.Text() != "y\nzz\n" {
		t.Errorf("a.txt: %+v, b.txt: %+v", a, b)
	}
}
