package edits_test

import (
	"fmt"
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
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s\ngives\n%s\nnot\n%s", p.b.String(), dump(got, err), dump(want, nil))
				}
			}
		})
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

// printer prints patches, and tells them their lines.
type printer struct {
	b    strings.Builder
	line int
}

func (p *printer) printf(format string, args ...any) {
	s := fmt.Sprintf(format, args...) + "\n"
	p.line += strings.Count(s, "\n")
	p.b.WriteString(s)
}

func (p *printer) begin(patch edits.Patch) {
	p.printf("*** Begin Patch")
	for i := range patch.Files {
		f := &patch.Files[i]
		p.printf("*** %s File: %s", [...]string{"Update", "Add", "Delete"}[f.Op], f.Path)
		f.Line = p.line
		if f.NewPath != "" {
			p.printf("*** Move to: %s", f.NewPath)
		}
		for l := range strings.Lines(f.Content) {
			p.printf("+%s", strings.TrimSuffix(l, "\n"))
		}
		for i := range f.Hunks {
			h := &f.Hunks[i]
			h.Line = p.line + 1
			for _, a := range h.Anchors {
				p.printf("@@ %s", a)
			}
			if h.Numbered {
				p.printf("%s", ranges(*h))
			} else if len(h.Anchors) == 0 {
				p.printf("@@")
			}
			p.body(*h)
			if h.AtEnd {
				p.printf("*** End of File")
			}
		}
	}
	p.printf("*** End Patch")
}

func (p *printer) unified(patch edits.Patch) {
	for i := range patch.Files {
		f := &patch.Files[i]
		old, put := "a/"+f.Path, "b/"+f.Path
		if f.NewPath != "" {
			put = "b/" + f.NewPath
		}
		f.Line = p.line + 1
		p.printf("diff --git %s %s", old, put)
		switch {
		case f.Op == edits.AddFile:
			p.printf("new file mode 100644")
			old = "/dev/null"
		case f.Op == edits.DeleteFile:
			p.printf("deleted file mode 100644")
			put = "/dev/null"
		case f.NewPath != "":
			p.printf("similarity index 90%%\nrename from %s\nrename to %s", f.Path, f.NewPath)
		}
		p.printf("index 0123456..789abcd 100644")
		if f.Op == edits.AddFile && f.Content == "" {
			continue
		}
		p.printf("--- %s\n+++ %s", old, put)
		if n := strings.Count(f.Content, "\n"); n > 0 {
			p.printf("@@ -0,0 +1,%d @@", n)
			for l := range strings.Lines(f.Content) {
				p.printf("+%s", strings.TrimSuffix(l, "\n"))
			}
		}
		for i := range f.Hunks {
			h := &f.Hunks[i]
			p.printf("%s", ranges(*h))
			h.Line = p.line
			p.body(*h)
		}
	}
}

func ranges(h edits.PatchHunk) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@ section", h.Start, len(h.Old()), h.Start, len(h.New()))
}

// body prints the lines; those that end a side without a line end say so.
func (p *printer) body(h edits.PatchHunk) {
	lastOld, lastNew := -1, -1
	for i, l := range h.Lines {
		if l.Kind != edits.AddedLine {
			lastOld = i
		}
		if l.Kind != edits.DeletedLine {
			lastNew = i
		}
	}
	for i, l := range h.Lines {
		sign := string(l.Kind)
		if i >= len(h.Lines)-h.Blanks {
			sign = ""
		}
		cr := ""
		if l.CR {
			cr = "\r"
		}
		p.printf("%s%s%s", sign, l.Text, cr)
		if h.OldOpen && i == lastOld || h.NewOpen && i == lastNew {
			p.printf(`\ No newline at end of file`)
		}
	}
}

// BenchmarkParsePatch reads patches of about 5 MB, and of a tenth of that, whose
// time should be a tenth.
func BenchmarkParsePatch(b *testing.B) {
	for _, shape := range []struct{ name, head, part, tail string }{
		{"begin", "*** Begin Patch\n*** Update File: a\n", "@@ f()\n a\n-b\n+c\n\n", "*** End Patch\n"},
		{"unified", "--- a/x\n+++ b/x\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", ""},
		{"no counts", "--- a/x\n+++ b/x\n", "@@ @@\n a\n-b\n+c\nprose\n\n", ""},
		{"prose between", "--- a/x\n+++ b/x\n", "@@ -1 +1 @@\n-b\n+c\nprose\n- list\n", ""},
		{"search", "a.txt\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", ""},
		{"one hunk", "--- a/x\n+++ b/x\n@@ @@\n-a\n", "prose\n\n", ""},
		{"blanks", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "\n", ""},
		{"no end", "```\n*** Begin Patch\n", "*** Delete File: x\n*** Begin Patch\n", ""},
		{"prose", "", "some prose <<EOF\n```\n", ""},
		{"one line", "*** Begin Patch", `\n`, ""},
		{"middles", "<<<<<<< SEARCH\n", "=======\n", "=====\n"},
	} {
		for _, size := range []int{500_000, 5_000_000} {
			patch := shape.head + strings.Repeat(shape.part, size/len(shape.part)) + shape.tail
			b.Run(fmt.Sprintf("%s/%d", shape.name, size), func(b *testing.B) {
				b.SetBytes(int64(len(patch)))
				for b.Loop() {
					_, _ = edits.ParsePatch(patch)
				}
			})
		}
	}
}
