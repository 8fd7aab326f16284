package apply_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/internal/testkit/fakeeditor"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

var update = flag.Bool("update", false, "rewrite what the cases come to")

// TestCases sends one change to a fake editor, which does what the case's section "editor" says
// (internal/testkit/fakeeditor), and compares what was sent, what came of it, and the text after it.
//
// The lines at the top of a case are
//
//	editor: NAME and what it can do; unknown if absent
//	document: open, closed, missing, or a URI; open if absent
//	change: create, delete, "rename to NAME", or "one of several"; an edit if absent
//
// A line of the section "edits" is the text to replace and the new text, quoted as in Go.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			c, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			was := txtar.Format(c)
			c.Files = slices.DeleteFunc(c.Files, func(f txtar.File) bool { return slices.Contains([]string{"sent", "result", "after"}, f.Name) })
			synctest.Test(t, func(t *testing.T) { c.Files = append(c.Files, run(t, c)...) })
			got := txtar.Format(c)
			if *update {
				err = os.WriteFile(name, got, 0o600)
			} else if !bytes.Equal(got, was) {
				err = fmt.Errorf("it comes to\n%s\nwant\n%s", got, was)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// limit is the time of a command.
const limit = 8 * time.Second

func run(t *testing.T, c *txtar.Archive) []txtar.File {
	top := map[string]string{}
	for line := range strings.Lines(string(c.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		top[key] = value
	}
	section := func(name string) string {
		for _, f := range c.Files {
			if f.Name == name {
				return string(f.Data)
			}
		}
		return ""
	}
	docs, folder := workspace.NewDocuments(), t.TempDir()
	e := fakeeditor.New(t, docs, folder, section("editor"))
	policy := paths.Policy{Roots: paths.Pin(folder)}
	w := &workspace.Workspace{Documents: docs, Policy: policy}
	name := "a.txt"
	switch top["document"] {
	case "missing":
	case "", "open", "closed":
		e.Do(fmt.Sprintf("writes a.txt %q", section("before")))
		if top["document"] != "closed" {
			e.Do("opens a.txt")
		}
	default:
		name = top["document"]
		e.Do(fmt.Sprintf("opens %s %q", name, section("before")))
	}
	e.Do(section("typed"))
	kind := fakeeditor.Kind(top["editor"])
	j := plan(t, w, name, top["change"], section("edits"))
	e.Do(section("meanwhile"))
	j.Pins = &history.Pins{}
	defer j.Pins.Release()
	base, end := context.WithCancel(t.Context())
	defer end()
	engine := &apply.Engine{
		Host: fakeeditor.Host(base, kind), Documents: docs, Client: e, Reach: w.Reach, Disconnected: e.Gone,
		Number: func(context.Context) int32 { return 1 },
	}
	ctx, cancel := context.WithTimeoutCause(base, limit, context.DeadlineExceeded)
	defer cancel()
	began := time.Now()
	outcome, err := engine.Apply(ctx, j, "an edit")
	result := fmt.Sprintf("%s\nafter %v\n", describe(outcome, err), time.Since(began).Round(time.Millisecond))
	cancel()
	sent := e.Log() + "\n"
	return []txtar.File{
		{Name: "sent", Data: []byte(sent)}, {Name: "result", Data: []byte(result)}, {Name: "after", Data: []byte(e.State())},
	}
}

// plan returns the change that a case is about, on the text as it is.
func plan(t *testing.T, w *workspace.Workspace, name, change, replaced string) *apply.Change {
	t.Helper()
	at, err := w.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := w.Read(at)
	j := &apply.Change{Snapshot: snap, Kind: editor.Update}
	switch verb, to, _ := strings.Cut(change, " to "); verb {
	case "create":
		j.Snapshot, err, j.Kind = workspace.Snapshot{Target: at}, nil, editor.Create
	case "delete":
		j.Kind = editor.Delete
	case "rename":
		j.Kind, j.After = editor.Rename, snap.Text
		if err == nil {
			j.To, err = w.Resolve(to)
		}
	case "one of several":
		j.WithOthers = true
	}
	if err != nil {
		t.Fatal(err)
	}
	var es edits.Edits
	for line := range strings.Lines(replaced) {
		from, err := strconv.QuotedPrefix(line)
		to, err2 := strconv.QuotedPrefix(strings.TrimSpace(line[len(from):]))
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(line, err)
		}
		from, _ = strconv.Unquote(from)
		to, _ = strconv.Unquote(to)
		start := strings.Index(j.Text.String(), from)
		es = append(es, edits.Edit{Start: start, End: start + len(from), New: to})
	}
	if len(es) > 0 {
		j.Plan, j.After = diff.PlanOf(j.Text, es), es.Apply(j.Text)
		j.Plan.Edits = es
	}
	return j
}

// describe returns what came of a change.
func describe(l apply.Outcome, err error) string {
	var again *apply.NotAppliedError
	switch {
	case errors.As(err, &again):
		return fmt.Sprintf("again (stale %t, may still apply %t), else %s: %v", again.Stale, again.MayStillApply, edits.Failure(again.Err).Kind, err)
	case err != nil:
		return fmt.Sprintf("%s: %v", edits.Failure(err).Kind, err)
	}
	words := []string{"made"}
	for word, is := range map[string]bool{"rebased": l.Change.Rebased, "on disk": l.OnDisk, "deleted": l.Deleted, "not shown": l.Doc == nil && !l.Deleted} {
		if is {
			words = append(words, word)
		}
	}
	slices.Sort(words[1:])
	if l.Landing != nil {
		var own []string
		for _, ch := range l.Landing.Own {
			own = append(own, fmt.Sprintf("%q for %q at byte %d", ch.New, ch.Old, ch.At))
		}
		words = append(words, fmt.Sprintf("others %d, own %s", len(l.Landing.Before), strings.Join(own, " and ")))
		if !l.Landing.Text.Equal(l.Change.After) {
			words = append(words, "with another text")
		}
	}
	return strings.Join(append(words, l.Change.Plan.Notes...), ", ")
}
