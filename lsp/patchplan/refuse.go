package patchplan

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/reread"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Idle returns the error of a patch that leaves nothing to do, nil for any other.
func (p *Plan) Idle() error {
	var names, notes []string
	var said error
	for _, f := range p.Files {
		if f.Changed() != "" {
			return nil
		}
		names = append(names, f.PatchName)
		notes = append(notes, f.InPlace...)
		said = f.idle
	}
	switch {
	case len(notes) == 0:
		return edits.Errorf(edits.NoChange, "The patch changes nothing in %s.", edits.Listed(names))
	case len(p.Files) > 1:
		return &edits.Error{Kind: edits.AlreadyApplied, Message: "Nothing is left to do: " + strings.Join(notes, " ")}
	case said == nil:
		return &edits.Error{Kind: edits.AlreadyApplied, Path: p.Files[0].PatchName, File: 1, Message: notes[0]}
	}
	full := *edits.Failure(said)
	full.Path, full.Rev, full.File = p.Files[0].PatchName, p.Files[0].Was.Text.Hash(), p.Files[0].Number
	return &full
}

// Refused calls each for the files where the patch fails: the errors may show lines of these texts.
func (p *Plan) Refused(each func(paths.Key, text.Text, error)) {
	for _, f := range p.Files {
		if f.err != nil && f.Was.Exists {
			each(f.Was.Key, f.Was.Text, f.err)
		}
	}
}

// maxFaults bounds the failing parts, besides the first, that an error explains.
const maxFaults = 5

// refused returns the error of a patch of which some parts fail: the first part's error, which
// also says what would happen to the others.
func (p *Plan) refused(sent patch.Patch, faults []*edits.Error) error {
	failed := slices.DeleteFunc(slices.Clone(faults), func(e *edits.Error) bool { return e == nil })
	if !slices.ContainsFunc(sent.Files, func(part patch.File) bool { return part.Path != sent.Files[0].Path }) {
		return failed[0]
	}
	good := lists.Unique(lists.FilterMap(p.Files, func(f *File) (string, bool) { return f.PatchName, f.err == nil }))
	first := *failed[0]
	first.Message += " No file was changed"
	switch len(good) {
	case 0:
	case 1:
		first.Message += "; " + good[0] + " would take its part"
	default:
		first.Message += "; " + edits.Listed(good) + " would take their parts"
	}
	for _, e := range failed[1:min(len(failed), 1+maxFaults)] {
		first.Message += fmt.Sprintf(", and %s fails as well: %s", cmp.Or(e.Path, "a part"), strings.TrimSuffix(e.Message, "."))
	}
	if more := len(failed) - 1 - maxFaults; more > 0 {
		first.Message += fmt.Sprintf(", and %d more fail", more)
	}
	first.Message += "."
	return &first
}

// wasApplied returns the error of a patch that was applied before, as a whole: the files that it
// changes have its text, those that it deletes do not exist, and those that it moves have their
// new names. It returns nil for any other. faults are the errors of the parts.
func (p *Plan) wasApplied(sent patch.Patch, faults []*edits.Error) error {
	var notes []string
	known := false // a missing file says little: its name may be wrong
	for i, part := range sent.Files {
		if known = known || part.NewPath != ""; faults[i] == nil {
			continue
		}
		if p.in.Work.Err() != nil || faults[i].Kind != edits.FileNotFound {
			return nil //nolint:nilerr // the command ends, and says so itself
		}
		note, ok := p.AlreadyApplied(part)
		if !ok {
			return nil
		}
		notes = append(notes, note)
	}
	for _, f := range p.Files {
		if f.err == nil && f.Changed() != "" {
			return nil
		}
		known = known || f.err == nil
		notes = append(notes, f.InPlace...)
	}
	if !known {
		return nil
	}
	return &edits.Error{Kind: edits.AlreadyApplied, Message: "Nothing is left to do: " + strings.Join(notes, " ")}
}

// AlreadyApplied reports whether a part whose file does not exist was applied before, and says so in a sentence.
func (p *Plan) AlreadyApplied(part patch.File) (note string, ok bool) {
	w := p.in.Workspace()
	if part.Op == patch.DeleteFile {
		return fmt.Sprintf("%s is gone already.", part.Path), true
	}
	if part.NewPath == "" {
		return "", false
	}
	to, err := w.Resolve(part.NewPath)
	if err != nil {
		return "", false
	}
	snap, err := w.Terse().Read(to)
	if err != nil {
		return "", false
	}
	if len(part.Hunks) > 0 {
		_, err := place.Plan(part, p.in.Source(snap, to.Path, snap.Text), p.how)
		if !edits.IsKind(err, edits.AlreadyApplied) && !edits.IsKind(err, edits.NoChange) {
			return "", false
		}
	}
	return fmt.Sprintf("%s is at %s already.", part.Path, to.Path), true
}

