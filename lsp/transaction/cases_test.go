package transaction_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/fakeeditor"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/call"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

var update = flag.Bool("update", false, "rewrite what the cases come to")

// TestCases runs commands against a fake editor (internal/testkit/fakeeditor), and compares what was sent, what was
// answered, and the documents and files after it.
//
// The section "commands" has one command a line with its arguments, the others are acts of the editor before, between and
// after them; apply_patch takes the section "patch". The section "editor" is what the editor does with the requests. The
// lines at the top of a case are
//
//	editor: NAME and what it can do
//	saves: always or new, the setting that saves after an edit; never if absent
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
			c.Files = slices.DeleteFunc(c.Files, func(f txtar.File) bool { return slices.Contains([]string{"sent", "answers", "after"}, f.Name) })
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

func run(t *testing.T, c *txtar.Archive) []txtar.File {
	top, section := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(c.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		top[key] = value
	}
	for _, f := range c.Files {
		section[f.Name] = string(f.Data)
	}
	e := fakeeditor.New(t, workspace.NewDocuments(), t.TempDir(), section["editor"])
	s := newSession(t, e, fakeeditor.Kind(top["editor"]), top["saves"])
	var answers strings.Builder
	for line := range strings.Lines(section["commands"]) {
		name, args, isCommand := strings.Cut(strings.TrimSpace(line), " {")
		if !isCommand {
			e.Do(line)
			continue
		}
		r, err := s.command(t, name, "{"+args, section["patch"])
		fmt.Fprintf(&answers, "%s: %s\n", name, describe(r, err))
	}
	return []txtar.File{{Name: "sent", Data: []byte(e.Log() + "\n")}, {Name: "answers", Data: []byte(answers.String())}, {Name: "after", Data: []byte(e.State())}}
}

// session is a session on a fake editor.
type session struct{ *transaction.Session }

func newSession(t *testing.T, e *fakeeditor.Editor, kind *editor.Editor, saves string) session {
	base, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	h := fakeeditor.Host(base, kind)
	client := &rpc.Client{Host: h, Conn: e}
	w := func() *workspace.Workspace {
		return &workspace.Workspace{Documents: e.Docs, Policy: paths.Policy{Roots: paths.Pin(e.Folder)}}
	}
	made := &review.Log{}
	server := &transaction.Server{
		Host: h, Documents: e.Docs, EditLog: made, Client: client,
		Engine: &apply.Engine{
			Host: h, Documents: e.Docs, Client: e, Disconnected: e.Gone, Number: func(ctx context.Context) int32 { return call.Of(ctx).Send() },
			Reach: func(at paths.Target, op paths.Operation) (paths.Target, error) { return w().Reach(at, op) },
		},
		Asker:         &proposal.Asker{Host: h, Client: client, Budget: &rpc.Budget{Freed: func(int) {}}, Documents: proposal.NewDocuments(made, e.Docs)},
		Saves:         func(isNew bool) bool { return saves == "always" || saves == "new" && isNew },
		ReviewChanged: func() {}, Sent: func(paths.Key, string) {},
	}
	return session{&transaction.Session{
		Server: server, Name: func() string { return "agent" }, Workspace: w, Ledger: &lines.Ledger{}, Agent: true, Done: func(string) {},
	}}
}

// command runs one command.
func (s session) command(t *testing.T, name, raw, patch string) (*transaction.Result, error) {
	t.Helper()
	ctx := call.New("agent", name).Under(t.Context())
	arrival := s.Arrivals.Take()
	read := func(args any) {
		if err := json.Unmarshal([]byte(raw), args); err != nil {
			t.Fatal(name, raw, err)
		}
	}
	switch name {
	case "str_replace":
		var args commands.StrReplace
		args.SetDefaults()
		read(&args)
		return s.Edit(ctx, arrival, name, args, nil)
	case "delete_lines":
		var args commands.DeleteLines
		read(&args)
		return s.Edit(ctx, arrival, name, args, nil)
	case "create":
		var args commands.Create
		read(&args)
		return s.Edit(ctx, arrival, name, args, nil)
	case "write":
		var args commands.Write
		read(&args)
		return s.Edit(ctx, arrival, name, args, nil)
	case "apply_patch":
		args := transaction.PatchArgs{Patch: patch}
		args.SetDefaults()
		read(&args)
		return s.Patch(ctx, arrival, name, args)
	case "undo":
		var args transaction.UndoArgs
		read(&args)
		return s.Undo(ctx, arrival, name, args)
	case "save":
		var args transaction.SaveArgs
		read(&args)
		return s.Save(ctx, arrival, name, args)
	}
	t.Fatal("no command", name)
	return nil, nil //nolint:nilnil // not reached
}

// describe returns an answer, or an error, in a few lines.
func describe(r *transaction.Result, err error) string {
	if err != nil {
		e := edits.Failure(err)
		where := ""
		if e.File > 0 {
			where = fmt.Sprintf(" in part %d", e.File)
		}
		return fmt.Sprintf("%s%s: %s", e.Kind, where, e.Message)
	}
	words := []string{r.Message}
	for _, is := range []struct {
		so   bool
		word string
	}{{!r.Applied, "not applied"}, {!r.Verified, "not verified"}, {r.Rebased, "rebased"}} {
		if is.so {
			words[0] += " (" + is.word + ")"
		}
	}
	for _, f := range r.Files {
		file := "  " + f.Path + ": " + f.Change
		if f.NewPath != "" {
			file += " to " + f.NewPath
		}
		for _, is := range []struct {
			so   bool
			word string
		}{{f.Open, "open"}, {f.Dirty, "dirty"}, {f.Saved, "saved"}} {
			if is.so {
				file += ", " + is.word
			}
		}
		words = append(words, file)
	}
	for _, note := range r.Notes {
		words = append(words, "  note: "+note)
	}
	return strings.Join(words, "\n")
}
