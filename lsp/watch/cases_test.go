package watch_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/fakeeditor"
	"github.com/patchls/patchls/lsp/watch"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

var update = flag.Bool("update", false, "rewrite what the cases come to")

// TestCases does what a case's section "acts" says, and compares what the watcher did, at which time, and the text and
// what is known of the file in the end.
//
// An act is one of internal/testkit/fakeeditor, after which the watcher is told of it as the server tells it; or
//
//	told NAME     the watcher is told once more that a file was written
//	agrees        the user agrees to the edit that they are asked about; or: refuses
//	merged        the editor is about to save, and waits for a merge
//
// The lines at the top of a case are
//
//	editor: NAME and what it can do
//	absorb: the setting; merge if absent
//	edits: what the editor does with an edit: made if absent, rejected, timeout, not_settled, late (made after a second)
//	meanwhile: an act during the first edit; the later edits are made
//	sent: a text that an agent has sent, quoted as in Go
//	guarded: yes, if no file may be merged
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			c, err := txtar.ParseFile(name)
			if err != nil || len(c.Files) == 0 || c.Files[0].Name != "acts" {
				t.Fatal("a case begins with its acts", err)
			}
			was := txtar.Format(c)
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, string(c.Comment))
				for line := range strings.Lines(string(c.Files[0].Data)) {
					w.do(strings.TrimSpace(line))
				}
				<-time.After(time.Minute)
				c.Files = append(c.Files[:1], txtar.File{Name: "done", Data: []byte(w.said())}, txtar.File{Name: "after", Data: []byte(w.state())})
			})
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

// world is what a watcher is given: documents, files, an editor that makes edits or does not, and a user who is asked.
type world struct {
	*watch.Watcher
	t       *testing.T
	fake    *fakeeditor.Editor
	top     map[string]string // of the case
	began   time.Time
	answers chan bool
	first   sync.Once // done in the first edit, if there is an act meanwhile

	mu   sync.Mutex
	done strings.Builder
}

func newWorld(t *testing.T, comment string) *world {
	docs, folder := workspace.NewDocuments(), t.TempDir()
	w := &world{t: t, fake: fakeeditor.New(t, docs, folder, ""), top: map[string]string{"absorb": watch.Merge}, began: time.Now(), answers: make(chan bool)}
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		w.top[key] = value
	}
	kind, policy := fakeeditor.Kind(w.top["editor"]), paths.Policy{Roots: paths.Pin(folder)}
	reach := func(doc *workspace.Document, op paths.Operation) (paths.Target, error) {
		if op == paths.Merge && w.top["guarded"] == "yes" {
			return paths.Target{}, edits.Errorf(edits.Protected, "It is protected.")
		}
		return policy.Reach(policy.Target(doc.Key, func(paths.Key) bool { return true }), doc.Opened, op)
	}
	w.Watcher = &watch.Watcher{
		Host: fakeeditor.Host(t.Context(), kind), Documents: docs, How: func() string { return w.top["absorb"] }, Reach: reach,
		Read: func(doc *workspace.Document) (paths.Target, text.Text, error) {
			at, err := reach(doc, paths.Compare)
			if err != nil {
				return at, text.Text{}, err
			}
			f, err := policy.ReadClosed(at)
			return at, f.Text, err
		},
		Sent: func(_ paths.Key, file text.Text) bool { return fmt.Sprintf("%q", file.String()) == w.top["sent"] },
		Edit: w.edit, EditIDs: func() map[string]bool { return nil },
		Reloaded: func(_ context.Context, _ paths.Target, was, now *workspace.Document, record bool) bool {
			if !was.Text.Equal(now.Text) && record {
				w.note("records a reload")
			}
			return false
		},
		Written: func(*workspace.Document) { w.note("tells that the file was written") },
		Show:    func(message string) { w.note("shows %s", message) },
	}
	w.Begin()
	return w
}

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	folder := w.fake.Folder + string(filepath.Separator)
	drive := strings.ToLower(folder[:1]) + folder[1:] // as a message has it on Windows
	line := strings.NewReplacer(folder, "", drive, "").Replace(fmt.Sprintf(format, args...))
	fmt.Fprintf(&w.done, "%v: %s\n", time.Since(w.began).Round(time.Millisecond), line)
}

// said returns what was done so far.
func (w *world) said() string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done.String()
}

