package proposal

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
)

// MaxDiff is the number of changed bytes up to which an answer has a diff, and maxDiffAsked that for a question. A larger diff
// is of no use to an agent or the user, and costs more than the edit.
const MaxDiff, maxDiffAsked = 1 << 20, 1 << 18

// Size returns how many bytes a change removes and inserts.
func Size(c *apply.Change) int {
	_, es := onDisk(c)
	return lists.Sum(es, func(e edits.Edit) int { return e.End - e.Start + len(e.New) })
}

// Diff returns changes, each of one file, as a unified diff. If one file needs git's own headers, all files get them: git
// takes what follows a part with such a header and no hunk for more of that part.
func Diff(changes ...*apply.Change) string {
	git := slices.ContainsFunc(changes, func(c *apply.Change) bool {
		_, es := onDisk(c)
		return c.Kind == editor.Rename || len(es) == 0
	})
	var b strings.Builder
	for _, c := range changes {
		b.WriteString(diffOf(c, git))
	}
	return b.String()
}

func diffOf(c *apply.Change, git bool) string {
	from, to := "a/"+c.Path, "b/"+c.Path
	if c.Kind == editor.Rename {
		to = "b/" + c.To.Path
	}
	header := []string{"diff --git " + diff.QuotedName(from) + " " + diff.QuotedName(to)}
	switch c.Kind {
	case editor.Rename:
		header = append(header, "rename from "+diff.QuotedName(c.Path), "rename to "+diff.QuotedName(c.To.Path))
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
	t, es := onDisk(c)
	return diff.Unified(from, to, t, es.Apply(t), es, header...)
}

// onDisk returns the text of a change on disk, as far as the editor has it, and the edits of it. The
// byte order mark, which the editor does not have, stays.
func onDisk(c *apply.Change) (text.Text, edits.Edits) {
	t, es, mark := c.Text, c.Plan.Edits, 0
	if c.BOM {
		t, mark = text.New(text.BOM+t.String()), len(text.BOM)
	}
	switch {
	case c.Kind != editor.Delete && c.Text.Len() == 0 && c.After.Len() > 0: // the plan may insert less, if an empty buffer has a newline
		es = edits.Edits{{New: c.After.String()}}
	case c.Kind == editor.Delete && t.Len() > 0:
		return t, edits.Edits{{End: t.Len()}}
	case c.Kind == editor.Create || c.Kind == editor.Delete:
		es = nil
	}
	return t, es.Shifted(mark)
}
