//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// links are the cases in which a program beside the agent, such as its shell, changes what a name leads to, in
// editors with a plugin.
var links = []testCase{
	{"link-unsaved", linkUnderUnsavedText},
	{"link-reloaded", linkThatIsReloaded},
	{"link-root", rootThatLeadsElsewhere},
	{"git-by-content", gitByContent},
}

// The file outside, and those of its lines that the program knows.
const (
	secretKey  = "-- BEGIN KEY --\nsecret\n-- END KEY --\n"
	knownOfKey = "-- BEGIN KEY --\n-- END KEY --\n"
)

// outside lays a file outside of the workspace.
func (t *trial) outside() string {
	t.must("files", t.seat.write("outside/id_rsa", secretKey))
	return filepath.Join(t.seat.home(), "outside", "id_rsa")
}

// leads makes a name lead elsewhere, as "ln -sfn" does.
func (t *trial) leads(name, to string) {
	err := os.Symlink(to, t.path("new-link"))
	if err == nil {
		err = os.Rename(t.path("new-link"), t.path(name))
	}
	t.must("link", err)
}

// isOutside returns an error unless a command fails because the file is outside, and tells nothing of what is there.
func (t *trial) isOutside(command string, a args) error {
	var answer any
	err := t.agent.execute(command, a, &answer)
	switch {
	case strings.Contains(fmt.Sprint(answer, err), "secret\n"):
		return fmt.Errorf("%s tells the agent %v, %v", command, answer, err) //nolint:errorlint // err may be nil
	case err == nil:
		return fmt.Errorf("%s is not refused: %v", command, answer)
	}
	return wants(kindOf(err), "outside_workspace")
}

// isOutOfReach checks that no command reaches the document k.txt, and that nothing outside was changed.
func (t *trial) isOutOfReach(out string) {
	path := t.path("k.txt")
	t.check("view", t.isOutside("view", args{"path": path}))
	t.check("edit", t.isOutside("insert", args{"path": path, "after_line": 0, "content": "x", "save": true}))
	t.check("save", t.isOutside("save", args{"paths": []string{path}}))
	raw, err := os.ReadFile(out)
	if err == nil && string(raw) != secretKey {
		err = fmt.Errorf("the file outside has %q", raw)
	}
	t.check("outside", err)
}

