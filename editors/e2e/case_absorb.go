//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// absorb are the cases in which another program writes a file with unsaved text of the user, in editors
// with a plugin. Each script changes the file $1 as [written] does.
var absorb = []testCase{
	{"absorb-sed", absorbs(1, `sed -i 's/  = / = /' "$1"`)},
	{"absorb-gofmt", absorbs(1, `gofmt -w "$1"`)},
	{"absorb-checkout", absorbs(1, `git init -q && blob=$(gofmt "$1" | git hash-object -w --stdin) &&
		git update-index --add --cacheinfo 100644,$blob,"$1" && printf 'y\n' | git checkout -p -- "$1"`)},
	{"absorb-rename", absorbs(1, `gofmt "$1" > new && mv new "$1"`)},
	{"absorb-pieces", absorbs(1, `text=$(gofmt "$1") && { printf '%.20s' "$text"; sleep 0.03
		printf '%s' "$text" | head -c 50 | tail -c +21; sleep 0.03; printf '%s\n' "$text" | tail -c +51; } > "$1"`)},
	{"absorb-restored", absorbsRestored},
}

// absorbInNeovim are those of what the user does in Neovim then; VS Code's are in absorb.test.mjs.
var absorbInNeovim = []testCase{
	{"absorb-while-saving", savesMeanwhile},
	{"absorb-review", reviewsMerge},
	{"absorb-unchanged", reloadsUnchanged},
}

// absorbAgents are the same cases with agent programs that do not know patchls, and use their own file
// tools.
func absorbAgents(names string) (cases []testCase) {
	for name := range strings.SplitSeq(names, ",") {
		if isAdapter(name) { // which patchls acp alone starts
			continue
		}
		cases = append(cases, testCase{"absorb-" + name, absorbs(2, `gofmt "$1" | "$AGENTS" -file "$1" -only `+name)})
	}
	return cases
}

// Editors without a plugin.
var (
	absorbInStockNeovim = absorbAsked([]string{":write", "Enter"}, "really want to write to it (y/n)?", []string{"y"})
	absorbInHelix       = absorbAsked([]string{":write", "Enter"}, "modified by an external process, use :w! to overwrite", []string{":w!", "Enter"})
	absorbInEmacs       = absorbAsked([]string{"C-x", "C-s"}, "Save anyway? (yes or no)", []string{"yes", "Enter"})
)

const absorbBefore = "package menu\n\nvar soup  = 1\n\nvar bread = 2\n\nvar tea  = 3\n\nvar cake = 4\n"

// written is what the other program makes of a text.
func written(text string) string { return strings.ReplaceAll(text, "  = ", " = ") }

// runs has another program write a file.
func (t *trial) runs(script, name string) {
	cmd := exec.CommandContext(context.Background(), "sh", "-c", script, "sh", name)
	cmd.Dir, cmd.Env = t.folder, append(os.Environ(), "AGENTS="+t.seat.Agents, cacheVariable+"="+t.seat.Cache)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	t.must("another program writes", err)
}

// typesAround opens a file and types in it above, below and between what is written then. The
// user stays in the last of these places. It returns the buffer's text around that.
func (t *trial) typesAround(name string) (before, after string) {
	t.write(name, absorbBefore)
	t.open(name)
	t.types(name, 1, len("package menu")+1, " // above")
	t.types(name, 9, len("var cake = 4")+1, " // below")
	t.types(name, 5, len("var bread = 2")+1, " // between")
	b, err := t.Text(t.path(name))
	t.must("typed", err)
	before, after, _ = strings.Cut(b.Text, "between")
	return before + "between", after
}

// merged waits until a buffer has all that the other program has written.
func (t *trial) merged(name string) {
	t.must("merged", until(settleTime, func() error {
		b, err := t.Text(t.path(name))
		if err == nil && strings.Contains(b.Text, "  = ") {
			err = fmt.Errorf("the buffer has %q", b.Text)
		}
		return err
	}))
}

// named waits until the user sees what was merged, and whose it is.
func (t *trial) named(name string) {
	if t.inNeovim() {
		t.must("lenses", t.onScreen(2, "patchls: keep | revert | text removed by disk"))
		t.must("marks", t.marked(2))
	} else {
		t.must("lenses and marks", t.showsIn(name, 2, "text removed by disk"))
	}
}

func (t *trial) inNeovim() bool {
	_, is := t.Editor.(*nvim)
	return is
}

// saves makes the user save a file, which must then have the text want, and checks that no question is asked.
func (t *trial) saves(name, want string) {
	if t.inNeovim() {
		t.presses(":write<CR>")
	} else {
		t.must("save", t.Save(t.path(name)))
	}
	t.must("saved", until(settleTime, func() error { return t.disk(name, want) }))
	t.must("nothing is asked", t.savedUnasked())
}

