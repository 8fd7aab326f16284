package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/lsp/view"
)

func TestDoctorSeesALiveEditor(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	liveeditor.Start(t, root, headless.Options{}).Typed("a.txt", "typed\n")
	code, out, errs := commandLine(t, "", "doctor", "--root", root)
	if code != 0 || !strings.Contains(out, "runs patchls test, and this is ") || !strings.Contains(out, "1 document open, 1 unsaved") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	// An editor that --editor names is chosen even if the folder is not in its workspace.
	pid := strconv.Itoa(os.Getpid())
	code, out, errs = commandLine(t, "", "doctor", "--root", t.TempDir(), "--editor", pid)
	if code != 0 || !strings.Contains(out, "[ok]   chosen: patchls-headless (pid "+pid+"): --editor "+pid+" asks for it\n") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
}

// TestDoctorReports: the doctor reports faults that a healthy editor never has.
func TestDoctorReports(t *testing.T) {
	d := &diagnosis{}
	d.report(examined{Live: agent.Live{Server: version()}, list: view.Listing{Documents: []view.DocumentInfo{
		{Path: "a.txt"}, {Path: "b.txt", OutOfStep: "a change could not be read"},
	}}})
	if d.OK || len(d.Findings) != 3 {
		t.Fatalf("got %+v", d)
	}
	if f := d.Findings[0]; f.Status != statusOK || !strings.Contains(f.Message, "cannot save for agents") || !strings.Contains(f.Message, "no workspace folder") {
		t.Errorf("got %+v", f)
	}
	if f := d.Findings[1]; f.Status != statusFix || !strings.Contains(f.Message, "lacks workspace/applyEdit") {
		t.Errorf("got %+v", f)
	}
	if f := d.Findings[2]; f.Status != statusFix || !strings.HasPrefix(f.Message, "b.txt cannot be edited") || !strings.Contains(f.Fix, "open it again") {
		t.Errorf("got %+v", f)
	}
}

// TestDoctorOfAnEditorThatRefuses: an editor may declare workspace/applyEdit, and say no to each. That it has refused one is
// no fault once it has made one.
func TestDoctorOfAnEditorThatRefuses(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	var willing atomic.Bool
	liveeditor.Start(t, root, headless.Options{Habits: func(_ *headless.Editor, own headless.Habits) headless.Habits { return unwilling{own, &willing} }}).Typed("a.txt", "typed\n")
	edits := func(want int) {
		t.Helper()
		if code, out, errs := commandLine(t, "", "call", "str_replace", "path=a.txt", "old_str=one", "new_str=one one", "--root", root); code != want {
			t.Errorf("exit code %d, %s%s", code, out, errs)
		}
	}
	doctor := func(want int) {
		t.Helper()
		code, out, errs := commandLine(t, "", "doctor", "--root", root)
		said := strings.Contains(out, "[fix]  editor: patchls-headless (pid ") && strings.Contains(out, `has refused all edits of agents so far: The editor rejected the edit of a.txt ("not now")`)
		if code != want || said != (want == 1) {
			t.Errorf("exit code %d, %s%s", code, out, errs)
		}
	}
	doctor(0)
	edits(1)
	doctor(1)
	willing.Store(true)
	edits(0)
	doctor(0)
	willing.Store(false)
	edits(1)
	doctor(0)
}

// TestAnEditorThatCannotBeEdited: each door says why the editor that the user has open is not used.
func TestAnEditorThatCannotBeEdited(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"a.txt": "one\n"})
	e := liveeditor.Start(t, root, headless.Options{Capabilities: func(c *protocol.ClientCapabilities) { c.Workspace.ApplyEdit = nil }})
	if _, err := e.Open(filepath.Join(root, "a.txt")); err != nil {
		t.Fatal(err)
	}
	edit := []string{"call", "str_replace", "path=a.txt", "old_str=one", "new_str=two", "--root", root}
	for flag, want := range map[string]string{
		"--editor=live": "cannot be edited by agents: it lacks workspace/applyEdit; to fix that, edit in another editor",
		"--editor=auto": "no live editor takes the edit",
		"--save":        "cannot be edited by agents; ask the user to close it there",
	} {
		if code, out, errs := commandLine(t, "", append(slices.Clone(edit), flag)...); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s%s", flag, code, out, errs)
		}
	}
	if s := liveeditor.OnDisk(t, filepath.Join(root, "a.txt")); s != "one\n" {
		t.Errorf("disk has %q", s)
	}
}

// unwilling is an editor that refuses edits for a while.
type unwilling struct {
	headless.Habits
	willing *atomic.Bool
}

func (u unwilling) Apply(ctx context.Context, r *headless.Request, p *headless.ApplyEditParams) headless.ApplyEditResult {
	if !u.willing.Load() {
		return headless.ApplyEditResult{FailureReason: "not now"}
	}
	return u.Habits.Apply(ctx, r, p)
}

// TestDoctorMeetsAnEditorThatDoesNotAnswer: its process runs, and its socket leads to
// a program that hangs up.
func TestDoctorMeetsAnEditorThatDoesNotAnswer(t *testing.T) {
	liveeditor.Home(t)
	dir := liveeditor.Discovery()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	liveeditor.Silent(t, socket, "/")
	code, out, errs := commandLine(t, "", "doctor", "--root", t.TempDir())
	if code != 1 || !strings.Contains(out, "[fix]  editor: Neovim (pid "+strconv.Itoa(os.Getpid())+") does not answer: ") || strings.Contains(out, "tttttttt") || errs != "" {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
}

// TestNamesDoNotReachTheTerminal: a folder of a repository may be called anything.
func TestNamesDoNotReachTheTerminal(t *testing.T) {
	liveeditor.Home(t)
	const name = "über \x1b[2J\n[ok]   \u202egnihton"
	root := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Skipf("no such names here: %v", err)
	}
	liveeditor.Start(t, root, headless.Options{})
	for _, args := range [][]string{{"doctor", "--root", root}, {"editors"}} {
		_, out, errs := commandLine(t, "", args...)
		if strings.ContainsAny(out+errs, "\x1b\u202e") || !strings.Contains(out, `über \x1b[2J\n[ok]`) {
			t.Errorf("%s: %q", args[0], out+errs)
		}
	}
}

// TestRemedy: a command that the doctor suggests neither fails nor does harm if the fault is another one.
func TestRemedy(t *testing.T) {
	dir := liveeditor.Folder(t, map[string]string{"file": ""})
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Symlink("file", at("link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := os.Mkdir(at("open"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		fault error
		want  string
	}{
		{"open", nil, "chmod 700 "},
		{"open", fmt.Errorf("it %w", agent.ErrOtherUser), "have its owner remove it"},
		{"file", nil, "chmod 600 "},
		{"mine", nil, "remove it: rm "},
		{"link", nil, "remove the link: rm "},
		{"gone", nil, "set HOME"},
	} {
		if got := remedy(at(tt.name), tt.fault); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s, %v: got %q, want %q", tt.name, tt.fault, got, tt.want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for path, want := range map[string]string{
		"/run/user/1000/patchls": "/run/user/1000/patchls",
		"/a b":                   "'/a b'",
		"/it's;rm":               `'/it'\''s;rm'`,
	} {
		if got := shellWord(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
