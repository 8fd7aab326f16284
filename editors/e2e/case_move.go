//go:build unix

package main

import (
	"fmt"
	"os"
	"strings"
)

// moveUnsaved: an agent moves a file in which the user has typed. What was typed is in the buffer of the new name, and not on
// disk; the user's undo takes it away, and their save writes it to the new name. An editor that would save it is not asked.
func moveUnsaved(t *trial) {
	t.write("a.txt", oneTwo)
	t.open("a.txt")
	t.types("a.txt", 1, 1, "typed ")
	t.must("rest", t.Rest())
	patch := "*** Begin Patch\n*** Update File: " + t.path("a.txt") + "\n*** Move to: " + t.path("b.txt") + "\n@@\n-two\n+2\n*** End Patch\n"
	r, err := t.agent.edit("apply_patch", args{"patch": patch})
	if err != nil && (kindOf(err) == "stale" || kindOf(err) == "unsupported") {
		t.check("refused alone where it would be saved", notKept(t))
		t.check("text", t.same("a.txt", "typed one\ntwo\n"))
		t.check("disk", t.disk("a.txt", oneTwo))
		t.check("no new file", t.disk("b.txt", absent))
		return
	}
	t.must("moved", err)
	t.check("text", t.same("b.txt", "typed one\n2\n"))
	t.check("disk", t.disk("b.txt", oneTwo))
	t.check("the old file", t.disk("a.txt", absent))
	b, err := t.Text(t.path("b.txt"))
	if err == nil && !b.Dirty && t.plugin { // the others do not say
		err = fmt.Errorf("the editor holds b.txt for saved")
	}
	t.check("unsaved", err)
	t.must("undo", t.agent.execute("undo", args{"edit_id": r.EditID}, &r))
	t.check("undone", t.same("a.txt", "typed one\ntwo\n"))
	t.check("undone on disk", t.disk("a.txt", oneTwo))
	t.check("no new file", t.disk("b.txt", absent))
	t.check("saved", t.Save(t.path("a.txt")))
	t.check("disk has the text", t.disk("a.txt", "typed one\ntwo\n"))
	t.check("server after saving", t.told("a.txt"))
}

// notKept returns an error if the editor is known to keep unsaved text unsaved when it renames a file.
func notKept(t *trial) error {
	if t.plugin || strings.Contains(t.seat.name, "helix") {
		return fmt.Errorf("the move was refused")
	}
	return nil
}

// moveLink: an agent moves a symbolic link and edits it, which is refused: it may lead elsewhere under another name. Nothing is changed.
func moveLink(t *trial) {
	t.write("conf/env", oneTwo)
	t.must("link", os.Symlink("conf/env", t.path("a.txt")))
	t.write("other.txt", oneTwo)
	t.open("other.txt")
	patch := "*** Begin Patch\n*** Update File: " + t.path("a.txt") + "\n*** Move to: " + t.path("sub/b.txt") + "\n@@\n-two\n+2\n*** End Patch\n"
	_, err := t.agent.edit("apply_patch", args{"patch": patch})
	if kindOf(err) != "unsupported" {
		t.check("refused", fmt.Errorf("the answer is %w", err))
	}
	link, err := os.Readlink(t.path("a.txt"))
	if err == nil && link != "conf/env" {
		err = fmt.Errorf("it leads to %s", link)
	}
	t.check("link", err)
	t.check("its file", t.disk("conf/env", oneTwo))
	t.check("no new file", t.disk("sub/b.txt", absent))
}