// do does one act, tells the watcher of it, and waits until the watcher waits for the clock.
func (w *world) do(line string) {
	defer synctest.Wait()
	verb, rest, _ := strings.Cut(line, " ")
	name, _, _ := strings.Cut(rest, " ")
	key := paths.FileKey(filepath.Join(w.fake.Folder, name))
	switch verb {
	case "agrees", "refuses":
		w.answers <- verb == "agrees"
		return
	case "merged":
		w.Await(w.t.Context(), key)
		w.note("a save goes on")
		return
	case "told":
	default:
		w.fake.Do(line)
	}
	switch verb {
	case "opens":
		w.Look(key, true)
	case "closes":
		w.Forget(key)
	case "saves":
		w.Forget(key)
		w.Look(key, false)
	case "writes", "removes", "told":
		if w.Documents.FileChanged(key) {
			w.NoteWrite(key)
		}
	}
}

// edit is what the editor and its user do with an edit.
func (w *world) edit(ctx context.Context, e *watch.Edit) error {
	doc, err := w.plan(ctx, e)
	does := w.top["edits"]
	if act := w.top["meanwhile"]; act != "" && err == nil {
		does = ""
		w.first.Do(func() {
			w.fake.Do(act)
			does = w.top["edits"]
		})
	}
	switch does {
	case "rejected", "timeout", "not_settled":
		kind := map[string]edits.Kind{"rejected": edits.Rejected, "timeout": edits.TimedOut, "not_settled": edits.NotSettled}[does]
		if err == nil {
			w.note("edits in vain")
			err = edits.Errorf(kind, "The editor did not do it.")
		}
	case "late":
		<-time.After(time.Second)
		doc, err = w.plan(ctx, e)
	}
	if err != nil || doc == nil {
		return err
	}
	plan, err := e.Plan(edits.Source{Path: "a.txt", Text: doc.Text})
	if err != nil {
		return err
	}
	w.note("edits: %s", plan.Message)
	w.Documents.Change(doc.Key, doc.Version+1, []workspace.Change{{Whole: true, Text: plan.Edits.Apply(doc.Text).String()}}, text.UTF16)
	return nil
}

// plan plans an edit, and asks the user if they are to be asked. It returns the document, nil if there is nothing to do.
func (w *world) plan(ctx context.Context, e *watch.Edit) (*workspace.Document, error) {
	doc := w.Documents.Get(e.Target().Place.Key)
	if doc == nil {
		return nil, errors.New("it is closed")
	}
	plan, err := e.Plan(edits.Source{Path: "a.txt", Text: doc.Text})
	if edits.IsKind(err, edits.NoChange) {
		return nil, nil //nolint:nilnil // nothing to do is no failure
	}
	if err != nil || !e.Options().Confirm {
		return doc, err
	}
	w.note("asks: %s", plan.Message)
	select {
	case agreed := <-w.answers:
		if !agreed {
			return nil, watch.ErrRefused
		}
	case <-ctx.Done():
		w.note("asks no more")
		return nil, ctx.Err()
	}
	return w.Documents.Get(e.Target().Place.Key), nil
}

// state returns the documents and their files.
func (w *world) state() string {
	var b strings.Builder
	for _, doc := range w.Documents.All() {
		abs, _ := doc.Key.FilePath()
		raw, err := os.ReadFile(abs)
		fmt.Fprintf(&b, "%s has %q, ", strings.TrimPrefix(doc.URI, paths.FileURI(w.fake.Folder)+"/"), doc.Text.String())
		if err != nil {
			b.WriteString("and no file")
		} else {
			fmt.Fprintf(&b, "its file %q", raw)
		}
		for _, is := range []struct {
			so   bool
			word string
		}{{doc.Unsaved(), "unsaved"}, {!doc.Unsaved(), "saved"}, {doc.DiskSeen() && doc.Disk.String() == string(raw), "in step"}, {!doc.DiskSeen(), "the file is not known"}} {
			if is.so {
				b.WriteString(", " + is.word)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestManyFilesAtOnce: the user is asked about five files that are written together, as by git checkout, and not about four.
func TestManyFilesAtOnce(t *testing.T) {
	for files, want := range map[int]string{1: "edits", 4: "edits", 5: "asks", 9: "asks"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, "editor: x confirm\n")
			var acts []string
			for _, act := range []string{`writes %d.txt "one\ntwo\n"`, "opens %d.txt", `types %d.txt "one" "1"`, `writes %d.txt "one\ntwo\nthree\n"`} {
				for i := range files {
					acts = append(acts, fmt.Sprintf(act, i))
				}
				acts = append(acts, "waits 3s")
			}
			for _, act := range acts {
				w.do(act)
			}
			<-time.After(time.Minute)
			done := w.said()
			if strings.Count(done, want) < files || strings.Count(done, "\n") != files {
				t.Errorf("%d files: want %s for each, and it did\n%s", files, want, done)
			}
		})
	}
}
