//go:build linux

package shadow

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/liveeditor"
	"github.com/patchls/patchls/lsp/view"
)

const menu = "soup\nbread\ntea\n"

// TestMain lets the tests start this package's part of the program as patchls run.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"patchls": func() { os.Exit(patchlsRun()) }})
}

// patchlsRun is patchls run, and the keeper that it starts.
func patchlsRun() (code int) {
	signal.Ignore(syscall.SIGPIPE) // as the program does
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	at := slices.Index(os.Args, "--")
	program := os.Args[at+1:]
	var err error
	if at > 2 { // patchls run --keeper FOLDER
		patience, _ := time.ParseDuration(os.Getenv("PATCHLS_TEST_PATIENCE")) // without it, that of the program
		find := &agent.Finder{Client: agent.ClientInfo{Name: filepath.Base(program[0]), Actor: rand.Text(), Unseen: true}, Timeout: patience}
		code, err = Keep(ctx, os.Args[at-1], program, find)
	} else {
		code, err = Start(ctx, program)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// startRun makes the command line of a program that runs among shadows, in a folder. Where the system lets no
// namespace be made, the test is skipped.
func startRun(t *testing.T, root string, program ...string) *exec.Cmd {
	t.Helper()
	self, err := exec.LookPath("patchls")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(self, "run", "--", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespace: %s", out)
	}
	cmd := exec.Command(self, append([]string{"run", "--"}, program...)...)
	cmd.Dir = root
	return cmd
}

// nothingLeft holds that no folder of a keeper is left, and no shadow over a file.
func nothingLeft(t *testing.T) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "patchls-run-*")); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
	if mounts := liveeditor.OnDisk(t, "/proc/self/mountinfo"); strings.Contains(mounts, "patchls-run-") {
		t.Errorf("it left a mount: %s", mounts)
	}
}

// becomes waits until text returns want.
func becomes(t *testing.T, what string, text func() string, want string) {
	t.Helper()
	late := time.After(time.Minute)
	for text() != want {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-late:
			t.Fatalf("%s has %q, want %q", what, text(), want)
		}
	}
}

// TestRun: the agent and the programs it starts see unsaved text, their writes reach the buffer, and the file stays.
func TestRun(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, "saved.txt": "saved\n"})
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("menu.txt", "typed\n")
	cmd := startRun(t, root, "sh", "-c", `cat menu.txt; grep -c . menu.txt; sed -i s/soup/stew/ menu.txt || true
		printf 'cake\n' >> menu.txt; echo more >> saved.txt; umount menu.txt 2>/dev/null && echo unmounted
		grep -E "^Cap|NoNewPrivs" /proc/self/status; id -u; exit 3`)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit code %d (%v)", code, err)
	}
	none := ""
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		none += set + ":\t0000000000000000\n"
	}
	if want := fmt.Sprintf("typed\n%s4\n%sNoNewPrivs:\t1\n%d\n", menu, none, os.Getuid()); out.String() != want {
		t.Errorf("it saw %q, want %q", &out, want)
	}
	if !strings.Contains(errs.String(), "busy") || strings.Contains(errs.String(), "patchls") {
		t.Errorf("it said %s", &errs)
	}
	if got, disk := b.Text(), liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")); got != "typed\n"+menu+"cake\n" || disk != menu || !b.Dirty() {
		t.Errorf("the buffer has %q, the disk %q", got, disk)
	}
	if got := liveeditor.OnDisk(t, filepath.Join(root, "saved.txt")); got != "saved\nmore\n" {
		t.Errorf("a file that is not open has %q", got)
	}
	var listing view.Listing
	if raw, err := l.Execute(t.Context(), "patchls.list", struct{}{}); err != nil || json.Unmarshal(raw, &listing) != nil {
		t.Fatal(err)
	}
	if len(listing.Edits) != 1 || listing.Edits[0].Agent != "sh" || len(listing.Edits[0].Marks) != 1 {
		t.Errorf("edits %+v", listing.Edits)
	}
	nothingLeft(t)
}

// TestRunWithPipes: a program whose reader has left ends, as it does elsewhere.
func TestRunWithPipes(t *testing.T) {
	liveeditor.Home(t)
	out, err := startRun(t, liveeditor.Folder(t, nil), "sed", "-n", `s/^SigIgn:[[:space:]]*//p`, "/proc/self/status").Output()
	if err != nil {
		t.Fatal(err)
	}
	var ignored uint64
	if _, err := fmt.Sscanf(string(out), "%x", &ignored); err != nil || ignored&(1<<(syscall.SIGPIPE-1)) != 0 {
		t.Errorf("it ignores %s (%v)", out, err)
	}
}

