package patch_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestParsePatchInvertsPrinting makes patches at random, prints them and reads
// them again: what comes back is what went in, without a note.
func TestParsePatchInvertsPrinting(t *testing.T) {
	rng := chance.Rand(t)
	for _, dialect := range []struct {
		name   string
		random func(*rand.Rand) patch.Patch
		print  func(*printer, patch.Patch)
	}{
		{"begin", beginPatch, (*printer).begin},
		{"unified", unifiedPatch, (*printer).unified},
	} {
		t.Run(dialect.name, func(t *testing.T) {
			for range 2000 {
				want := dialect.random(rng)
				want.Git = dialect.name == "unified"
				var p printer
				dialect.print(&p, want)
				got, err := patch.Parse(p.b.String())
				forgetSigns(got)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s\ngives\n%s\nnot\n%s", p.b.String(), dump(got, err), dump(want, nil))
				}
			}
		})
	}
}

// forgetSigns clears what printing may lose: which lines had no sign, since an empty line
// may be printed without one, whether counts were right, and the other readings of names.
func forgetSigns(p patch.Patch) {
	for i, f := range p.Files {
		p.Files[i].Readings, p.Files[i].FromTop, p.Files[i].HasBlobs, p.Files[i].NewRaw = nil, false, false, ""
		for j, h := range f.Hunks {
			f.Hunks[j].Counted = false
			for i := range h.Lines {
				h.Lines[i].NoSign, h.Lines[i].MayAdd = false, false
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

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// randomHunk returns a hunk that changes something, without its line.
func randomHunk(rng *rand.Rand) patch.Hunk {
	h := patch.Hunk{}
	n := 1 + rng.IntN(6)
	at := rng.IntN(n) // changed for sure
	for i := range n {
		kind := []patch.LineKind{patch.KeptLine, patch.DeletedLine, patch.AddedLine}[rng.IntN(3)]
		if i == at && kind == patch.KeptLine {
			kind = patch.AddedLine
		}
		h.Lines = append(h.Lines, patch.Line{Kind: kind, Text: pick(rng, lineTexts)})
	}
	if rng.IntN(4) == 0 { // the last lines have no line end
		switch h.Lines[n-1].Kind {
		case patch.KeptLine:
			h.OldOpen, h.NewOpen = true, true
		case patch.DeletedLine:
			h.OldOpen = true
		case patch.AddedLine:
			h.NewOpen = true
			if n > 1 && h.Lines[n-2].Kind == patch.DeletedLine {
				h.OldOpen = true
			}
		}
	}
	if rng.IntN(2) == 0 {
		h.Numbered, h.Start = true, 1+rng.IntN(1000)
	}
	return h
}

func beginPatch(rng *rand.Rand) patch.Patch {
	var p patch.Patch
	for range 1 + rng.IntN(3) {
		f := patch.File{Path: pick(rng, names), Op: patch.Op(rng.IntN(3))}
		switch f.Op {
		case patch.AddFile:
			f.Content = randomContent(rng)
		case patch.UpdateFile:
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
						h.Lines = append(h.Lines, patch.Line{Kind: patch.KeptLine})
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

func unifiedPatch(rng *rand.Rand) patch.Patch {
	var p patch.Patch
	for range 1 + rng.IntN(3) {
		f := patch.File{Path: pick(rng, names), Op: patch.Op(rng.IntN(3))}
		if f.Op == patch.AddFile {
			f.Content = randomContent(rng)
			p.Files = append(p.Files, f)
			continue
		}
		if f.Op == patch.UpdateFile && rng.IntN(3) == 0 {
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
