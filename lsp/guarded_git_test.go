package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// gitFolder are files that make the folder docs one of git, and one by which it starts a program.
var gitFolder = []string{"docs/HEAD", "docs/objects/.keep", "docs/refs/.keep", "docs/config"}

// TestAGitFolderUnderAnotherName: the user is asked before a folder comes to be one that git takes for a repository, in whatever
// order and by however many commands its files are made, saved or not.
func TestAGitFolderUnderAnotherName(t *testing.T) {
	seed := chance.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range 30 {
		order := slices.Clone(gitFolder)
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		cut := []int{random.IntN(4), 1 + random.IntN(4)} // in up to three commands
		slices.Sort(cut)
		t.Run(fmt.Sprint(i, order, cut), func(t *testing.T) {
			p := &asked{}
			s := start(t, map[string]string{"docs/readme.md": "one\n"}, headless.Options{Answer: chooses(p.choose)})
			for _, names := range [][]string{order[:cut[0]], order[cut[0]:cut[1]], order[cut[1]:]} {
				if len(names) == 0 {
					continue
				}
				a := addsFiles(names...)
				a["save"] = random.IntN(2) == 0
				_, _ = s.Execute(t.Context(), "patchls.apply_patch", a)
			}
			if len(p.questions) == 0 {
				t.Fatalf("nobody was asked about %q, cut at %d", order, cut)
			}
			if q := p.questions[len(p.questions)-1]; !strings.Contains(q, " is protected: git takes the folder docs for a repository") {
				t.Errorf("asked %q", q)
			}
		})
	}
}

// TestABareRepositoryThatExists: what git acts on in one is guarded, and the rest is not.
func TestABareRepositoryThatExists(t *testing.T) {
	p := &asked{}
	s := start(t, map[string]string{"a/b.git/HEAD": "ref: refs/heads/main\n", "a/b.git/config": "x\n", "a/b.git/objects/x": "", "a/b.git/refs/x": "", "a/b.git/main/src/a.go": "x\n"},
		headless.Options{Answer: chooses(p.choose)})
	s.edit("str_replace", args{"path": "a/b.git/main/src/a.go", "old_str": "x", "new_str": "y"})
	if len(p.questions) > 0 {
		t.Errorf("asked %q", p.questions)
	}
	for command, a := range map[string]args{
		"str_replace": {"path": "a/b.git/config", "old_str": "x", "new_str": "y"},
		"create":      {"path": "a/b.git/hooks/post-checkout", "content": "x\n"},
		"write":       {"path": "a/b.git/HEAD", "content": "x\n"},
	} {
		p.questions = nil
		if f := s.fail(command, a); f.Kind != "rejected_by_editor" || len(p.questions) != 1 {
			t.Errorf("%s: %+v, asked %q", command, f, p.questions)
		}
	}
}

// TestTwoCommandsMakeAGitFolder: a command that comes while another makes a part of such a folder waits for it, so that the user
// is asked about the part that makes it whole.
//
// Fails if Run.takeTurns, or Session.partsInTurn for an undo, takes no turn for the keys of Target.MayMakeGit.
func TestTwoCommandsMakeAGitFolder(t *testing.T) {
	for _, second := range []string{"create", "undo"} {
		t.Run(second, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, "Neovim", operations)
				d.opened(d.file("docs/HEAD"), 1, "ref: refs/heads/main\n")
				a := args{"path": "docs/refs/x", "content": "x\n"}
				if second == "undo" {
					a = args{"edit_id": deletesRef(d)}
				}
				d.ask("create", args{"path": "docs/objects/x", "content": "x\n"})
				first := d.applyEdit()
				asked := d.ask(second, a)
				pass(time.Second)
				d.poll()
				d.opened(d.file("docs/objects/x"), 1, "x\n")
				d.say(first, yes)
				for len(d.sent) == 0 || d.sent[len(d.sent)-1].Method != "window/showMessageRequest" {
					if len(d.edits) > 0 {
						t.Fatalf("an edit was sent and nobody was asked: %s", d.edits[0].Params)
					}
					d.read()
				}
				d.say(d.sent[len(d.sent)-1], "null")
				d.failure(asked, "rejected_by_editor")
			})
		})
	}
}

// deletesRef has an agent delete a file of such a folder, and returns the id of the edit.
func deletesRef(d *player) string {
	writeFile(d.t, filepath.Join(d.root, "docs", "refs", "x"), "x\n")
	id := d.ask("apply_patch", args{"patch": "*** Begin Patch\n*** Delete File: docs/refs/x\n*** End Patch\n"})
	edit := d.applyEdit()
	if err := os.RemoveAll(filepath.Join(d.root, "docs", "refs")); err != nil {
		d.t.Fatal(err)
	}
	d.say(edit, yes)
	return d.result(id).EditID
}
