package patch_test

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits/patch"
)

// printer prints patches, and sets the line numbers in them.
type printer struct {
	b    strings.Builder
	line int
}

func (p *printer) printf(format string, args ...any) {
	s := fmt.Sprintf(format, args...) + "\n"
	p.line += strings.Count(s, "\n")
	p.b.WriteString(s)
}

func (p *printer) begin(sent patch.Patch) {
	p.printf("*** Begin Patch")
	for i := range sent.Files {
		f := &sent.Files[i]
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

func (p *printer) unified(written patch.Patch) {
	for i := range written.Files {
		f := &written.Files[i]
		old, put := "a/"+f.Path, "b/"+f.Path
		if f.NewPath != "" {
			put = "b/" + f.NewPath
		}
		f.Line = p.line + 1
		p.printf("diff --git %s %s", old, put)
		switch {
		case f.Op == patch.AddFile:
			p.printf("new file mode 100644")
			old = "/dev/null"
		case f.Op == patch.DeleteFile:
			p.printf("deleted file mode 100644")
			put = "/dev/null"
		case f.NewPath != "":
			p.printf("similarity index 90%%\nrename from %s\nrename to %s", f.Path, f.NewPath)
		}
		if f.Op == patch.AddFile && f.Content == "" {
			p.printf("index 0000000..e69de29")
			f.IsEmpty = true
			continue
		}
		p.printf("index 0123456..789abcd 100644")
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

func ranges(h patch.Hunk) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@ section", h.Start, len(h.Old()), h.Start, len(h.New()))
}

// body prints the lines, with a mark after those that end a side without a line end.
func (p *printer) body(h patch.Hunk) {
	lastOld, lastNew := -1, -1
	for i, l := range h.Lines {
		if l.Kind != patch.AddedLine {
			lastOld = i
		}
		if l.Kind != patch.DeletedLine {
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