// talk is a shell among shadows that runs one line at a time and answers each.
type talk struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err bytes.Buffer
}

func startTalk(t *testing.T, root string) *talk {
	t.Helper()
	k := &talk{t: t, cmd: startRun(t, root, "sh")}
	out, err := k.cmd.StdoutPipe()
	if err == nil {
		k.in, err = k.cmd.StdinPipe()
	}
	if err != nil {
		t.Fatal(err)
	}
	k.out, k.cmd.Stderr = bufio.NewReader(out), &k.err
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return k
}

// does runs a line of shell, and returns what it prints.
func (k *talk) does(line string) string {
	k.t.Helper()
	if _, err := fmt.Fprintf(k.in, "%s\necho +end\n", line); err != nil {
		k.t.Fatal(err)
	}
	var said strings.Builder
	for {
		got, err := k.out.ReadString('\n')
		if err != nil {
			k.t.Fatalf("%v; it said %s", err, &k.err)
		}
		if before, is := strings.CutSuffix(got, "+end\n"); is {
			return said.String() + before
		}
		said.WriteString(got)
	}
}

// ends has the program end, and returns what it has said on stderr. The exit code is 1 if that is something.
func (k *talk) ends() string {
	k.t.Helper()
	_ = k.in.Close()
	err := k.cmd.Wait()
	if code := k.cmd.ProcessState.ExitCode(); (code == 1) != (k.err.Len() > 0) || code > 1 {
		k.t.Errorf("it ended with %v, %s", err, &k.err)
	}
	return k.err.String()
}

// shut is an editor whose user has paused agents.
type shut struct{ headless.Habits }

func (shut) Apply(context.Context, *headless.Request, *headless.ApplyEditParams) headless.ApplyEditResult {
	return headless.ApplyEditResult{FailureReason: "agents are paused in this editor"}
}

// TestRunIsRefused: no error reaches a program when it has written what the editor refuses, so the exit code is 1 and stderr says
// why and where the change is. The code of a program that has failed stays.
func TestRunIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, program string
		code          int
		says          string
	}{
		{"agents are paused", "echo cake >> menu.txt", 1, "patchls run: menu.txt: 1 change of the agent not made: The editor rejected the edit of menu.txt (\"agents are paused in this editor\")"},
		{"and it writes another file", "echo cake >> menu.txt; echo x > other.txt", 1, "agents are paused in this editor"},
		{"and it writes long before it ends", "echo cake >> menu.txt; cat menu.txt > other.txt", 1, "agents are paused in this editor"},
		{"it fails as well", "echo cake >> menu.txt; exit 7", 7, "agents are paused in this editor"},
		{"it is no text", `printf '\377\n' > menu.txt`, 1, "it is no text in UTF-8"},
		{"it only reads", "cat menu.txt", 0, ""},
		{"it writes what was there", "text=$(cat menu.txt); echo \"$text\" > menu.txt", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			liveeditor.Home(t)
			t.Setenv("HOME", t.TempDir())
			root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
			shown := make(chan string, 10)
			b := liveeditor.Start(t, root, headless.Options{
				Habits: func(_ *headless.Editor, own headless.Habits) headless.Habits { return shut{own} },
				Trace: func(_ string, message []byte) {
					if strings.Contains(string(message), "window/showMessage") {
						shown <- string(message)
					}
				},
			}).Typed("menu.txt", "typed\n")
			cmd := startRun(t, root, "sh", "-c", tt.program)
			var said bytes.Buffer
			cmd.Stderr = &said
			err := cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(strings.ReplaceAll(said.String(), root+"/", ""), tt.says) || (said.Len() > 0) != (tt.says != "") {
				t.Errorf("it ended with %v, %s", err, &said)
			}
			if _, name, is := strings.Cut(strings.TrimSpace(said.String()), "; it is in "); is && liveeditor.OnDisk(t, name) == "" || b.Text() != "typed\n"+menu {
				t.Errorf("the patch is in %q, and the buffer has %q", name, b.Text())
			}
			if strings.Contains(tt.says, "paused") {
				select {
				case message := <-shown:
					if !strings.Contains(message, "patchls did not make an edit of menu.txt by sh, and the program does not know: The editor rejected the edit") {
						t.Errorf("the user is shown %s", message)
					}
				case <-time.After(time.Minute):
					t.Error("the user is shown nothing")
				}
			}
			if len(shown) > 0 {
				t.Errorf("the user is shown %s", <-shown)
			}
			nothingLeft(t)
		})
	}
}

