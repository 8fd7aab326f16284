package patchplan

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
)

// Diff returns what the patch does as git prints it. git's own headers are there
// where one file needs them: then all have them, since git takes what follows a
// part that has one and no hunk for more of that part.
func (p *Plan) Diff() string {
	files := p.Changed()
	git := slices.ContainsFunc(files, func(f *File) bool {
		_, es := f.diffEdits()
		return f.Changed() == editor.Rename || len(es) == 0
	})
	var b strings.Builder
	for _, f := range files {
		b.WriteString(f.diff(git))
	}
	return b.String()
}

// diff returns what is done to the file.
func (f *File) diff(git bool) string {
	from, to := "a/"+f.From.Path, "b/"+f.At.Path
	change := f.Changed()
	if change == editor.Create {
		from = "a/" + f.At.Path // it may have had another name in the patch alone
	}
	header := []string{"diff --git " + diff.QuotedName(from) + " " + diff.QuotedName(to)}
	switch change {
	case editor.Rename:
		header = append(header, "rename from "+diff.QuotedName(f.From.Path), "rename to "+diff.QuotedName(f.At.Path))
	case editor.Create:
		from = "/dev/null"
		header = append(header, "new file mode 100644")
	case editor.Delete:
		to = "/dev/null"
		header = append(header, "deleted file mode 100644")
	}
	if !git {
		header = nil
	}
	t, es := f.diffEdits()
	return diff.Unified(from, to, t, es, header...)
}

// diffEdits returns the text on disk, as far as the editor has it, and what
// becomes of it: the byte order mark, which the editor does not have, stays.
func (f *File) diffEdits() (text.Text, edits.Edits) {
	t, es, mark := f.Was.Text, f.Plan.Edits, 0
	if f.Was.BOM {
		t, mark = text.New(text.BOM+t.String()), len(text.BOM)
	}
	if f.Exists {
		return t, es.Shifted(mark)
	}
	if t.Len() == 0 {
		return t, nil
	}
	return t, edits.Edits{{End: t.Len()}}
}
