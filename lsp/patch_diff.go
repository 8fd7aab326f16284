package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// diff returns what the patch does as git prints it. git's own headers are there
// where one file needs them: then all have them, since git takes what follows a
// part that has one and no hunk for more of that part.
func (p *patching) diff() string {
	files := p.changed()
	git := slices.ContainsFunc(files, func(f *patchedFile) bool {
		_, es := f.diffEdits()
		return f.changed() == changeRename || len(es) == 0
	})
	var b strings.Builder
	for _, f := range files {
		b.WriteString(f.diff(git))
	}
	return b.String()
}

// diff returns what is done to the file.
func (f *patchedFile) diff(git bool) string {
	from, to := "a/"+f.from.Path, "b/"+f.at.Path
	change := f.changed()
	if change == changeCreate {
		from = "a/" + f.at.Path // it may have had another name in the patch alone
	}
	header := fmt.Sprintf("diff --git %s %s\n", quotedName(from), quotedName(to))
	switch change {
	case changeRename:
		header += fmt.Sprintf("rename from %s\nrename to %s\n", quotedName(f.from.Path), quotedName(f.at.Path))
	case changeCreate:
		from = "/dev/null"
		header += "new file mode 100644\n"
	case changeDelete:
		to = "/dev/null"
		header += "deleted file mode 100644\n"
	}
	if !git {
		header = ""
	}
	t, es := f.diffEdits()
	return header + edits.Unified(quotedName(from), quotedName(to), t, es)
}

// diffEdits returns the text on disk, as far as the editor has it, and what
// becomes of it: the byte order mark, which the editor does not have, stays.
func (f *patchedFile) diffEdits() (text.Text, edits.Edits) {
	t, es, mark := f.was.Text, f.plan.Edits, 0
	if f.was.BOM {
		t, mark = text.New(text.BOM+t.String()), len(text.BOM)
	}
	if f.exists {
		return t, es.Shifted(mark)
	}
	if t.Len() == 0 {
		return t, nil
	}
	return t, edits.Edits{{End: t.Len()}}
}
