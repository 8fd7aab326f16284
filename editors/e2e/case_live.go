//go:build unix

package main

import "strings"

// liveAgents are the cases of agent programs that see and edit what is not saved: started by patchls run, behind
// patchls acp as well, or after patchls setup.
func liveAgents(names string) (cases []testCase) {
	for name := range strings.SplitSeq(names, ",") {
		ways := []string{"run", "setup"}
		if isAdapter(name) {
			ways = []string{"acp", "setup"}
		}
		for _, way := range ways {
			cases = append(cases, testCase{way + "-" + name, editsLive(`"$AGENTS" -file "$1" -only ` + name + ` -by ` + way + ` soup "green soup" cake "carrot cake"`)})
		}
	}
	return cases
}

// isAdapter reports whether an agent is started by a client of the Agent Client Protocol.
func isAdapter(name string) bool { return strings.HasSuffix(name, "-acp") }

// editsLive: a program reads a file and edits it, a line that is not saved too, while the user types in it. The disk stays
// as it is, and the user takes back just the two edits.
func editsLive(script string) func(*trial) {
	return func(t *trial) {
		const saved, name = "soup\nbread\ntea\n", "menu.txt"
		t.write(name, saved)
		t.open(name)
		t.types(name, 3, len("tea")+1, "\ncake")
		t.types(name, 2, 1, "typed ")
		y := t.begins(strings.Repeat("and the user types on and on while the program reads and writes ", 10))
		t.runs(script, name)
		keys := t.ends(y)
		t.must("rest", t.Rest())
		typed := "typed " + keys + "bread\ntea\n"
		t.must("text", until(settleTime, func() error { return t.same(name, "green soup\n"+typed+"carrot cake\n") }))
		t.must("server has the text", t.told(name))
		t.must("disk unchanged", t.disk(name, saved))
		both := func() error { return t.same(name, "soup\n"+typed+"cake\n") }
		t.presses(":Patchls undo<CR>")
		t.must("undo takes just an edit", until(settleTime, func() error {
			if err := t.same(name, "green soup\n"+typed+"cake\n"); err == nil || both() != nil {
				return err
			}
			return nil // what is written at once is one edit
		}))
		if both() != nil {
			t.presses(":Patchls undo<CR>")
		}
		t.must("undo takes just the edits", until(settleTime, both))
		t.check("disk unchanged", t.disk(name, saved))
	}
}
