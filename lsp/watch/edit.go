package watch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Edit brings what another program has written into a document. [commands.Edit.Plan] plans it on
// the text at the time of planning, so what the user types meanwhile is not part of it.
type Edit struct {
	place   paths.Target
	base    base
	file    text.Text
	confirm bool
	holds   func() bool // the document is open, and still has base in common with its file
	plans   int         // how many were made: if the user is asked, the first one is for the question; the editor may have been sent the others
}

// errClosed means that a document was closed or saved, or its file written, before the edit was made.
var errClosed = errors.New("it was closed or saved meanwhile, or its file written")

// errConflict means that the user must be asked: both have changed the same lines, or the base is not sure.
var errConflict = errors.New("the user must be asked")

// Document returns the key of the document that is edited.
func (e *Edit) Document() paths.Key { return e.place.Key }

// Options implements [commands.Edit].
func (e *Edit) Options() commands.EditOptions {
	return commands.EditOptions{Label: "Merge the file on disk", Confirm: e.confirm}
}

// Target implements [commands.Edit].
func (e *Edit) Target() commands.Target {
	return commands.Target{Path: e.place.URI, Find: func(*workspace.Workspace) (paths.Target, error) { return e.place, nil }}
}

// Plan implements [commands.Edit]. In a conflict, it takes the text of the other program if the
// user is asked, and fails otherwise.
func (e *Edit) Plan(src edits.Source) (edits.Plan, error) {
	if !e.holds() {
		return edits.Plan{}, errClosed
	}
	m, sure := e.base.merge(src.Text, e.file)
	if (len(m.Conflicts) > 0 || !sure) && !e.confirm {
		return edits.Plan{}, errConflict
	}
	es := diff.Rewrite(src.Text, 0, src.Text.Len(), m.Text)
	if len(es) == 0 {
		return edits.Plan{}, &edits.Error{Kind: edits.NoChange, Path: src.Path, Message: fmt.Sprintf("%s already has what another program wrote.", src.Path)}
	}
	plan := diff.PlanOf(src.Text, es)
	plan.Message = fmt.Sprintf("Merged what another program wrote to %s with the unsaved text.", src.Path)
	if len(m.Conflicts) > 0 {
		plan.Message = fmt.Sprintf("Took what another program wrote to %s, also in %s that the user had changed.", src.Path, edits.Count(len(m.Conflicts), "place"))
	}
	e.plans++
	return plan, nil
}

// maxFiles is the most open files that an agent is expected to write at a time.
const maxFiles = 4

// unlike reports whether a file does not look like an agent's edit, as after git checkout. The
// user is asked about such a file. (An empty file conflicts with all unsaved text.)
func (w *Watcher) unlike(r *reading) bool { return r.atOnce > maxFiles || w.bringsBack(r.doc, r.file) }

// maxLooked bounds the lines of a file that are looked up in the history of its document.
const maxLooked = 200

// bringsBack reports whether a file has a line that was removed from the document since it was
// opened. Removals by other programs do not count: an agent may take back what it wrote.
func (w *Watcher) bringsBack(doc *workspace.Document, file text.Text) bool {
	was, fresh := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(baseOf(doc).text.String()) {
		was[line] = true
	}
	for line := range strings.Lines(file.String()) {
		if !was[line] && strings.TrimSpace(line) != "" && len(fresh) < maxLooked {
			fresh[line] = true
		}
	}
	return doc.History.HadLine(fresh, w.EditIDs())
}

// inLineEnds returns the text of a file with the line ends and the byte order mark of a document: editors
// keep both apart from the text. If the document has both kinds of line ends, the file keeps its own.
func inLineEnds(doc, file text.Text) text.Text {
	s, was := text.Plain(file.String()), doc.String()
	switch crlf := strings.Count(was, "\r\n"); {
	case crlf == 0:
	case crlf == strings.Count(was, "\n"):
		s = strings.ReplaceAll(s, "\n", "\r\n")
	default:
		s = strings.TrimPrefix(file.String(), text.BOM)
	}
	if doc.BOM() > 0 {
		s = text.BOM + s
	}
	return text.New(s)
}