// TestRunOfANotebook: no program writes, replaces or deletes a file that an editor has open as something other than text, and
// the user is told. Other programs, such as the editor, do; a file that the editor closes can be written again.
func TestRunOfANotebook(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"n.ipynb": "{}\n", "board.canvas": "{}\n", "menu.txt": menu, "new.txt": "new\n"})
	path := filepath.Join(root, "n.ipynb")
	l := liveeditor.Start(t, root, headless.Options{})
	l.OpensAs(map[string]string{"n.ipynb": "a notebook", "gone.ipynb": "a notebook"})
	k := startTalk(t, root)
	for _, line := range []string{"echo x > n.ipynb", "echo x >> n.ipynb", "mv new.txt n.ipynb", "rm -f n.ipynb", "mv n.ipynb m.ipynb", "umount n.ipynb"} {
		if got := k.does("(" + line + ") 2>&1 && echo done"); strings.Contains(got, "done") || got == "" {
			t.Errorf("%s: it said %q", line, got)
		}
	}
	if got := k.does("cat n.ipynb; echo x >> menu.txt"); got != "{}\n" {
		t.Errorf("it reads %q", got)
	}
	write := func(name string) func() string {
		return func() string { return k.does("(echo x >> " + name + ") 2>/dev/null && echo done") }
	}
	// The editor writes it, in place or by another file, and opens another one. It is looked at once a second.
	if err := os.WriteFile(path, []byte("[]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := k.does("cat n.ipynb"); got != "[]\n" {
		t.Errorf("it reads %q", got)
	}
	if err := os.Rename(filepath.Join(root, "new.txt"), path); err != nil {
		t.Fatal(err)
	}
	l.OpensAs(map[string]string{"n.ipynb": "a notebook", "board.canvas": "a drawing"})
	for _, name := range []string{"n.ipynb", "board.canvas"} {
		becomes(t, "writing "+name, write(name), "")
	}
	l.OpensAs(nil)
	for _, name := range []string{"n.ipynb", "board.canvas"} {
		becomes(t, "writing "+name, write(name), "done\n")
	}
	_ = k.in.Close()
	if err := k.cmd.Wait(); err != nil {
		t.Error(err)
	}
	const said = "patchls run: n.ipynb is open in patchls-headless as a notebook, so the program cannot write it; save and close it there first\n"
	if got := strings.ReplaceAll(k.err.String(), root+"/", ""); !strings.HasPrefix(got, said) || !strings.Contains(got, "board.canvas is open in patchls-headless as a drawing") {
		t.Errorf("it said %q", got)
	}
	if got := liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")); got != menu+"x\n" {
		t.Errorf("another file has %q", got)
	}
	nothingLeft(t)
}

// TestRunWhileAnEditorDoesNotAnswer: that editor may have any file open with unsaved text, so the program is not started.
func TestRunWhileAnEditorDoesNotAnswer(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	cmd := startRun(t, root, "sh", "-c", "echo cake >> menu.txt")
	liveeditor.Silent(t, filepath.Join(liveeditor.Discovery(), "nobody-listens"), t.TempDir())
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), ") does not answer: ") || !strings.Contains(string(out), "Try again later") || liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")) != menu {
		t.Errorf("%v, it said %s", err, out)
	}
	nothingLeft(t)
}

// isStopped waits until the shell is stopped, or is not any more.
func (k *talk) isStopped(pid int, want bool) {
	k.t.Helper()
	becomes(k.t, "whether the program is stopped", func() string { return fmt.Sprint(isStopped(pid)) }, fmt.Sprint(want))
}

// pid is the process id of the shell.
func (k *talk) pid() (pid int) {
	k.t.Helper()
	if _, err := fmt.Sscan(k.does("echo $$"), &pid); err != nil {
		k.t.Fatal(err)
	}
	return pid
}

