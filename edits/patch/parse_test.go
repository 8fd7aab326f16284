package patch_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
)

var update = flag.Bool("update", false, "rewrite what the cases give")

// visible are the characters that an editor would strip, and how the cases show
// them.
var visible = strings.NewReplacer("␠", " ", "⇥", "\t", "␍", "\r", "␌", "\f", "␤", "\u2028", "␃\n", "")

// TestParsePatch runs testdata/patches/*.txtar: each is a patch ("in") and what
// is read from it ("out"), which -update rewrites. In the patch ␠ is a blank, ⇥ a
// tab, ␍ a carriage return, ␌ a form feed, ␤ a line separator, and ␃ ends it.
func TestParsePatch(t *testing.T) {
	names, err := filepath.Glob("../testdata/patches/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil || len(archive.Files) == 0 || archive.Files[0].Name != "in" {
				t.Fatalf("no case: %v", err)
			}
			got := dump(patch.Parse(visible.Replace(string(archive.Files[0].Data))))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "out", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 || got != string(archive.Files[1].Data) {
				t.Errorf("got\n%s\nwant\n%s", got, archive.Files[1:])
			}
		})
	}
}

// dump prints a patch so that a reader can follow it; every member shows.
func dump(p patch.Patch, err error) string {
	var b strings.Builder
	if e := (*edits.Error)(nil); errors.As(err, &e) {
		fmt.Fprintf(&b, "%s: %s\n", e.Kind, e.Message)
	}
	for _, f := range p.Files {
		fmt.Fprintf(&b, "line %d: %s %q", f.Line, [...]string{"update", "add", "delete"}[f.Op], f.Path)
		if f.NewPath != "" {
			fmt.Fprintf(&b, " to %q", f.NewPath)
		}
		if f.CopyOf != "" {
			fmt.Fprintf(&b, " as a copy of %q", f.CopyOf)
		}
		seen := map[string]bool{f.Path: true, "": true}
		for _, readings := range f.Readings {
			var names []string
			for _, r := range readings {
				if !seen[r.Name] {
					names = append(names, r.Name)
				}
			}
			for _, name := range names {
				seen[name] = true
			}
			if len(names) > 0 {
				fmt.Fprintf(&b, " or %q", names)
			}
		}
		if f.NewRaw != "" && f.NewRaw != f.NewPath {
			fmt.Fprintf(&b, " from %q", f.NewRaw)
		}
		b.WriteByte('\n')
		if f.Op == patch.AddFile && f.CopyOf == "" {
			fmt.Fprintf(&b, "  content %q\n", f.Content)
		}
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "  line %d: hunk", h.Line)
			if h.Numbered {
				fmt.Fprintf(&b, " at %d", h.Start)
			}
			if len(h.Anchors) > 0 {
				fmt.Fprintf(&b, " in %q", h.Anchors)
			}
			for _, flag := range []struct {
				set  bool
				name string
			}{{h.AtEnd, "at-end"}, {h.Whole, "whole"}, {h.OldOpen, "old-open"}, {h.NewOpen, "new-open"}, {h.Ends, "ends"}} {
				if flag.set {
					b.WriteString(" " + flag.name)
				}
			}
			if h.Blanks > 0 {
				fmt.Fprintf(&b, " blanks %d", h.Blanks)
			}
			b.WriteByte('\n')
			for _, l := range h.Lines {
				fmt.Fprintf(&b, "    %c%q", l.Kind, l.Text)
				if l.CR {
					b.WriteString(" CR")
				}
				b.WriteByte('\n')
			}
		}
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

// FuzzParsePatch holds the parser to what it promises for any input.
func FuzzParsePatch(f *testing.F) {
	names, err := filepath.Glob("../testdata/patches/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(visible.Replace(string(archive.Files[0].Data)))
	}
	f.Fuzz(func(t *testing.T, written string) {
		lines := 1 + max(strings.Count(written, "\n"), 2+strings.Count(written, `\n`)) // what is around a string in one line has lines of its own
		within := func(line int) {
			t.Helper()
			if line < 1 || line > lines {
				t.Fatalf("line %d of %d lines", line, lines)
			}
		}
		p, err := patch.Parse(written)
		if err != nil {
			var e *edits.Error
			var line int
			if !errors.As(err, &e) || e.Kind != edits.PatchSyntax {
				t.Fatalf("%v is no syntax error", err)
			}
			if _, err := fmt.Sscanf(e.Message, "Line %d of the patch: ", &line); err != nil || !strings.HasSuffix(e.Message, ".") {
				t.Fatalf("%q names no line, or is no sentence", e.Message)
			}
			within(line)
			return
		}
		if len(p.Files) == 0 {
			t.Fatal("neither files nor an error")
		}
		seen := map[string]bool{}
		for _, n := range p.Notes {
			if seen[n] || !strings.HasSuffix(n, ".") {
				t.Fatalf("the note %q comes twice or is no sentence", n)
			}
			seen[n] = true
		}
		for _, f := range p.Files {
			within(f.Line)
			if f.Op == patch.AddFile && len(f.Hunks) > 0 && f.CopyOf == "" || f.Op != patch.AddFile && f.Content != "" {
				t.Fatalf("only a new file has content, and nothing else: %+v", f)
			}
			if f.Op == patch.UpdateFile && len(f.Hunks) == 0 && f.CopyOf == "" && (f.NewPath == "" || f.NewPath == f.Path) {
				t.Fatalf("an update of nothing: %+v", f)
			}
			for _, h := range f.Hunks {
				within(h.Line)
				checkHunk(t, h)
			}
		}
	})
}

// checkHunk checks what the model says of a hunk.
func checkHunk(t *testing.T, h patch.Hunk) {
	t.Helper()
	olds, news := len(h.Old()), len(h.New())
	switch {
	case h.Start < 0 || h.Numbered && olds > 0 && h.Start == 0:
		t.Fatalf("start %d of %d old lines", h.Start, olds)
	case !h.Numbered && h.Start != 0:
		t.Fatalf("start %d without a number", h.Start)
	case h.OldOpen && olds == 0 || h.NewOpen && news == 0:
		t.Fatalf("no line is the last: %+v", h)
	case h.Blanks > len(h.Lines):
		t.Fatalf("%d blanks in %d lines", h.Blanks, len(h.Lines))
	}
	for i, l := range h.Lines {
		if strings.Contains(l.Text, "\n") || l.CR && !h.Ends || i >= len(h.Lines)-h.Blanks && (l.Kind != patch.KeptLine || l.Text != "") {
			t.Fatalf("line %d of %+v", i, h)
		}
	}
}

// TestDialectsAreDescribed compares the dialects with the first column of the table in docs/patches.md.
func TestDialectsAreDescribed(t *testing.T) {
	page, err := os.ReadFile("../../docs/patches.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| format | begins with | read | made | refused |\n|---|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want, got []string
	for _, d := range patch.Dialects() {
		want = append(want, d.Title)
	}
	for row := range strings.Lines(table) {
		got = append(got, strings.TrimSpace(strings.Split(row, "|")[1]))
	}
	if !slices.Equal(got[:min(len(got), len(want))], want) { // below them are the formats that are refused
		t.Errorf("docs/patches.md describes %q, and the dialects are %q", got, want)
	}
}
