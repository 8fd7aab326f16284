//go:build unix

package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// shadowedWhileTyping is a case of the editors that take an edit while the user types. Emacs with eglot may refuse
// it for as long; then what the program wrote is kept as a patch.
var shadowedWhileTyping = []testCase{{"run", shadowed}}

// shadowed: a program that patchls run starts reads what the user has typed, and what it makes of that while they
// type on is in the buffer. The disk stays as it is.
func shadowed(t *trial) {
	const saved = "one\ntwo\nthree\n"
	t.write("a.txt", saved)
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	y := t.begins("and the user types on and on while the program reads and writes the whole text ")
	cmd := exec.CommandContext(context.Background(), t.seat.Server, "run", "--", "sh", "-c", `cat a.txt
		for n in two three; do text=$(sed "s/^$n\$/& by sh/" a.txt); sleep 0.3; echo "$text" > a.txt; sleep 0.3; done`)
	cmd.Dir, cmd.Env = t.folder, t.seat.env()
	out, err := cmd.CombinedOutput()
	keys := t.ends(y)
	if err == nil && (!strings.HasPrefix(string(out), "typed ") || strings.Contains(string(out), "patchls")) {
		err = fmt.Errorf("it said %q", out)
	}
	t.check("reads unsaved text", err)
	t.must("rest", t.Rest())
	t.check("text", until(settleTime, func() error { return t.same("a.txt", "typed "+keys+"one\ntwo by sh\nthree by sh\n") }))
	t.check("server has the text", t.told("a.txt"))
	t.check("disk unchanged", t.disk("a.txt", saved))
}

// shadowedAndPaused is a case of the editors with a plugin, in which the user can pause agents.
var shadowedAndPaused = []testCase{{"run-paused", refusedShadow}}

// refusedShadow: the user has paused agents, so what a program that patchls run starts writes is not made. Its write has succeeded by
// then, so the exit code and stderr tell, and the user is told in the editor.
func refusedShadow(t *trial) {
	t.write("a.txt", oneTwo)
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	pause := func(neovim, vscode string) {
		if t.inNeovim() {
			t.presses(":Patchls " + neovim + "<CR>")
		} else {
			t.must(neovim, t.window().do(nil, "command", args{"command": vscode}))
		}
	}
	pause("pause", "patchls.pauseAgents")
	defer pause("resume", "patchls.resumeAgents")
	cmd := exec.CommandContext(context.Background(), t.seat.Server, "run", "--", "sh", "-c", "echo three >> a.txt && echo written")
	cmd.Dir, cmd.Env = t.folder, t.seat.env()
	out, err := cmd.CombinedOutput()
	said, code := string(out), cmd.ProcessState.ExitCode()
	if code != 1 || !strings.HasPrefix(said, "written\n") || !strings.Contains(said, "agents are paused in this editor") || !strings.Contains(said, "; it is in ") {
		t.check("the program's user is told", fmt.Errorf("it ended with %w, and said %q", err, said))
	}
	t.check("the editor's user is told", t.onScreen(1, "did not make an edit"))
	t.check("text", t.same("a.txt", "typed "+oneTwo))
	t.check("disk", t.disk("a.txt", oneTwo))
}
