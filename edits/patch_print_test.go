package edits_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
)

// TestParsePatchInvertsPrinting makes patches at random, prints them and reads
// them again: what comes back is what went in, without a note.
func TestParsePatchInvertsPrinting(t *testing.T) {
	rng := seeded(t)
	for _, dialect := range []struct {
		name   string
		random func(*rand.Rand) edits.Patch
		print  func(*printer, edits.Patch)
	}{
		{"begin", beginPatch, (*printer).begin},
		{"unified", unifiedPatch, (*printer).unified},
	} {
		t.Run(dialect.name, func(t *testing.T) {
			for range 2000 {
				want := dialect.random(rng)
				var p printer
				dialect.print(&p, want)
				got, err := edits.ParsePatch(p.b.String())
				forgetSigns(got)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s\ngives\n%s\nnot\n%s", p.b.String(), dump(got, err), dump(want, nil))
				}
			}
		})
	}
}

// forgetSigns forgets which lines had none: an empty one may be printed without; and the
// second name of what looks like one of git.
func forgetSigns(p edits.Patch) {
	for i, f := range p.Files {
		if f.Path == "a/b" && f.OtherPath == "b" {
			p.Files[i].OtherPath = ""
		}
		for _, h := range f.Hunks {
			for i := range h.Lines {
				h.Lines[i].NoSign = false
			}
		}
	}
}

// lineTexts are lines that look like something else, with and without a sign.
var lineTexts = []string{
	"", "", "a", "b c", "\tx", "    y", "{", "- x", "+ y", "-- x", "++ y", "-- ", " ", "@@ -1 +1 @@", "@@", "*** End Patch", "*** Update File: x",
	"diff --git a/x b/x", "Index: x", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "```", "EOF", "\\ No newline", "a\rb", "\f", "x\u2028y", "é",
}

var names = []string{"a.txt", "b c.go", "src/d.go", "é", "a/b", "x y z"}

func pick(rng *rand.Rand, from []string) string { return from[rng.IntN(len(from))] }

// randomHunk returns a hunk that changes something, without its line.
func randomHunk(rng *rand.Rand) edits.PatchHunk {
	h := edits.PatchHunk{}
	n := 1 + rng.IntN(6)
	at := rng.IntN(n) // changed for sure
	for i := range n {
		kind := []edits.LineKind{edits.KeptLine, edits.DeletedLine, edits.AddedLine}[rng.IntN(3)]
		if i == at && kind == edits.KeptLine {
			kind = edits.AddedLine
		}
		h.Lines = append(h.Lines, edits.PatchLine{Kind: kind, Text: pick(rng, lineTexts)})
	}
	if rng.IntN(4) == 0 { // the last lines have no line end
		switch h.Lines[n-1].Kind {
		case edits.KeptLine:
			h.OldOpen, h.NewOpen = true, true
		case edits.DeletedLine:
			h.OldOpen = true
		case edits.AddedLine:
			h.NewOpen = true
			if n > 1 && h.Lines[n-2].Kind == edits.DeletedLine {
				h.OldOpen = true
			}
		}
	}
	if rng.IntN(2) == 0 {
		h.Numbered, h.Start = true, 1+rng.IntN(1000)
	}
	return h
}

func beginPatch(rng *rand.Rand) edits.Patch {
	var p edits.Patch
	for range 1 + rng.IntN(3) {
		f := edits.FilePatch{Path: pick(rng, names), Op: edits.PatchOp(rng.IntN(3))}
		switch f.Op {
		case edits.AddFile:
			f.Content = randomContent(rng)
		case edits.UpdateFile:
			if rng.IntN(3) == 0 {
				f.NewPath = "moved.txt"
			}
			for range 1 + rng.IntN(3) {
				h := randomHunk(rng)
				for range rng.IntN(3) {
					h.Anchors = append(h.Anchors, pick(rng, []string{"class A:", "def  f():", "{", "@x"}))
				}
				h.AtEnd = rng.IntN(5) == 0
				if !h.OldOpen && !h.NewOpen {
					for range rng.IntN(3) {
						h.Lines = append(h.Lines, edits.PatchLine{Kind: edits.KeptLine})
						h.Blanks++
					}
				}
				f.Hunks = append(f.Hunks, h)
			}
		}
		p.Files = append(p.Files, f)
	}
	return p
}

func randomContent(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(4) {
		b.WriteString(pick(rng, lineTexts) + "\n")
	}
	return b.String()
}

func unifiedPatch(rng *rand.Rand) edits.Patch {
	var p edits.Patch
	for range 1 + rng.IntN(3) {
		f := edits.FilePatch{Path: pick(rng, names), Op: edits.PatchOp(rng.IntN(3))}
		if f.Op == edits.AddFile {
			f.Content = randomContent(rng)
			p.Files = append(p.Files, f)
			continue
		}
		if f.Op == edits.UpdateFile && rng.IntN(3) == 0 {
			f.NewPath = "moved.txt"
		}
		ends := rng.IntN(3) == 0
		for range 1 + rng.IntN(3) {
			h := randomHunk(rng)
			h.Numbered, h.Start, h.Ends = true, max(1, h.Start), ends
			for i := range h.Lines {
				h.Lines[i].CR = ends
			}
			f.Hunks = append(f.Hunks, h)
		}
		p.Files = append(p.Files, f)
	}
	return p
}
