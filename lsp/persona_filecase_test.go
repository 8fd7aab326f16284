package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/gittest"
)

// fileCase is a case of any of the suites: files, a command, and what follows.
type fileCase struct {
	name    string
	before  gittest.Tree
	after   gittest.Tree // as in an editor; before, if the command is to fail
	failure edits.Kind
	reads   string // the file that text_editor reads before, "" for none
	command string
	args    json.RawMessage
}

// withoutMarks returns files as an editor has them: the byte order mark is not in
// the text.
func withoutMarks(files gittest.Tree) gittest.Tree {
	as := gittest.Tree{}
	for name, s := range files {
		as[name] = strings.TrimPrefix(s, text.BOM)
	}
	return as
}

// editCase reads a case of testdata/edits.
func editCase(t *testing.T, path string) fileCase {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := readCase(t, archive)
	kind, _, _ := strings.Cut(c.failure, "\n")
	return newFileCase(t, strings.TrimSuffix(filepath.Base(path), ".txtar"), refCase{
		before: c.before, after: c.after, kind: edits.Kind(kind), command: c.command, args: c.arguments,
	})
}

// newFileCase turns a case of one text into a case of one named file.
func newFileCase(t *testing.T, name string, c refCase) fileCase {
	t.Helper()
	if c.kind != "" {
		c.after = c.before
	}
	file := strings.ReplaceAll(name, " ", "-") + ".c" // no prose, in which no remark stands for what is left out
	f := fileCase{
		name: name, command: c.command, args: c.about(t, file), failure: c.kind,
		before: gittest.Tree{file: c.before}, after: withoutMarks(gittest.Tree{file: c.after}),
	}
	if c.reads {
		f.reads = file
	}
	return f
}

// patchCase reads a case of testdata/patches.
func patchCase(t *testing.T, path string) fileCase {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := fileCase{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), before: gittest.Tree{}, command: "apply_patch"}
	after := gittest.Tree{}
	for _, f := range archive.Files {
		if name, is := strings.CutPrefix(f.Name, "before/"); is {
			c.before[name] = fromVisible(string(f.Data))
		}
		if name, is := strings.CutPrefix(f.Name, "after/"); is && !strings.Contains(name, " in ") {
			after[name] = fromVisible(string(f.Data))
		}
	}
	kind, _, _ := strings.Cut(section(archive, "error"), "\n")
	if c.failure = edits.Kind(kind); kind != "" {
		after = c.before
	}
	c.after = withoutMarks(after)
	c.args, err = json.Marshal(args{"patch": fromVisible(section(archive, "patch"))})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
