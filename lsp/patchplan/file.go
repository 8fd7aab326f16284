package patchplan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// File is a file of a patch: as it is, and as the patch leaves it.
type File struct {
	of        *Plan
	Number    int    // of the first part about it, from 1
	order     int    // of the part that makes, deletes or renames it, else Number
	PatchName string // the path by which the patch first calls it
	From      paths.Target
	At        paths.Target       // its name as the patch leaves it
	Was       workspace.Snapshot // the text that Plan is about
	parts     []Part
	err       error // why the patch fails here

	Exists  bool       // as the patch leaves it
	Text    text.Text  // as the patch leaves it
	Plan    edits.Plan // of the text that was
	InPlace []string   // a note on each part that is in place already
	idle    error      // the planning error of such a part, if there is one
}

// Part is a part of a patch.
type Part struct {
	patch.File
	Number int                    // in the patch, from 1
	path   string                 // the name of the file in results at that point
	Placed func(*place.Placement) // is called with the place of each hunk; may be nil
}

// reset sets the file to was, not changed by any part of the patch yet.
func (f *File) reset(was workspace.Snapshot) {
	f.Was, f.Exists, f.Text = was, was.Exists, was.Text
	f.Plan, f.InPlace, f.idle = edits.Plan{}, nil, nil
}

// Again plans all parts again, on the text as it is now. It replaces no text that another file was to have as well.
func (f *File) Again(now workspace.Snapshot) error {
	f.reset(now)
	for _, part := range f.parts {
		if part.CopyOf != "" && part.Op == patch.UpdateFile {
			return edits.ErrorIn(edits.Stale, part.path, "%s has changed while the patch was made, and another file was to have its text; send the patch again.", part.path)
		}
		if err := f.take(part); err != nil {
			return err
		}
	}
	return nil
}

// take plans a part of the patch on the file.
func (f *File) take(part Part) error {
	err := f.change(part)
	if err == nil {
		err = paths.CheckEdits(part.path, f.Was.Text, f.Plan.Edits)
	}
	if err == nil {
		return nil
	}
	full := *edits.Failure(err)
	full.Path, full.File = part.path, part.Number
	if f.Was.Exists {
		full.Rev = f.Was.Text.Hash()
	}
	return &full
}

func (f *File) change(part Part) error {
	if part.Op == patch.AddFile || part.CopyOf != "" {
		f.Exists = f.Exists && part.Op == patch.AddFile // else its text is that of another file now
		return f.add(part)
	}
	if !f.Exists {
		return edits.Errorf(edits.ContextNotFound, "The patch deletes %s before this part (line %d of the patch), so there is nothing left to change; leave out one of the two.", part.path, part.Line)
	}
	if err := f.place(part); err != nil {
		return err
	}
	if part.IsEmpty && f.Text.Len() > 0 {
		f.of.note(fmt.Sprintf("The patch says that %s is empty afterwards; it has %s that the patch does not have.", part.path, edits.Count(f.Text.Lines(), "line")))
	}
	if part.Op == patch.DeleteFile {
		if (len(part.Hunks) > 0 || part.WasEmpty) && f.Text.Len() > 0 {
			return edits.Errorf(edits.ContextNotFound, "The patch deletes %s, but the file has %s that the patch does not have; view the file and delete it as it is now.", part.path, edits.Count(f.Text.Lines(), "line"))
		}
		f.Exists = false
	}
	return nil
}

// place plans the hunks of a part on the file. Hunks that are in place already are no error,
// unless the part deletes the file.
func (f *File) place(part Part) error {
	if len(part.Hunks) == 0 {
		return nil
	}
	plan, err := part.planOn(f.of.in.Source(f.Was, part.path, f.Text), f.of.how)
	if part.Op == patch.UpdateFile && (edits.IsKind(err, edits.AlreadyApplied) || edits.IsKind(err, edits.NoChange)) {
		f.InPlace = append(f.InPlace, fmt.Sprintf("%s already has its part of the patch.", part.path))
		f.idle = err
		return nil
	}
	if err == nil {
		f.then(plan)
	}
	return err
}

// planOn is [place.Plan], and also passes the places to Placed.
func (part Part) planOn(src edits.Source, how place.Options) (edits.Plan, error) {
	if part.Placed == nil {
		return place.Plan(part.File, src, how)
	}
	placement := place.Find(part.File, src, how)
	part.Placed(placement)
	if slices.ContainsFunc(placement.Places, func(at place.Place) bool { return at.State == place.Unplaced }) {
		return edits.Plan{}, edits.Errorf(edits.ContextNotFound, "Some hunks have no place.") // the reason is reported for each hunk
	}
	return placement.Plan()
}

// add plans a new file, or a new text for a file that the patch has deleted before.
func (f *File) add(part Part) error {
	content := text.New(part.Content)
	if f.Exists {
		if !text.Same(f.Text, content, true) {
			return edits.Errorf(edits.AlreadyExists, "%s exists already, with another text than the patch adds; update it, or delete it in the same patch before adding it.", part.path)
		}
		f.InPlace = append(f.InPlace, fmt.Sprintf("%s is there already, with this text.", part.path))
		return nil
	}
	if e := place.Stray(part.File, part.Line, edits.Source{Path: part.path}, 0, strings.Split(part.Content, "\n")); e != nil && part.CopyOf == "" {
		return e
	}
	f.Exists = true
	if f.Was.Exists {
		plan, err := command.Write{Content: part.Content}.Plan(edits.Source{Path: part.path, Text: f.Text})
		if edits.IsKind(err, edits.NoChange) {
			return nil
		}
		if err == nil {
			f.then(plan)
		}
		return err
	}
	f.Text, f.Plan = content, command.NewFile(f.At.Path, part.Content)
	f.Plan.Message = ""
	return nil
}

// then adds next to the file's plan; next is planned on the text that the plan leaves.
func (f *File) then(next edits.Plan) {
	f.Text = next.Edits.Apply(f.Text)
	f.Plan = changeset.ComposePlans(f.Plan, f.Was.Text, next)
}

// Changes returns the kinds of changes that an editor is to make to the file, such as
// [editor.Update], in order. There may be none.
func (f *File) Changes() []string {
	switch {
	case !f.Was.Exists && f.Exists:
		return []string{editor.Create}
	case !f.Exists && f.Was.Exists:
		return []string{editor.Delete}
	case !f.Exists:
		return nil
	}
	var changes []string
	if f.From.Key != f.At.Key {
		changes = append(changes, editor.Rename)
	}
	if len(f.Plan.Edits) > 0 {
		changes = append(changes, editor.Update)
	}
	return changes
}

// Changed returns the change of the file that results report, "" if there is none.
func (f *File) Changed() string {
	if all := f.Changes(); len(all) > 0 {
		return all[0]
	}
	return ""
}

// Hunks are the hunks of the patch in the file. The deletion of a file is one.
func (f *File) Hunks() []edits.Hunk {
	if f.Exists {
		return f.Plan.Hunks
	}
	if n := f.Was.Text.Lines(); f.Was.Exists && n > 0 {
		return []edits.Hunk{{StartLine: 1, OldLines: n, Match: edits.Exact}}
	}
	return nil
}
