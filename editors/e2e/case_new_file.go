//go:build unix

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/patchls/patchls/lsp/transaction"
)

// newFiles are the cases of files that an agent makes.
var newFiles = []testCase{{"new-file", newFile}, {"new-file-typed-in", newFileTypedIn}}

// newFile: the answer to what makes a file says that its text is not on disk, and that of what also saves it does not.
func newFile(t *trial) {
	t.write("a.txt", oneTwo)
	t.open("a.txt")
	for _, c := range []struct {
		name, command string
		args          args
		save          bool
	}{
		{"made.txt", "create", args{"content": oneTwo}, false},
		{"written.txt", "write", args{"content": oneTwo}, false},
		{"added.txt", "apply_patch", args{"patch": "*** Begin Patch\n*** Add File: " + t.path("added.txt") + "\n+one\n+two\n*** End Patch\n"}, false},
		{"saved.txt", "create", args{"content": oneTwo, "save": true}, true},
	} {
		if c.command != "apply_patch" {
			c.args["path"] = t.path(c.name)
		}
		r, err := t.agent.edit(c.command, c.args)
		t.must("verified", err)
		t.check("said", t.saysNotOnDisk(r, !c.save))
		if !c.save {
			t.check("text", t.same(c.name, oneTwo))
		}
		if t.disk(c.name, "") != nil && !c.save { // VS Code makes an empty file
			t.check("not on disk", t.disk(c.name, absent))
		}
		t.must("saved", t.agent.execute("save", args{"paths": []string{t.path(c.name)}}, &r))
		t.check("disk", t.disk(c.name, oneTwo))
	}
	t.must("without text", t.agent.execute("create", args{"path": t.path("empty.txt"), "content": "", "save": true}, new(transaction.Result)))
	if t.disk("empty.txt", "\n") != nil { // as Neovim has it
		t.check("empty file", t.disk("empty.txt", ""))
	}
}

// newFileTypedIn: a new file in which the user has typed is theirs to save.
func newFileTypedIn(t *trial) {
	t.write("a.txt", oneTwo)
	t.open("a.txt")
	t.edit("create", args{"path": t.path("new.txt"), "content": oneTwo})
	t.types("new.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	r := t.edit("str_replace", args{"path": t.path("new.txt"), "old_str": "two", "new_str": "2", "save": true})
	t.check("text", t.same("new.txt", "typed one\n2\n"))
	if len(r.Files) != 1 || r.Files[0].Saved || !r.Files[0].Dirty {
		t.check("not saved", fmt.Errorf("files %+v", r.Files))
	}
}

func (t *trial) saysNotOnDisk(r transaction.Result, want bool) error {
	if len(r.Files) != 1 {
		return errors.New("not one file")
	}
	if slices.Contains(r.Notes, transaction.NotOnDisk(r.Files[0].Path)) != want {
		return fmt.Errorf("notes %q", r.Notes)
	}
	return nil
}