// linkUnderUnsavedText: a file that an agent has made and edited is replaced by a link that leads out. Nothing is merged from there.
func linkUnderUnsavedText(t *trial) {
	out := t.outside()
	t.write("b.txt", oneTwo)
	t.open("b.txt")
	_, err := t.agent.edit("create", args{"path": t.path("k.txt"), "content": knownOfKey, "save": true}) // VS Code closes it
	t.must("made", err)
	t.edit("insert", args{"path": t.path("k.txt"), "after_line": 0, "content": "a line"})
	t.types("b.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	t.leads("k.txt", out)
	t.write("b.txt", oneTwo+"three\n")
	t.must("the other is merged", until(settleTime, func() error { return t.same("b.txt", "typed "+oneTwo+"three\n") }))
	t.check("text", t.same("k.txt", "a line\n"+knownOfKey))
	t.isOutOfReach(out)
}

// linkThatIsReloaded: a file without unsaved text is replaced by a link that leads out, and the editor shows what is there.
func linkThatIsReloaded(t *trial) {
	out := t.outside()
	t.write("k.txt", knownOfKey)
	t.open("k.txt")
	t.leads("k.txt", out)
	t.must("reload", t.Reload(t.path("k.txt")))
	t.must("the editor shows it", until(settleTime, func() error { return t.same("k.txt", secretKey) }))
	t.isOutOfReach(out)
}

// rootThatLeadsElsewhere: a workspace folder that is a link comes to lead elsewhere.
func rootThatLeadsElsewhere(t *trial) {
	out := filepath.Dir(t.outside())
	t.must("files", t.seat.write("other/a.txt", oneTwo))
	defer t.withFolderB(filepath.Join(t.seat.home(), "other"))()
	t.must("reached", until(settleTime, func() error {
		var v seen
		return t.agent.execute("view", args{"path": t.path("b/a.txt")}, &v)
	}))
	t.leads("b", out)
	for _, path := range []string{t.path("b/id_rsa"), filepath.Join(out, "id_rsa")} {
		t.check("view", t.isOutside("view", args{"path": path}))
	}
	t.check("create", t.isOutside("create", args{"path": t.path("b/new.txt"), "content": "x\n", "save": true}))
	if _, err := os.Lstat(filepath.Join(out, "new.txt")); !errors.Is(err, os.ErrNotExist) {
		t.check("outside", fmt.Errorf("a file was made there: %v", err)) //nolint:errorlint // err is nil
	}
}

// withFolderB makes the link b the second workspace folder, and returns what ends that. VS Code is started again with both,
// since it starts its extensions again when a second folder comes.
func (t *trial) withFolderB(to string) (end func()) {
	if t.inNeovim() {
		t.leads("b", to)
		t.write("c.txt", oneTwo)
		t.open("c.txt")
		t.presses(fmt.Sprintf(":lua vim.lsp.buf.add_workspace_folder(%q)<CR>", t.path("b")))
		return func() {}
	}
	s := *t.seat
	s.starts, s.cwd = s.starts+100, filepath.Join(s.folder, "two", filepath.Base(t.folder))
	t.folder, s.second = s.cwd, filepath.Join(s.cwd, "b")
	t.must("files", os.MkdirAll(t.folder, 0o755))
	t.leads("b", to)
	second, err := startVSCode(&s)
	t.must("VS Code with two folders", err)
	first, agent := t.Editor, t.agent
	t.Editor, t.agent = second, newHelper(t.folder)
	return func() {
		t.agent.close()
		t.Editor, t.agent = first, agent
		t.check("closed", second.Close())
	}
}

// gitByContent: a folder that git would take for its own is not made without a question, whatever it is called. Git
// would start the program that is named in there.
func gitByContent(t *trial) {
	t.write("a.txt", oneTwo)
	t.open("a.txt")
	started := t.path("started")
	files := []string{
		"docs/HEAD", "ref: refs/heads/main", "docs/objects/.keep", "", "docs/refs/.keep", "",
		"docs/config", "[core]\n+\tbare = false\n+\tworktree = .\n+\tfsmonitor = touch " + started + "; false",
	}
	var patch strings.Builder
	for f := range slices.Chunk(files, 2) {
		patch.WriteString("*** Add File: " + t.path(f[0]) + "\n+" + f[1] + "\n")
	}
	q := t.agent.sends(context.Background(), "apply_patch", args{"patch": "*** Begin Patch\n" + patch.String() + "*** End Patch", "save": true})
	t.must("question", t.asksAboutConfig())
	t.rejects()
	<-q.done
	t.check("rejected", wants(kindOf(q.err), "rejected_by_editor"))
	t.check("disk", t.disk("docs/config", absent))
	_ = exec.CommandContext(context.Background(), "git", "-C", t.path("docs"), "status").Run() // which fails where there is no repository
	t.check("program", t.disk("started", absent))
}

// asksAboutConfig waits until the user is asked about that file.
func (t *trial) asksAboutConfig() error {
	if t.inNeovim() {
		return t.onScreen(2, nvimWaits) // as a message, and in the corner
	}
	return until(settleTime, func() error {
		asked, err := t.asked()
		if err == nil && (len(asked) != 1 || !strings.Contains(asked[0], "docs/config")) {
			err = fmt.Errorf("asked %q", asked)
		}
		return err
	})
}

// rejects has the user say no to the question.
func (t *trial) rejects() {
	if t.inNeovim() {
		t.presses(":Patchls answer reject<CR>")
	} else {
		t.chooses("Reject")
	}
}
