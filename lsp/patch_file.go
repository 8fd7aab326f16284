package lsp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// patchedFile is a file of a patch: as it is, and as the patch leaves it.
type patchedFile struct {
	number int    // of the first part about it, from 1
	order  int    // of the part that makes, deletes or renames it, else number
	given  string // the path by which the patch first calls it
	from   paths.Target
	at     paths.Target // its name as the patch leaves it
	limits *limits      // of errors
	work   *edits.Work
	was    workspace.Snapshot
	parts  []filePart
	err    error // why the patch fails here

	exists  bool // as the patch leaves it
	text    text.Text
	plan    edits.Plan // of the text that was
	inPlace []string   // a note on each part that there is nothing to do for
	idle    error      // how planning words it
}

// filePart is a part of a patch, and how results call the file at that point.
type filePart struct {
	edits.FilePatch
	number int
	path   string
	placed func(*edits.Placement) // is told where each hunk goes; nil where nobody asks
}

// reset makes the file one that no part of the patch has changed yet.
func (f *patchedFile) reset(was workspace.Snapshot) {
	f.was, f.exists, f.text = was, was.Exists, was.Text
	f.plan, f.inPlace, f.idle = edits.Plan{}, nil, nil
}

// again plans all parts again, on the text as it is now.
func (f *patchedFile) again(now workspace.Snapshot, how edits.Placing) error {
	f.reset(now)
	for _, part := range f.parts {
		if err := f.take(part, how); err != nil {
			return err
		}
	}
	return nil
}

// take has the file changed by a part of the patch.
func (f *patchedFile) take(part filePart, how edits.Placing) error {
	err := f.change(part, how)
	if err == nil {
		err = checkText(part.path, f.was.Text, f.plan.Edits)
	}
	if err == nil {
		return nil
	}
	full := *errorOf(err)
	full.Path, full.File = part.path, part.number
	if f.was.Exists {
		full.Rev = f.was.Text.Hash()
	}
	return &full
}

// errorOf returns err as what a command answers.
func errorOf(err error) *edits.Error {
	if e, ok := errors.AsType[*edits.Error](err); ok {
		return e
	}
	return &edits.Error{Kind: notSettled, Message: fmt.Sprintf("The patch failed by a fault of this program (%v).", err)}
}

func (f *patchedFile) change(part filePart, how edits.Placing) error {
	if part.Op == edits.AddFile {
		return f.add(part)
	}
	if !f.exists {
		return &edits.Error{Kind: edits.ContextNotFound, Message: fmt.Sprintf(
			"The patch deletes %s before this part (line %d of the patch), so there is nothing left to change; leave out one of the two.", part.path, part.Line)}
	}
	if err := f.hunks(part, how); err != nil {
		return err
	}
	if part.Op == edits.DeleteFile {
		if len(part.Hunks) > 0 && f.text.Len() > 0 {
			return &edits.Error{Kind: edits.ContextNotFound, Message: fmt.Sprintf(
				"The patch deletes %s, but its hunks leave %s of it; view the file and delete it as it is now.", part.path, edits.Count(f.text.Lines(), "line"))}
		}
		f.exists = false
	}
	return nil
}

// hunks has the file changed by the hunks of a part. Hunks that are in place
// already are no error here, unless they are to empty a file.
func (f *patchedFile) hunks(part filePart, how edits.Placing) error {
	if len(part.Hunks) == 0 {
		return nil
	}
	plan, err := part.planOn(f.limits.source(part.path, f.text, f.work), how)
	if part.Op == edits.UpdateFile && (isKind(err, edits.AlreadyApplied) || isKind(err, edits.NoChange)) {
		f.inPlace = append(f.inPlace, fmt.Sprintf("%s already has its part of the patch.", part.path))
		f.idle = err
		return nil
	}
	if err == nil {
		f.then(plan)
	}
	return err
}

// planOn is [edits.FilePatch.Plan], which is told to who asks for it.
func (part filePart) planOn(src edits.Source, how edits.Placing) (edits.Plan, error) {
	if part.placed == nil {
		return part.Plan(src, how)
	}
	placement := part.Place(src, how)
	part.placed(placement)
	if slices.ContainsFunc(placement.Places, func(at edits.Place) bool { return at.State == edits.Unplaced }) {
		return edits.Plan{}, errUnplaced // why is said of each hunk
	}
	return placement.Plan()
}

var errUnplaced = &edits.Error{Kind: edits.ContextNotFound, Message: "Some hunks have no place."}

// add makes the file, or makes the one that the patch has deleted before anew.
func (f *patchedFile) add(part filePart) error {
	content := text.New(part.Content)
	if f.exists {
		if !sameText(f.text, content, true) {
			return &edits.Error{Kind: paths.AlreadyExists, Message: fmt.Sprintf(
				"%s exists already, with another text than the patch adds; update it, or delete it in the same patch before adding it.", part.path)}
		}
		f.inPlace = append(f.inPlace, fmt.Sprintf("%s is there already, with this text.", part.path))
		return nil
	}
	f.exists = true
	if f.was.Exists {
		plan, err := edits.Write{Content: part.Content}.Plan(edits.Source{Path: part.path, Text: f.text})
		if isKind(err, edits.NoChange) {
			return nil
		}
		if err == nil {
			f.then(plan)
		}
		return err
	}
	f.text, f.plan = content, newFile(f.at, part.Content).plan
	f.plan.Message = ""
	return nil
}

// then has the file changed by a plan of its text as it is by now.
func (f *patchedFile) then(next edits.Plan) {
	f.text = next.Edits.Apply(f.text)
	f.plan = f.plan.Then(f.was.Text, next)
}

// landed takes in that a change of the file was made, perhaps on a newer text than
// it was planned on.
func (f *patchedFile) landed(l landed) {
	switch l.job.kind {
	case changeUpdate:
		f.was.Text, f.plan, f.text = l.job.Text, l.job.plan, l.job.after
	case changeCreate:
		f.plan.Notes, f.text = l.job.plan.Notes, l.job.after
	}
}

// changes returns the applyEdits that the file takes, by the names of results.
func (f *patchedFile) changes() []string {
	switch {
	case !f.was.Exists && f.exists:
		return []string{changeCreate}
	case !f.exists && f.was.Exists:
		return []string{changeDelete}
	case !f.exists:
		return nil
	}
	var changes []string
	if f.from.Key != f.at.Key {
		changes = append(changes, changeRename)
	}
	if len(f.plan.Edits) > 0 {
		changes = append(changes, changeUpdate)
	}
	return changes
}

// changed returns how results call what is done to the file, "" if nothing is.
func (f *patchedFile) changed() string {
	if all := f.changes(); len(all) > 0 {
		return all[0]
	}
	return ""
}
