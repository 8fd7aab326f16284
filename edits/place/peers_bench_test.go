package place_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// BenchmarkBesidePeers times reading and applying patches of 1, 50 and 500 hunks to texts
// of 10 000 to a million lines, next to the installed peers: git, codex (apply_patch in
// the PATH) and the npm package diff (NODE_PATH). Each peer is a process of its own on a
// file; starting git and node alone is measured as "start". The text here is new each
// time, so that counting its lines is included.
func BenchmarkBesidePeers(b *testing.B) {
	for _, lines := range []int{10_000, 100_000, 1_000_000} {
		doc := chance.NumberedLines(lines)
		all := strings.Split(strings.TrimSuffix(doc, "\n"), "\n")
		for _, hunks := range []int{1, 50, 500} {
			f := hunksOf(all, hunks, "exact")
			begin, unified := asBeginPatch(f), asUnified(b, doc, f)
			name := fmt.Sprintf("%d-lines/%d-hunks", lines, hunks)
			for dialect, sent := range map[string]string{"begin": begin, "unified": unified} {
				b.Run(name+"/patchls-"+dialect, func(b *testing.B) {
					for b.Loop() {
						applyOnce(b, doc, sent)
					}
				})
			}
			benchPeer(b, name+"/git", doc, unified, "git", "apply", "--unidiff-zero")
			benchPeer(b, name+"/codex", doc, begin, "apply_patch")
			benchPeer(b, name+"/npm-diff", doc, unified, "node", "-e", npmDiff)
		}
	}
	nearMiss(b)
	benchPeer(b, "start/git", "a\n", "", "git", "--version")
	benchPeer(b, "start/npm-diff", "a\n", "", "node", "-e", "require('diff')")
}

// nearMiss times a patch of 2 000 lines, the last of which does not match, on a text of
// 200 000 lines that all equal the others. Every tool refuses it, sooner or later.
func nearMiss(b *testing.B) {
	b.Helper()
	const line = "\tx = append(x, y)"
	doc := strings.Repeat(line+"\n", 200_000)
	begin := "*** Begin Patch\n*** Update File: f\n@@\n" + strings.Repeat(" "+line+"\n", 1999) + "-\tx = append(x, z)\n*** End Patch\n"
	b.Run("near-miss/patchls", func(b *testing.B) {
		for b.Loop() {
			p, err := patch.Parse(begin)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := place.Plan(p.Files[0], edits.Source{Path: "f", Text: text.New(doc)}, place.Options{}); err == nil {
				b.Fatal("it has a place")
			}
		}
	})
	for name, args := range map[string][]string{"codex": {"apply_patch"}, "git": {"git", "apply"}} {
		sent := begin
		if name == "git" {
			sent = "--- a/f\n+++ b/f\n@@ -5,2000 +5,1999 @@\n" + strings.SplitAfterN(strings.TrimSuffix(begin, "*** End Patch\n"), "@@\n", 2)[1]
		}
		if _, err := exec.LookPath(args[0]); err != nil {
			continue
		}
		b.Run("near-miss/"+name, func(b *testing.B) {
			dir := b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte(doc), 0o644); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Dir, cmd.Stdin = dir, strings.NewReader(sent)
				cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
				if cmd.Run() == nil {
					b.Fatal("it has a place")
				}
			}
		})
	}
}

const npmDiff = `const d = require('diff'), fs = require('fs');
const out = d.applyPatch(fs.readFileSync('f', 'utf8'), fs.readFileSync(0, 'utf8'));
if (out === false) process.exit(1);
fs.writeFileSync('f', out);`

func applyOnce(b *testing.B, doc, written string) {
	b.Helper()
	p, err := patch.Parse(written)
	if err != nil {
		b.Fatal(err)
	}
	src := edits.Source{Path: "f", Text: text.New(doc)}
	plan, err := place.Plan(p.Files[0], src, place.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if plan.Edits.Apply(src.Text).Len() <= len(doc) {
		b.Fatal("nothing was added")
	}
}

// benchPeer runs a program on the file f and the patch at its input; it is left
// out where it is not installed, or cannot do it.
func benchPeer(b *testing.B, name, doc, sent, program string, args ...string) {
	b.Helper()
	if _, err := exec.LookPath(program); err != nil {
		return
	}
	dir := b.TempDir()
	file := filepath.Join(dir, "f")
	run := func() error {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(sent)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		return cmd.Run()
	}
	reset := func() {
		if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	reset()
	if run() != nil {
		return
	}
	b.Run(name, func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			reset()
			b.StartTimer()
			if err := run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func asBeginPatch(f patch.File) string {
	var b bytes.Buffer
	b.WriteString("*** Begin Patch\n*** Update File: f\n")
	for _, h := range f.Hunks {
		b.WriteString("@@\n")
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%c%s\n", l.Kind, l.Text)
		}
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

func asUnified(b *testing.B, doc string, f patch.File) string {
	b.Helper()
	src := edits.Source{Path: "f", Text: text.New(doc)}
	plan, err := place.Plan(f, src, place.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return diff.Unified("a/f", "b/f", src.Text, plan.Edits.Apply(src.Text), plan.Edits)
}