// asks has the shell run a line, and does not wait for it.
func (k *talk) asks(line string) {
	k.t.Helper()
	if _, err := fmt.Fprintln(k.in, line); err != nil {
		k.t.Fatal(err)
	}
}

// TestRunWhileAnEditorStarts: its unsaved text is shown, and the disk stays.
func TestRunWhileAnEditorStarts(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	k := startTalk(t, root)
	b := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "typed\n")
	becomes(t, "the shadow", func() string { return k.does("cat menu.txt") }, "typed\n"+menu)
	k.does("echo cake >> menu.txt")
	if said := k.ends(); said != "" {
		t.Errorf("it said %s", said)
	}
	if disk := liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")); b.Text() != "typed\n"+menu+"cake\n" || disk != menu {
		t.Errorf("the buffer has %q, the disk %q", b.Text(), disk)
	}
	nothingLeft(t)
}

// TestRunWhileAnEditorGoesSilent: the program waits, and what it writes then is no write beneath what the user has typed.
func TestRunWhileAnEditorGoesSilent(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	k := startTalk(t, root)
	pid := k.pid()
	goOn := l.Stall()
	k.isStopped(pid, true)
	b := l.Typed("menu.txt", "typed\n")
	k.asks("echo cake >> menu.txt")
	goOn()
	becomes(t, "the buffer", b.Text, "typed\n"+menu+"cake\n")
	_ = k.in.Close()
	if err := k.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if disk := liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")); disk != menu {
		t.Errorf("the disk has %q", disk)
	}
	if said := k.err.String(); !strings.HasPrefix(said, "patchls run: the program waits: patchls-headless (pid ") || strings.Count(said, "\n") != 1 {
		t.Errorf("it said %s", said)
	}
	nothingLeft(t)
}

// TestRunWhileASilentEditorStarts: the program waits until the editor has ended, or until the user ends the program.
func TestRunWhileASilentEditorStarts(t *testing.T) {
	for _, ends := range []bool{true, false} {
		liveeditor.Home(t)
		root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
		k := startTalk(t, root)
		k.does("sleep 600 >/dev/null 2>&1 & echo $! > child")
		var child int
		if _, err := fmt.Sscan(liveeditor.OnDisk(t, filepath.Join(root, "child")), &child); err != nil {
			t.Fatal(err)
		}
		pid := k.pid()
		liveeditor.Silent(t, filepath.Join(liveeditor.Discovery(), "nobody-listens"))
		k.isStopped(pid, true)
		k.isStopped(child, true)
		if !ends {
			if err := k.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = k.cmd.Wait()
			if status := k.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGTERM {
				t.Errorf("it ended with %v", status)
			}
			_ = syscall.Kill(child, syscall.SIGKILL)
			continue
		}
		if err := os.Remove(filepath.Join(liveeditor.Discovery(), fmt.Sprint(os.Getpid())+".json")); err != nil {
			t.Fatal(err)
		}
		k.isStopped(pid, false)
		k.isStopped(child, false)
		k.does("kill $!; echo cake >> menu.txt")
		_ = k.in.Close()
		if err := k.cmd.Wait(); err != nil {
			t.Error(err)
		}
		if disk := liveeditor.OnDisk(t, filepath.Join(root, "menu.txt")); disk != menu+"cake\n" {
			t.Errorf("the disk has %q", disk)
		}
		nothingLeft(t)
	}
}

