//go:build unix

package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patchls/patchls/lsp/transaction"
)

// trial is one case in one editor.
type trial struct {
	Editor
	seat    *seat
	plugin  bool
	folder  string // of this case in the workspace
	agent   *helper
	checked []check
	rounds  int // rounds that succeeded, in cases that are repeated
	reloads []time.Duration
}

// check is the result of one check.
type check struct {
	What string // CASE/ASPECT, as in faults.txt
	Why  string // what is wrong; "" if nothing is
}

// testCase is one behaviour.
type testCase struct {
	name string
	run  func(*trial)
}

// abandoned is the value of the panic that ends a case which cannot go on.
type abandoned struct{}

// check notes whether an aspect is as it should be.
func (t *trial) check(aspect string, err error) bool {
	c := check{What: filepath.Base(t.folder) + "/" + aspect}
	if err != nil {
		c.Why = err.Error()
	}
	t.checked = append(t.checked, c)
	return err == nil
}

// must is check for an aspect on which the rest of the case depends.
func (t *trial) must(aspect string, err error) {
	if !t.check(aspect, err) {
		panic(abandoned{})
	}
}

func (t *trial) path(name string) string { return filepath.Join(t.folder, name) }

// write lays a file on disk, as another program does.
func (t *trial) write(name, content string) {
	path := t.path(name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.must("files", err)
	}
}

// open shows files and waits until the server has them.
func (t *trial) open(names ...string) {
	for _, name := range names {
		t.must("open", t.Open(t.path(name)))
		t.must("open", until(settleTime, func() error {
			v, err := t.agent.view(name)
			if err == nil && !v.Open {
				err = fmt.Errorf("the server does not have %s open", name)
			}
			return err
		}))
	}
}

// settleTime is how long an editor may take until what was done in it can be seen.
const settleTime = 10 * time.Second

// types types at a place and waits until editor and server have it.
func (t *trial) types(name string, line, column int, text string) {
	before, err := t.Text(t.path(name))
	t.must("typed", err)
	t.must("typed", t.Goto(t.path(name), line, column))
	t.must("typed", t.Type(text))
	want := placed(before.Text, line, column, text)
	t.must("typed", until(settleTime, func() error { return t.same(name, want) }))
	t.must("typed is told", t.told(name))
}

// placed returns in with text inserted at a place.
func placed(in string, line, column int, text string) string {
	lines := strings.SplitAfter(in, "\n")
	if strings.Contains(in, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	at := lines[line-1]
	lines[line-1] = at[:column-1] + text + at[column-1:]
	return strings.Join(lines, "")
}

// told waits until the server has the editor's text of a file.
func (t *trial) told(name string) error {
	return until(settleTime, func() error { return t.tellsAgents(name) })
}

// tellsAgents says whether an agent sees the editor's text of a file.
func (t *trial) tellsAgents(name string) error {
	b, err := t.Text(t.path(name))
	if err != nil {
		return err
	}
	v, err := t.agent.view(name)
	if err == nil && v.Rev != revOf(b.Text) {
		err = fmt.Errorf("the server has another text of %s than the editor: %q; the editor %q", name, v.Text, b.Text)
	}
	return err
}

// same returns an error if the editor's text is not want. Since want is as on disk, its
// byte order mark does not count, nor do line ends if the editor keeps them apart from
// its text.
func (t *trial) same(name, want string) error {
	b, err := t.Text(t.path(name))
	if err != nil {
		return err
	}
	want = strings.TrimPrefix(want, "\ufeff")
	if !strings.Contains(b.Text, "\r") {
		want = strings.ReplaceAll(want, "\r\n", "\n")
	}
	if b.Text != want {
		return fmt.Errorf("the editor's text of %s is %q, want %q", name, b.Text, want)
	}
	return nil
}

// disk returns an error if a file's text is not want.
func (t *trial) disk(name, want string) error {
	raw, err := os.ReadFile(t.path(name))
	if want == absent && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && string(raw) != want {
		err = fmt.Errorf("disk has %q of %s, want %q", raw, name, want)
	}
	return err
}

// absent stands for a file that is not there.
const absent = "\x00absent"

// edit makes the agent edit, and checks that the revs in the answer are those of the
// editor's texts.
func (t *trial) edit(command string, a args) transaction.Result {
	r, err := t.agent.edit(command, a)
	t.must("verified", err)
	t.check("answer is the editor's text", t.answers(r))
	return r
}

func (t *trial) answers(r transaction.Result) error {
	var all []error
	for _, f := range r.Files {
		path := filepath.Join(t.folder, f.Path)
		if filepath.IsAbs(f.Path) {
			path = f.Path
		}
		if strings.HasPrefix(f.URI, "file://") {
			path = pathOf(f.URI)
		}
		b, err := t.Text(path)
		switch {
		case err != nil:
			all = append(all, err)
		case revOf(b.Text) != f.Rev:
			all = append(all, fmt.Errorf("the rev in the answer is not that of the editor's text of %s: %q", f.Path, b.Text))
		}
	}
	return errors.Join(all...)
}

// perform runs a case, and returns it with what it looked at.
func perform(c testCase, k kind, s *seat, e Editor) *trial {
	t := &trial{Editor: e, seat: s, plugin: k.plugin, folder: filepath.Join(s.workspace(), c.name)}
	t.agent = newHelper(t.folder)
	defer t.agent.close()
	if t.check("files", os.MkdirAll(t.folder, 0o755)) {
		t.try(c)
	}
	return t
}

// try runs the case as far as it can go on.
func (t *trial) try(c testCase) {
	defer func() {
		if p := recover(); p != nil && p != (abandoned{}) {
			panic(p)
		}
	}()
	c.run(t)
}

// pathOf is the path in a file URI.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return uri
	}
	return u.Path
}