// CheckOperation refuses to delete a file that could not be put back, to rename a symbolic link or create a copy of it, which may
// lead elsewhere under another name, and to rename a file if that would save its unsaved text, as it does in some editors.
func CheckOperation(c *editor.Editor, kind string, snap workspace.Snapshot) error {
	why := map[string]string{editor.Delete: "deleting it would lose", editor.Rename: "the editor may save in renaming it"}[kind]
	_, noLink := os.Readlink(snap.Abs)
	switch {
	case snap.Abs == "":
		return &edits.Error{Kind: edits.Unsupported, Path: snap.Path, Message: snap.Path + " is no file, so it cannot be deleted or renamed; close it in the editor, or save it under a name there."}
	case kind != editor.Delete && noLink == nil:
		return &edits.Error{Kind: edits.Unsupported, Path: snap.Path, Message: snap.Path + " is a symbolic link, which can be edited and deleted, and not moved or copied."}
	case kind == editor.Create, kind == editor.Rename && c.Quirks.RenameKeeps:
		return nil
	case snap.Doc != nil && paths.IsDirty(snap.Target, snap.Text):
		return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf("%s has unsaved changes, which %s; save it first.", snap.Path, why)}
	}
	return nil
}

// checkFree refuses a new name that is taken already.
func (p *Plan) checkFree(w *workspace.Workspace, from, to paths.Target) error {
	taken := func(kind edits.Kind, what string) error {
		return edits.ErrorIn(kind, to.Path, "%s cannot be moved to %s, which %s; move it to a name that is free.", from.Path, to.Path, what)
	}
	if f := p.names[to.Key]; f != nil {
		if f.Exists {
			return taken(edits.AlreadyExists, "exists already")
		}
		return nil // the patch deletes that file before
	}
	exists, isDir := to.Exists()
	switch {
	case p.vacated[to.Key] != nil:
		return nil
	case to.Abs == "":
		return taken(edits.Unsupported, "is no file")
	case isDir:
		return taken(edits.IsDirectory, "is a directory")
	case paths.DiffersInCase(from.Abs, to.Abs):
		return nil
	case w.IsOpen(to.Key), exists:
		return taken(edits.AlreadyExists, "exists already")
	}
	return checkFolder(to)
}

// checkOperations refuses a patch that the editor cannot carry out.
func (p *Plan) checkOperations() error {
	c := p.in.Editor
	has := map[string]bool{editor.Update: true, editor.Create: c.CreateFiles || c.Quirks.CreatesByEdit, editor.Delete: c.DeleteFiles, editor.Rename: c.RenameFiles}
	for _, f := range p.Files {
		for _, change := range f.Changes() {
			if has[change] && (change != editor.Create || len(f.Plan.Edits) > 0 || c.CreateFiles) {
				continue
			}
			return &edits.Error{Kind: edits.Unsupported, Path: f.PatchName, File: f.Number, Message: fmt.Sprintf(
				"The editor lacks the resource operation %s, which the patch needs for %s; nothing was changed.", change, f.PatchName)}
		}
	}
	return nil
}

// checkNames refuses a patch that gives a file a name while another file still has it.
func (p *Plan) checkNames() error {
	held := map[string]bool{} // the normal form of each key, as two names that look the same
	for _, f := range p.Files {
		if f.Was.Exists {
			held[paths.Form(string(f.From.Key))] = true
		}
	}
	for _, f := range p.InOrder() {
		from, at := paths.Form(string(f.From.Key)), paths.Form(string(f.At.Key))
		switch f.Changed() {
		case editor.Delete:
			delete(held, from)
		case editor.Create, editor.Rename:
			if held[at] {
				return &edits.Error{Kind: edits.Unsupported, Path: f.PatchName, File: f.Number, Message: fmt.Sprintf(
					"The patch gives the name %s to another file while it is still in use; nothing was changed. Send it as two patches, the first of which frees the name.", f.At.Path)}
			}
			delete(held, from)
			held[at] = true
		}
	}
	return nil
}

// checkEscapes refuses new text that may be escaped once too often, as a hunk of the patch is.
func (p *Plan) checkEscapes(sent patch.Patch) error {
	for _, f := range p.Files {
		if !strings.Contains(strings.Join(f.Plan.Notes, ""), place.Escaped) {
			continue
		}
		for _, part := range sent.Files {
			whole := patch.ReplaceHunk(0, nil, []string{part.Content})
			if mayBeEscaped(whole) || slices.ContainsFunc(part.Hunks, mayBeEscaped) {
				return edits.ErrorIn(edits.PatchSyntax, part.Path, "A hunk of %s %s, and so new text of %s may be; send the patch without these escapes.", f.PatchName, place.Escaped, part.Path)
			}
		}
	}
	return nil
}

// mayBeEscaped reports whether new text of a hunk may be escaped once too often, and its old lines do not show it.
func mayBeEscaped(h patch.Hunk) bool {
	old, put := strings.Join(h.Old(), "\n"), strings.Join(h.New(), "\n")
	for _, read := range reread.Rereadings {
		_, _, alone := read.As(put, "")
		if _, _, both := read.As(old, put); alone && !both {
			return true
		}
	}
	return false
}

// InOrder returns the files in the order in which they are edited: a name is
// free by the time that the patch gives it to another file.
func (p *Plan) InOrder() []*File {
	return slices.SortedStableFunc(slices.Values(p.Files), func(a, b *File) int { return cmp.Compare(a.order, b.order) })
}
