package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

var faultTexts = map[string]string{
	"a.txt": "a1 alpha\na2 beta\na3 gamma\na4 delta\na5 epsilon\na6 zeta\n",
	"b.txt": "b1 alpha\nb2 beta\nb3 gamma\nb4 delta\nb5 epsilon\nb6 zeta\n",
	"c.txt": "c1 alpha\nc2 beta\nc3 gamma\nc4 delta\nc5 epsilon\nc6 zeta\n",
}

// session is the reference session, into which the faults are put.
func (r *faultRun) session() {
	if r.editor == nil {
		return
	}
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		_, _ = r.editor.Open(name)
	}
	r.write("a.txt", "a2 ")
	first := &faultEdit{name: "a.txt", old: "a3 gamma", new: "AGENT1"}
	one, _ := r.command("str_replace", args{"path": "a.txt", "old_str": "a3 gamma", "new_str": "AGENT1"}, first)
	r.write("a.txt", "a4 ")
	r.write("b.txt", "b2 ")
	r.command("edit_lines", args{"path": "b.txt", "edits": []args{
		{"from": 3, "to": 3, "expect": "b3 gamma", "content": "AGENT2"}, {"from": 5, "to": 5, "expect": "b5 epsilon"},
	}}, &faultEdit{name: "b.txt", old: "b3 gamma", new: "AGENT2"}, &faultEdit{name: "b.txt", old: "b5 epsilon"})
	r.write("c.txt", "c1 ")
	r.command("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-a5 epsilon\n+AGENT3\n*** Update File: b.txt\n@@\n-b4 delta\n+AGENT4\n*** Update File: c.txt\n@@\n-c3 gamma\n+AGENT5\n*** End Patch\n"},
		&faultEdit{name: "a.txt", old: "a5 epsilon", new: "AGENT3"}, &faultEdit{name: "b.txt", old: "b4 delta", new: "AGENT4"}, &faultEdit{name: "c.txt", old: "c3 gamma", new: "AGENT5"})
	r.write("a.txt", "a1 ")
	if one.EditID != "" {
		r.command("undo", args{"edit_id": one.EditID})
	}
	r.write("c.txt", "c4 ")
	r.command("save", args{"paths": []string{"a.txt"}})
	r.command("str_replace", args{"path": "b.txt", "old_str": "b6 zeta", "new_str": "AGENT6", "confirm": true}, &faultEdit{name: "b.txt", old: "b6 zeta", new: "AGENT6"})
	r.write("b.txt", "b1 ")
	second := &faultEdit{name: "c.txt", old: "c5 epsilon", new: "AGENT7"}
	two, _ := r.command("str_replace", args{"path": "c.txt", "old_str": "c5 epsilon", "new_str": "AGENT7"}, second)
	r.write("c.txt", "c6 ")
	if two.EditID != "" {
		r.command("revert", args{"edit_id": two.EditID})
	}
	r.command("write", args{"path": "new.txt", "content": "AGENT8\n"}, &faultEdit{name: "new.txt", new: "AGENT8"})
	r.write("a.txt", "a6 ")
}

// faultRoot makes a workspace for a run.
func faultRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range faultTexts {
		writeFile(t, filepath.Join(root, name), content)
	}
	writeFile(t, filepath.Join(root, "spare.txt"), "one\n")
	return root
}

// suffered runs the session with a fault and returns what was wrong.
func suffered(t *testing.T, onWire, onLine *fault, wrong func(int) clockFault) (r *faultRun, failed []string) {
	t.Helper()
	r = newFaultRun(t, faultRoot(t), onWire, onLine, wrong)
	r.session()
	r.judge()
	r.serves()
	r.judge()
	failed = r.end()
	return r, failed
}

func unmarshal(raw json.RawMessage, v any) { _ = json.Unmarshal(raw, v) }
