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