// savedUnasked returns an error if the editor asks the user something after a save.
func (t *trial) savedUnasked() error {
	if t.inNeovim() {
		return t.unprompted()
	}
	var asked []string
	err := t.window().do(&asked, "asked", nil)
	if err == nil && slices.ContainsFunc(asked, func(s string) bool { return strings.Contains(s, "Failed to save") }) {
		err = fmt.Errorf("VS Code asks %q", asked)
	}
	return err
}

// closes has the user close a file.
func (t *trial) closes(name string) {
	if t.inNeovim() {
		t.presses(":bwipeout<CR>")
	} else {
		t.must("closed", t.window().do(nil, "forget", args{"paths": []string{t.path(name)}}))
	}
}

// absorbs is a case: what a script writes is merged into the buffer, one undo for each of its writes takes it
// out, and the user saves both texts without a question. In all rounds but the first, the user types meanwhile.
func absorbs(writes int, script string) func(*trial) {
	return func(t *trial) {
		for ; t.rounds < t.seat.rounds; t.rounds++ {
			name := fmt.Sprintf("%d.go", t.rounds)
			before, after := t.typesAround(name)
			keys := ""
			if t.rounds == 0 {
				t.must("rest", t.Rest())
				t.runs(script, name)
				t.merged(name)
			} else {
				y := t.begins(" and the user types on and on while another program writes")
				t.runs(script, name)
				t.merged(name)
				y.reaches(int(y.typed.Load()) + 3)
				keys = t.ends(y)
				t.must("rest", t.Rest())
			}
			t.named(name)
			t.must("both texts", until(settleTime, func() error { return t.same(name, written(before)+keys+written(after)) }))
			t.undoes(writes, name, before, keys, after)
			t.saves(name, written(before)+keys+written(after))
			t.undoes(writes, name, before, keys, after)
			t.closes(name)
		}
	}
}

// undoes undoes what was typed since the merges, and then each merge by one undo, and redoes all.
func (t *trial) undoes(writes int, name, before, keys, after string) {
	var b buffer
	undos := 0
	for undos == 0 || undos < writes+len(keys) && strings.Count(b.Text, "  = ") < 2 {
		t.must("undo", t.Undo(t.path(name)))
		var err error
		b, err = t.Text(t.path(name))
		t.must("undo", err)
		undos++
	}
	left, begins := strings.CutPrefix(b.Text, before)
	left, ends := strings.CutSuffix(left, after)
	if !begins || !ends || !strings.HasPrefix(keys, left) {
		t.must("one undo takes just the merge", fmt.Errorf("after %d times the buffer has %q", undos, b.Text))
	}
	for range undos {
		t.must("redo", t.Redo(t.path(name)))
	}
	t.must("redo", t.same(name, written(before)+keys+written(after)))
}

// savesMeanwhile: the user saves while the other program writes, or right after. Unless both texts are
// saved, the editor asks the user, who answers no.
func savesMeanwhile(t *trial) {
	for ; t.rounds < t.seat.rounds; t.rounds++ {
		name := fmt.Sprintf("%d.go", t.rounds)
		before, after := t.typesAround(name)
		t.must("rest", t.Rest())
		t.runs(`gofmt -w "$1"`, name)
		time.Sleep(rand.N(300 * time.Millisecond)) //nolint:gosec // no secret
		t.presses(":write<CR>")
		both := written(before) + written(after)
		t.must("saved or asked", until(settleTime, func() error {
			if strings.Contains(t.Screen(), "really want to write") {
				return nil
			}
			return t.disk(name, both)
		}))
		if t.disk(name, both) != nil {
			t.must("no", t.nvim().keys("n<CR>"))
			t.check("nothing is overwritten", t.disk(name, written(absorbBefore)))
			t.merged(name)
			t.saves(name, both)
		}
		t.must("nothing is asked", t.savedUnasked())
		t.closes(name)
	}
}

// reviewsMerge: what another program has written is reviewed as an agent's edit is.
func reviewsMerge(t *trial) {
	before, after := t.typesAround("a.go")
	t.must("rest", t.Rest())
	t.runs(`gofmt -w "$1"`, "a.go")
	t.merged("a.go")
	t.named("a.go")
	t.presses("gg:Patchls next<CR>:Patchls revert<CR>")
	t.must("one is reverted", until(settleTime, func() error { return t.same("a.go", before+written(after)) }))
	t.check("the other is marked", t.marked(1))
	t.presses(":Patchls undo<CR>")
	t.must("all is undone", until(settleTime, func() error { return t.same("a.go", before+after) }))
	t.check("nothing is marked", t.marked(0))
	t.presses(":write<CR>")
	t.must("asked", t.onScreen(1, "really want to write to it (y/n)?"))
	t.must("yes", t.nvim().keys("y"))
	t.check("saved", until(settleTime, func() error { return t.disk("a.go", before+after) }))
}