// TestRunHoldsItsOwnEditor: an editor that the program has started is stopped with the program, so it does not answer. The
// program goes on all the same, once the other editor answers. A job that the user has suspended stays suspended.
func TestRunHoldsItsOwnEditor(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	k := startTalk(t, root)
	started := func() (pid int) {
		if _, err := fmt.Sscan(k.does("sleep 600 >/dev/null 2>&1 & echo $!"), &pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	pid, editor, suspended := k.pid(), started(), started()
	k.does(fmt.Sprintf("kill -STOP %d", suspended))
	k.isStopped(suspended, true)
	raw, err := json.Marshal(map[string]any{
		"pid": editor, "started": time.Now().UTC(), "name": "Neovim", "roots": []string{root},
		"socket": filepath.Join(liveeditor.Discovery(), "nobody-listens"), "token": strings.Repeat("t", 64),
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(liveeditor.Discovery(), fmt.Sprint(editor)+".json"), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	goOn := l.Stall()
	k.isStopped(pid, true)
	k.isStopped(editor, true)
	goOn()
	k.isStopped(pid, false)
	k.isStopped(suspended, true)
	k.does(fmt.Sprintf("kill -KILL %d %d", editor, suspended))
	_ = k.in.Close()
	if err := k.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if said := k.err.String(); strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "patchls run: the program waits: patchls-headless (pid ") {
		t.Errorf("it said %s", said)
	}
	nothingLeft(t)
}

// TestRunOfWhatIsNotShown: no program writes a file whose unsaved text it cannot be shown: a file that is open as something else
// as well, one whose text the server does not know, and one in another encoding.
func TestRunOfWhatIsNotShown(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, "lost.txt": menu, "latin.txt": "caf\xe9\n"})
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("menu.txt", "typed\n")
	tell := func(name string, version int, method, more string) {
		t.Helper()
		err := l.Notify(t.Context(), "textDocument/"+method, json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%d%s}`, "file://"+filepath.Join(root, name), version, more)))
		if err == nil {
			err = l.Call(t.Context(), "patchls/synced", nil, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tell("latin.txt", 1, "didOpen", `,"languageId":"x","text":"café\n"}`)
	tell("latin.txt", 2, "didChange", `},"contentChanges":[{"text":"typed café\n"}]`)
	tell("lost.txt", 2, "didOpen", `,"languageId":"x","text":"soup\nbread\ntea\n"}`)
	tell("lost.txt", 1, "didChange", `},"contentChanges":[]`)
	k := startTalk(t, root)
	write := func(name string) func() string {
		return func() string { return k.does("(echo x >> " + name + ") 2>/dev/null && echo done") }
	}
	for _, name := range []string{"latin.txt", "lost.txt"} {
		if got := write(name)(); got != "" {
			t.Errorf("%s is written", name)
		}
	}
	cat := func() string { return k.does("cat menu.txt") }
	becomes(t, "the shadow", cat, "typed\n"+menu)
	l.OpensAs(map[string]string{"menu.txt": "a drawing"})
	becomes(t, "the number of locks", func() string { return k.does("grep -c 'menu.txt ro' /proc/self/mountinfo") }, "1\n")
	if got := cat() + write("menu.txt")(); got != menu {
		t.Errorf("it reads and writes %q", got)
	}
	l.OpensAs(nil)
	becomes(t, "the shadow", cat, b.Text())
	tell("latin.txt", 3, "didSave", "}")
	becomes(t, "writing it", write("latin.txt"), "done\n")
	_ = k.in.Close()
	err := k.cmd.Wait()
	said := strings.ReplaceAll(k.err.String(), root+"/", "")
	if err != nil {
		t.Errorf("%v, it said %s", err, said)
	}
	for _, want := range []string{
		"patchls run: latin.txt has unsaved text in patchls-headless that is not shown to the program, so the program cannot write it; save it there first\n",
		"patchls run: lost.txt has unsaved text in patchls-headless that", "patchls run: menu.txt is open in patchls-headless as a drawing, so the",
	} {
		if strings.Count(said, want) != 1 {
			t.Errorf("it said %q, want %q once", said, want)
		}
	}
	for name, want := range map[string]string{"menu.txt": menu, "lost.txt": menu, "latin.txt": "caf\xe9\nx\n"} {
		if got := liveeditor.OnDisk(t, filepath.Join(root, name)); got != want {
			t.Errorf("%s: the disk has %q", name, got)
		}
	}
	nothingLeft(t)
}

// TestALockThatCannotBeMade: the user is told once that the program may write the file all the same.
func TestALockThatCannotBeMade(t *testing.T) {
	path := filepath.Join(liveeditor.Folder(t, map[string]string{"n.ipynb": "{}\n"}), "n.ipynb")
	var said bytes.Buffer
	k := &keeper{out: &said, locked: map[string]bool{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and may mount nothing
		var none [2]unix.CapUserData
		if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
			t.Error(err)
			return
		}
		for range 2 {
			k.lock(agent.File{DocumentInfo: view.DocumentInfo{Path: path, As: "a notebook"}, Editor: &agent.Conn{}})
		}
	}()
	<-done
	if want := "patchls run: " + path + " is open in an editor as a notebook. The program may write it beneath that all the same, since it cannot be made read-only here: operation not permitted\n"; said.String() != want {
		t.Errorf("it said %q, want %q", &said, want)
	}
}

// TestAShadowStaysWhileItsEditorDoesNotAnswer: it goes when the editor has been gone for a while, and not while the editor runs
// and is silent, since it still has the text.
func TestAShadowStaysWhileItsEditorDoesNotAnswer(t *testing.T) {
	for _, silent := range []bool{true, false} {
		liveeditor.Home(t)
		path := filepath.Join(liveeditor.Folder(t, map[string]string{"menu.txt": menu}), "menu.txt")
		if silent {
			liveeditor.Silent(t, filepath.Join(liveeditor.Discovery(), "nobody-listens"))
		}
		k := &keeper{folder: t.TempDir(), find: &agent.Finder{}, ctx: t.Context(), over: map[string]*shadow{
			path: {path: path, pid: os.Getpid(), unsavedAt: time.Now().Add(-time.Hour)},
		}}
		if err := k.look(); (err != nil) != silent || len(k.over) > 0 != silent {
			t.Errorf("silent: %v; %d shadows are left (%v)", silent, len(k.over), err)
		}
		k.find.Close()
	}
}

// TestRunWhileTheUserTypes: what the user types comes to the agent, and stays where the agent has not seen it.
func TestRunWhileTheUserTypes(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("menu.txt", "typed\n")
	k := startTalk(t, root)
	cat := func() string { return k.does("cat menu.txt") }
	size := func() string { return k.does("stat -c %s menu.txt") } // which does not read it
	k.does("text=$(cat menu.txt)")
	if err := b.Insert(0, "on\n"); err != nil {
		t.Fatal(err)
	}
	// The shadow follows the buffer, and then the agent writes a text made from an older one.
	becomes(t, "the size", size, fmt.Sprintln(len("on\ntyped\n"+menu)))
	k.does(`echo "$text" | sed 's/tea/green tea/' > menu.txt`)
	becomes(t, "the buffer", b.Text, "on\ntyped\nsoup\nbread\ngreen tea\n")
	becomes(t, "the shadow", cat, "on\ntyped\nsoup\nbread\ngreen tea\n")
	// Of a text that changes lines which the user has changed since, nothing is made.
	k.does("text=$(cat menu.txt)")
	if err := b.Replace(len("on\n"), len("on\ntyped"), "written"); err != nil {
		t.Fatal(err)
	}
	becomes(t, "the size", size, fmt.Sprintln(len("on\nwritten\nsoup\nbread\ngreen tea\n")))
	k.does(`echo "$text" | sed 's/typed/scribbled/; s/bread/dark bread/' > menu.txt`)
	becomes(t, "the size", size, fmt.Sprintln(len("on\nwritten\nsoup\nbread\ngreen tea\n")))
	// It is not known to the server, and what the agent makes from it is refused as well, until the agent has read the file.
	k.does(`echo "$text" | sed 's/typed/scribbled/; s/bread/rye bread/' > menu.txt`)
	becomes(t, "the shadow", cat, "on\nwritten\nsoup\nbread\ngreen tea\n")
	k.does(`text=$(sed 's/bread/dark bread/' menu.txt); echo "$text" > menu.txt`)
	becomes(t, "the buffer", b.Text, "on\nwritten\nsoup\ndark bread\ngreen tea\n")
	becomes(t, "the shadow", cat, "on\nwritten\nsoup\ndark bread\ngreen tea\n")
	// What the user types next to what the agent has written was not shown to the agent, and stays.
	k.does("text=$(cat menu.txt)")
	if err := b.Insert(0, "up"); err != nil {
		t.Fatal(err)
	}
	becomes(t, "the size", size, fmt.Sprintln(len("upon\nwritten\nsoup\ndark bread\ngreen tea\n")))
	k.does(`text=$(echo "$text" | sed 's/soup/stew/'); echo "$text" > menu.txt`)
	becomes(t, "the buffer", b.Text, "upon\nwritten\nstew\ndark bread\ngreen tea\n")
	becomes(t, "the size", size, fmt.Sprintln(len("upon\nwritten\nstew\ndark bread\ngreen tea\n")))
	k.does(`echo "$text" | sed 's/stew/soup/' > menu.txt`)
	becomes(t, "the buffer", b.Text, "upon\nwritten\nsoup\ndark bread\ngreen tea\n")
	if err := b.Replace(0, len("up"), ""); err != nil {
		t.Fatal(err)
	}
	// It comes and goes with the unsaved text.
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	mounted := func() string { return k.does("grep -c menu.txt /proc/self/mountinfo") }
	becomes(t, "the number of mounts", mounted, "0\n")
	if err := b.Insert(0, "over and "); err != nil {
		t.Fatal(err)
	}
	becomes(t, "the shadow", cat, "over and on\nwritten\nsoup\ndark bread\ngreen tea\n")
	said := k.ends()
	if strings.Count(said, "\n") != 2 || !strings.Contains(said, "menu.txt: 2 changes of the agent not made: the same lines have changed since; it is in ") {
		t.Errorf("it said %q", said)
	}
	said, _, _ = strings.Cut(said, "\n")
	_, name, _ := strings.Cut(strings.TrimSpace(said), "; it is in ")
	if got := liveeditor.OnDisk(t, name); !strings.Contains(got, "-typed\n+scribbled\n") {
		t.Errorf("%s has %q", name, got)
	}
	nothingLeft(t)
}

// While a program keeps the file open to read it, others see what is typed. What a program writes that had the file
// open when the text changed is an edit of the text that it had.
func TestRunWithAFileHeldOpen(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("menu.txt", "typed\n")
	k := startTalk(t, root)
	k.does("exec 3< menu.txt; exec 4>> menu.txt")
	if err := b.Insert(0, "on\n"); err != nil {
		t.Fatal(err)
	}
	becomes(t, "the shadow", func() string { return k.does("cat menu.txt") }, "on\ntyped\n"+menu)
	if got := k.does("cat <&3"); got != "typed\n"+menu {
		t.Errorf("the reader sees %q", got)
	}
	k.does("echo cake >&4; exec 3<&-; exec 4>&-")
	becomes(t, "the buffer", b.Text, "on\ntyped\n"+menu+"cake\n")
	becomes(t, "the shadow", func() string { return k.does("cat menu.txt") }, "on\ntyped\n"+menu+"cake\n")
	k.does("exec 4>> menu.txt; echo water >&4")
	if said := k.ends(); said != "" { // with the file open
		t.Errorf("it said %s", said)
	}
	if got := b.Text(); got != "on\ntyped\n"+menu+"cake\nwater\n" {
		t.Errorf("the buffer has %q", got)
	}
}

// What a program writes to a file without unsaved text, it reads again, also before the editor has read it.
func TestRunWritesASavedFile(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu, "other.txt": menu})
	l := liveeditor.Start(t, root, headless.Options{})
	l.OpenSaved("menu.txt")
	k := startTalk(t, root)
	k.does("echo cake >> menu.txt")
	l.Typed("other.txt", "typed\n")
	becomes(t, "the other file", func() string { return k.does("cat other.txt") }, "typed\n"+menu) // the keeper has looked
	if got := k.does("cat menu.txt"); got != menu+"cake\n" {
		t.Errorf("it reads %q", got)
	}
	k.ends()
	nothingLeft(t)
}

// A file that is open twice, once by a link, is shown with the unsaved text.
func TestRunWithALink(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	link := filepath.Join(root, "link.txt")
	if err := os.Symlink("menu.txt", link); err != nil {
		t.Fatal(err)
	}
	l := liveeditor.Start(t, root, headless.Options{})
	b := l.Typed("menu.txt", "first\n")
	k := startTalk(t, root)
	cat := func() string { return k.does("cat menu.txt") }
	becomes(t, "the shadow", cat, "first\n"+menu)
	// This editor has one buffer for a file. Others open a second one.
	if err := l.Notify(t.Context(), "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": "file://" + link, "languageId": "plaintext", "version": 1, "text": "second\n" + menu,
	}}); err != nil {
		t.Fatal(err)
	}
	if !b.Undo() {
		t.Fatal("nothing is undone")
	}
	becomes(t, "the shadow", cat, "second\n"+menu)
	if said := k.ends(); said != "" {
		t.Errorf("it said %s", said)
	}
}

// A renamed folder takes its shadows along. They are then removed, because their files are gone: writes go to the disk.
func TestRunWithARenamedFolder(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"src/menu.txt": menu})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("src/menu.txt", "typed\n")
	k := startTalk(t, root)
	const moved = `a b\c` // in mountinfo both are written as numbers
	const to = `"a b\\c"`
	cat := func() string { return k.does("cat " + to + "/menu.txt") }
	if got := k.does("mv src " + to + "; cat " + to + "/menu.txt"); got != "typed\n"+menu {
		t.Errorf("it has %q", got)
	}
	becomes(t, "the file", cat, menu)
	k.does("echo cake >> " + to + "/menu.txt")
	if got := liveeditor.OnDisk(t, filepath.Join(root, moved, "menu.txt")); got != menu+"cake\n" {
		t.Errorf("the disk has %q", got)
	}
	// Rename the folder back, and then put another folder in its place.
	k.does("mv " + to + " src")
	becomes(t, "the shadow", func() string { return k.does("cat src/menu.txt") }, b.Text())
	k.does("mv src old; mkdir src; echo new > src/menu.txt")
	becomes(t, "the file", func() string { return k.does("cat old/menu.txt") }, menu+"cake\n")
	if said := k.ends(); said != "" {
		t.Errorf("it said %s", said)
	}
	nothingLeft(t)
}

// Two agents that write the whole text again and again lose nothing of each other's, nor of what the user types.
func TestTwoRuns(t *testing.T) {
	liveeditor.Home(t)
	const each = 20
	lines, want, keys := "", "", ""
	for i := range each {
		lines += fmt.Sprintf("x%d\ny%d\n", i, i)
		want += fmt.Sprintf("x%d done\ny%d done\n", i, i)
		keys += "k"
	}
	root := liveeditor.Folder(t, map[string]string{"menu.txt": lines})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "\n")
	agents := map[string]*talk{"x": startTalk(t, root), "y": startTalk(t, root)}
	var all sync.WaitGroup
	for name, k := range agents {
		all.Go(func() {
			for i := range each {
				k.does(fmt.Sprintf(`text=$(sed 's/^%s%d$/& done/' menu.txt); echo "$text" > menu.txt`, name, i))
				if name == "x" {
					if err := b.Insert(0, "k"); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for _, k := range agents {
		if said := k.ends(); said != "" {
			t.Errorf("it said %s", said)
		}
	}
	if got := b.Text(); got != keys+"\n"+want {
		t.Errorf("the buffer has %q", got)
	}
	nothingLeft(t)
}

// TestRunIsKilled: what is killed leaves no shadow and no folder, and what the agent wrote before is in the buffer.
func TestRunIsKilled(t *testing.T) {
	liveeditor.Home(t)
	root := liveeditor.Folder(t, map[string]string{"menu.txt": menu})
	b := liveeditor.Start(t, root, headless.Options{}).Typed("menu.txt", "typed\n")
	k := startTalk(t, root)
	k.does("echo cake >> menu.txt")
	fmt.Fprintln(k.in, "kill -KILL $$")
	err := k.cmd.Wait()
	if status := k.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("it ended with %v", err)
	}
	if got := b.Text(); got != "typed\n"+menu+"cake\n" {
		t.Errorf("the buffer has %q", got)
	}
	nothingLeft(t)

	// The agent ends with the keeper.
	k = startTalk(t, root)
	k.does(`echo $PPID > keeper; (while [ -d /proc/$$ ]; do :; done; echo gone > gone) 2>/dev/null &`)
	var keeper int
	if _, err := fmt.Sscan(liveeditor.OnDisk(t, filepath.Join(root, "keeper")), &keeper); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(keeper, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = k.cmd.Wait()
	becomes(t, "the file", func() string {
		raw, _ := os.ReadFile(filepath.Join(root, "gone"))
		return string(raw)
	}, "gone\n")
	nothingLeft(t)

	// A signal goes to the agent, whose answer counts.
	k = startTalk(t, root)
	fmt.Fprintln(k.in, "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done")
	if said, err := k.out.ReadString('\n'); said != "ready\n" {
		t.Fatalf("%q, %v", said, err)
	}
	if err := k.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = k.cmd.Wait()
	if code := k.cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d", code)
	}
	nothingLeft(t)
}

// TestRunInRun: the error names the cause, which is no setting of the system.
func TestRunInRun(t *testing.T) {
	liveeditor.Home(t)
	cmd := startRun(t, t.TempDir(), "true")
	inner := cmd.Args
	cmd.Args = append([]string{cmd.Path, "run", "--", cmd.Path}, inner[1:]...)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is running already") {
		t.Errorf("%v: %s", err, out)
	}
}
