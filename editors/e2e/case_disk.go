//go:build unix

package main

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/lsp/transaction"
)

// agentSave: an agent has one file saved, and the others stay as they are.
func agentSave(t *trial) {
	t.write("a.txt", "one\n")
	t.write("b.txt", "one\n")
	t.open("a.txt", "b.txt")
	t.types("b.txt", 1, 1, "typed in b ")
	t.types("a.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "one", "new_str": "1"})
	var r transaction.Result
	err := t.agent.execute("save", args{"paths": []string{t.path("a.txt")}}, &r)
	t.must("saved", err)
	t.check("disk has the text", t.disk("a.txt", "typed 1\n"))
	t.check("the other is as it was", t.disk("b.txt", "one\n"))
	b, err := t.Text(t.path("a.txt"))
	if err == nil && b.Dirty {
		err = fmt.Errorf("the editor holds a.txt for unsaved")
	}
	t.check("editor knows", err)
}

// reload: the user loads what another program has written, and the agent goes on there.
func reload(t *trial) {
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "two", "new_str": "2"})
	t.write("a.txt", "of another program\none\n")
	t.must("reload", t.Reload(t.path("a.txt")))
	t.must("reload", t.same("a.txt", "of another program\none\n"))
	t.must("server has the text", t.told("a.txt"))
	t.types("a.txt", 2, 1, "typed ")
	t.must("rest", t.Rest())
	t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "one", "new_str": "1"})
	t.check("text", t.same("a.txt", "of another program\ntyped 1\n"))
	t.check("saved", t.Save(t.path("a.txt")))
	t.check("disk has the text", t.disk("a.txt", "of another program\ntyped 1\n"))
}

// changedOnDisk: another program writes a file with unsaved text. The edit is made in the
// user's buffer, and the answer has a note about the file.
func changedOnDisk(t *trial) {
	t.write("a.txt", "one\ntwo\n")
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	t.write("a.txt", "of another program\n")
	r := t.edit("str_replace", args{"path": t.path("a.txt"), "old_str": "two", "new_str": "2"})
	t.check("text", t.same("a.txt", "typed one\n2\n"))
	t.check("disk unchanged", t.disk("a.txt", "of another program\n"))
	var err error
	if !strings.Contains(strings.Join(r.Notes, "\n"), "another program") {
		err = fmt.Errorf("no note says that disk has another text: %q", r.Notes)
	}
	t.check("note", err)
	t.check("reload", t.Reload(t.path("a.txt")))
}