// reloadsUnchanged: a buffer without unsaved text shows what another program writes, without a key and without the focus. If
// the user is in insert mode and has typed nothing, it does so once they leave that mode.
func reloadsUnchanged(t *trial) {
	t.write("a.go", absorbBefore)
	t.open("a.go")
	t.runs(`gofmt -w "$1"`, "a.go")
	t.must("reloaded", until(settleTime, func() error { return t.same("a.go", written(absorbBefore)) }))
	t.presses("i")
	t.runs(`sed -i s/soup/broth/ "$1"`, "a.go")
	t.must("insert mode", t.Rest())
	t.presses("<Esc>")
	t.must("reloaded then", until(settleTime, func() error { return t.same("a.go", strings.Replace(written(absorbBefore), "soup", "broth", 1)) }))
	t.must("nothing is asked", t.unprompted())
}

// absorbsRestored: the server dies, and a new one gets a buffer with unsaved text. In VS Code, the window is loaded anew after
// that, which restores the unsaved text from a backup (hot exit). The plugin tells each new server what the file held, so what
// another program writes then is merged at once, and the user saves without a question.
func absorbsRestored(t *trial) {
	before, after := t.typesAround("a.go")
	t.must("rest", t.Rest())
	_, err := t.killServer()
	t.must("server is killed", err)
	t.must("a new server knows the file", until(20*time.Second, func() error { return t.saidInCommon("a.go", 1) }))
	if !t.inNeovim() {
		t.must("a backup", until(settleTime, t.backedUp))
		t.must("reload", t.window().do(nil, "reload", nil))
		t.must("the next server knows the file", until(20*time.Second, func() error { return t.saidInCommon("a.go", 2) }))
	}
	t.runs(`gofmt -w "$1"`, "a.go")
	t.merged("a.go")
	t.must("both texts", until(settleTime, func() error { return t.same("a.go", written(before)+written(after)) }))
	t.saves("a.go", written(before)+written(after))
}

// backedUp returns an error until VS Code has a backup of all that typesAround types, which it writes a second later or so.
func (t *trial) backedUp() error {
	backups, err := filepath.Glob(filepath.Join(t.seat.folder, "state*", "data", "User", "Backups", "*", "*", "*"))
	for _, backup := range backups {
		if raw, _ := os.ReadFile(backup); bytes.Contains(raw, []byte(t.path("a.go"))) && bytes.Contains(raw, []byte("// between")) {
			return nil
		}
	}
	return errors.Join(err, fmt.Errorf("the unsaved text is in none of %d backups", len(backups)))
}

// saidInCommon returns an error until that many servers have answered the plugin's patchls/synced that says what the file of a
// buffer held, which the recorders have logged. Neovim starts none before the user has seen its message that one has ended.
func (t *trial) saidInCommon(name string, servers int) error {
	if _, err := t.Text(t.path(name)); err != nil {
		return err
	}
	logs, err := filepath.Glob(filepath.Join(t.seat.wire(), "*.jsonl"))
	if err != nil {
		return err
	}
	n := 0
	for _, log := range logs {
		raw, err := os.ReadFile(log)
		if err != nil {
			return err
		}
		if saysInCommon(raw, t.path(name)) {
			n++
		}
	}
	if n < servers {
		return fmt.Errorf("%d servers know what %s held, want %d", n, name, servers)
	}
	return nil
}

// saysInCommon reports whether a recorder has logged such a request about a file, and its answer.
func saysInCommon(log []byte, path string) bool {
	asked := map[string]bool{}
	for line := range bytes.Lines(log) {
		var e entry
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				TextDocument struct {
					URI  string
					File *string
				}
			}
		}
		if json.Unmarshal(line, &e) != nil || json.Unmarshal([]byte(e.Body), &m) != nil {
			continue // not written whole yet
		}
		doc := m.Params.TextDocument
		switch {
		case e.From == fromServer && m.Method == "" && asked[string(m.ID)]:
			return true
		case e.From == fromClient && m.Method == "patchls/synced" && doc.File != nil && pathOf(doc.URI) == path:
			asked[string(m.ID)] = true
		}
	}
	return false
}

// absorbAsked is the case of an editor without a plugin, which asks when the user saves. save and answer
// are keys in tmux's notation; question is the text that the editor shows.
func absorbAsked(save []string, question string, answer []string) []testCase {
	return []testCase{{"absorb", func(t *trial) {
		before, after := t.typesAround("a.txt")
		t.must("rest", t.Rest())
		t.runs(`gofmt -w "$1"`, "a.txt")
		both := written(before) + written(after)
		t.must("merged", until(settleTime, func() error { return t.same("a.txt", both) }))
		t.check("undo", t.Undo(t.path("a.txt")))
		t.check("one undo takes just the merge", t.same("a.txt", before+after))
		t.check("redo", t.Redo(t.path("a.txt")))
		t.must("redo", t.same("a.txt", both))
		e, _ := t.Editor.(interface {
			keyboard() *terminal
		})
		t.must("save", e.keyboard().keys(save...))
		t.must("asked", t.onScreen(1, question))
		t.check("disk is as it was written", t.disk("a.txt", written(absorbBefore)))
		t.must("answer", e.keyboard().keys(answer...))
		t.check("saved", until(settleTime, func() error { return t.disk("a.txt", both) }))
	}}}
}
