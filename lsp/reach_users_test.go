package lsp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/workspace/paths"
)

// workbench is a session in which the user and their tools do what is usual: editors and formatters save by renaming, branches
// are switched, files are reached through links, and names change their case.
type workbench struct {
	*session
	base string // holds the workspace ws and the folder real, which the workspace folder link leads to
	dice *rand.Rand
	away map[string]string // names that have changed their case, and what they were
}

// benchFiles are the names by which agents and the user know the files; some are links, and some are in folders that are.
var benchFiles = []string{"ws/a.txt", "ws/b.txt", "ws/d/c.txt", "ws/d/e/f.txt", "ws/inner/c.txt", "ws/to-a.txt", "link/a.txt", "link/d/c.txt"}

func (w *workbench) path(name string) string { return filepath.Join(w.base, name) }

func newWorkbench(t *testing.T, editor string, seed uint64) *workbench {
	t.Helper()
	w := &workbench{base: t.TempDir(), dice: rand.New(rand.NewPCG(seed, 3)), away: map[string]string{}}
	w.branch()
	for link, to := range map[string]string{
		"link": "real", "ws/inner": "d", "ws/to-a.txt": "a.txt", "ws/node_modules/dep": "../d", "ws/.cache": "../real", "ws/.git/hooks/pre-commit": "../../a.txt",
	} {
		_ = os.MkdirAll(filepath.Dir(w.path(link)), 0o755)
		if err := os.Symlink(to, w.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	persona, _ := personas.Named(editor)
	w.session = startInBubble(t, nil, persona.Options(headless.Options{Roots: []string{w.path("ws"), w.path("link")}}))
	return w
}

// branch replaces all files, as git does: the old ones are removed, and a folder with them if nothing is left in it.
func (w *workbench) branch() {
	if w.dice.IntN(2) == 0 {
		_ = os.RemoveAll(w.path("ws/d"))
	}
	for _, name := range []string{"ws/a.txt", "ws/b.txt", "ws/d/c.txt", "ws/d/e/f.txt", "real/a.txt", "real/d/c.txt"} {
		_ = os.Remove(w.path(name))
		_ = os.MkdirAll(filepath.Dir(w.path(name)), 0o755)
		_ = os.WriteFile(w.path(name), []byte(w.content()), 0o600)
	}
}

func (w *workbench) content() string {
	return fmt.Sprintf("one\ntwo of %d\nthree\n", w.dice.IntN(3))
}

// works does one thing of the user or their tools.
func (w *workbench) works() string {
	name := pick(w.dice, benchFiles)
	path := w.path(name)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if real = path; name == "ws/to-a.txt" { // tools follow a link also where it leads to nothing now
			real = w.path("ws/a.txt")
		}
	}
	var b *headless.Buffer
	if open := w.Buffers(); len(open) > 0 {
		b = pick(w.dice, open)
	}
	did := pick(w.dice, []string{"open", "open", "type", "save", "close", "tool", "tool", "branch", "case"})
	switch {
	case did == "open" || b == nil:
		_, _ = w.Open(path)
		return "open " + name
	case did == "type":
		_ = b.Insert(0, "typed\n")
	case did == "save":
		_ = b.Save()
		pass(200 * time.Millisecond)
	case did == "close":
		b.Close()
	case did == "tool": // it saves by renaming
		_ = os.WriteFile(real+"~", []byte(w.content()), 0o600)
		_ = os.Rename(real+"~", real)
		w.tells(name)
		return did + " " + name
	case did == "branch":
		w.branch()
		w.tells(benchFiles...)
	case did == "case":
		if was := w.away[name]; was != "" {
			_ = os.Rename(was, real)
			delete(w.away, name)
		} else if upper := strings.ToUpper(real); os.Rename(real, filepath.Join(filepath.Dir(real), filepath.Base(upper))) == nil {
			w.away[name] = filepath.Join(filepath.Dir(real), filepath.Base(upper))
		}
		w.tells(name)
		return did + " " + name
	}
	return did + " " + b.Path()
}

// tells has the editor see that files have changed: it reports them, and reads those again that are not edited.
func (w *workbench) tells(names ...string) {
	var changes []args
	for _, name := range names {
		changes = append(changes, args{"uri": paths.FileURI(w.path(name)), "type": 2})
	}
	_ = w.Notify(context.Background(), "workspace/didChangeWatchedFiles", args{"changes": changes})
	for _, b := range w.Buffers() {
		if !b.Dirty() {
			_ = personas.Reload(w.Editor, b)
		}
	}
	pass(time.Second)
}

// asks runs a random command of an agent.
func (w *workbench) asks() (command string, err error) {
	path := w.path(pick(w.dice, benchFiles))
	a := args{"path": path}
	switch command = pick(w.dice, []string{"view", "document", "str_replace", "insert", "write", "save", "save", "undo", "list"}); command {
	case "document":
		a = args{"uri": paths.FileURI(path)}
	case "list", "undo":
		a = args{}
	case "str_replace":
		a["old_str"], a["new_str"], a["save"] = pick(w.dice, []string{"one", "two", "three"}), pick(w.dice, []string{"one", "2"}), w.dice.IntN(2) == 0
	case "insert":
		a["after_line"], a["content"], a["save"] = 0, "new", w.dice.IntN(2) == 0
	case "write":
		a["content"] = w.content()
	case "save":
		a = args{"paths": []string{path}}
	}
	raw, err := w.Execute(context.Background(), "patchls."+command, a)
	if err == nil && strings.Contains(string(raw), "lead") { // a note says why a file was not saved
		err = fmt.Errorf("%s", raw)
	}
	return fmt.Sprintf("%s %v", command, a), err
}

// isOfReach reports whether an error says that the name of a document leads elsewhere than it should. Other refusals are
// usual: a text is not there, or is there twice, or another program has written the file.
func isOfReach(err error) bool {
	return err != nil &&
		(strings.Contains(err.Error(), "lead") || strings.Contains(err.Error(), "outside") || strings.Contains(err.Error(), "led ") || strings.Contains(err.Error(), "protected"))
}

// TestRandomWork: nothing is refused to an agent because of where names lead, while the user and their tools work at random.
func TestRandomWork(t *testing.T) {
	steps := chance.Number(t, "PATCHLS_LINK_STEPS", 1200)
	seed, _ := chance.First(t)
	editors := []string{"", "vscode-plugin", "neovim-plugin", "zed"}
	for _, editor := range editors {
		t.Run(editor, func(t *testing.T) {
			done := 0
			for run := range max(1, steps/uint64(len(editors))/preyRun) {
				bubble(t, func(t *testing.T) {
					w := newWorkbench(t, editor, seed+run)
					var all []string
					for range preyRun {
						if w.dice.IntN(2) == 0 {
							all = append(all, w.works())
						} else {
							command, err := w.asks()
							all = append(all, command)
							if err == nil {
								done++
							} else if isOfReach(err) {
								t.Fatalf("PATCHLS_FIRST_SEED=%d: %v\nafter %s", seed+run, err, strings.Join(all, "\n      "))
							}
						}
						personas.Flush(w.Editor)
						pass(10 * time.Millisecond)
					}
				})
				if t.Failed() {
					return
				}
			}
			t.Logf("%d commands were done", done)
			if done == 0 {
				t.Error("no command was done, so the test is blind")
			}
		})
	}
}
