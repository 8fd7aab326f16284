package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// plan plans the whole patch on the texts as they are. The error says what
// would become of each file.
func (p *patching) plan(patch edits.Patch) error {
	var failed []*edits.Error
	faults := map[int]*edits.Error{}
	for i, part := range patch.Files {
		if err := p.work.Err(); err != nil {
			return err
		}
		p.several = p.several || part.Path != patch.Files[0].Path
		if err := p.part(filePart{FilePatch: part, number: i + 1}); err != nil {
			full := *errorOf(err)
			full.File = i + 1
			failed = append(failed, &full)
			faults[i] = &full
		}
	}
	if len(failed) > 0 {
		if err := p.wasApplied(patch, faults); err != nil {
			return err
		}
		return p.refused(failed)
	}
	if err := p.idle(); err != nil {
		return err
	}
	if err := p.checkCells(); err != nil {
		return err
	}
	if err := p.checkOperations(); err != nil {
		return err
	}
	return p.checkNames()
}

// part plans one part of the patch, on the file as those before it leave it.
func (p *patching) part(part filePart) error {
	w := p.s.workspace()
	w.Policy.Terse = p.terse
	place, err := p.resolve(w, part.FilePatch)
	if err != nil {
		return err
	}
	if content, ok := part.WholeText(); ok && !p.isThere(w, place) {
		part.Op, part.Content, part.Hunks = edits.AddFile, content, nil
	}
	f := p.known(place)
	if f == nil {
		if f, err = p.file(w, place, part); err != nil {
			return err
		}
	}
	if f.err == nil {
		part.path = f.at.Path
		f.err = p.take(w, f, part)
		return f.err
	}
	return nil // what is wrong with the file is said already
}

// known returns the file that the patch has named before, be it by another path
// that leads to it. It is nil if there is none.
func (p *patching) known(place paths.Target) *patchedFile {
	if f := p.names[place.Key]; f != nil || p.vacated[place.Key] != nil {
		return f
	}
	keys := make([]paths.Key, len(p.files))
	for i, f := range p.files {
		keys[i] = f.from.Key
	}
	key, ok := place.OpenAs(keys)
	if !ok {
		return nil
	}
	return p.files[slices.Index(keys, key)]
}

// fileOf returns the file that the part of that number is about, nil if there is none.
func (p *patching) fileOf(number int) *patchedFile {
	for _, f := range p.files {
		for _, part := range f.parts {
			if part.number == number {
				return f
			}
		}
	}
	return nil
}

// inPlaceNotes counts the parts that there is nothing to do for.
func (p *patching) inPlaceNotes() int {
	n := 0
	for _, f := range p.files {
		n += len(f.inPlace)
	}
	return n
}

func (p *patching) take(w *workspace.Workspace, f *patchedFile, part filePart) error {
	f.parts = append(f.parts, part)
	existed := f.exists
	if err := f.take(part, p.how); err != nil {
		return err
	}
	if f.exists != existed {
		f.order = part.number
	}
	if !f.exists && f.was.Exists {
		if err := p.s.checkDelete(f.was); err != nil {
			return err
		}
	}
	if part.NewPath != "" {
		return p.move(w, f, part)
	}
	return nil
}

// resolve returns the file that a part is about: its second name is meant where
// there is nothing under the first.
func (p *patching) resolve(w *workspace.Workspace, part edits.FilePatch) (paths.Target, error) {
	place, err := w.Resolve(part.Path)
	if part.OtherPath == "" || part.Op == edits.AddFile || err == nil && p.isThere(w, place) {
		return place, err
	}
	if other, otherErr := w.Resolve(part.OtherPath); otherErr == nil && p.isThere(w, other) {
		p.notes = append(slices.Clip(p.notes), fmt.Sprintf("There is no %s; %s was taken.", part.Path, part.OtherPath))
		return other, nil
	}
	return place, err
}

// isThere reports whether there is a file of that name by now.
func (p *patching) isThere(w *workspace.Workspace, t paths.Target) bool {
	if p.names[t.Key] != nil {
		return true
	}
	exists, _ := t.Exists()
	return p.vacated[t.Key] == nil && (w.IsOpen(t.Key) || t.Abs != "" && exists)
}

// file begins a file that the patch has not named before.
func (p *patching) file(w *workspace.Workspace, place paths.Target, part filePart) (*patchedFile, error) {
	f := &patchedFile{number: part.number, order: part.number, limits: p.s.limitsNow(), work: p.work, given: place.Path, from: place, at: place}
	was := workspace.Snapshot{Target: place}
	var err error
	switch moved := p.vacated[place.Key]; {
	case moved == nil:
		was, err = readForPatch(w, place, part.Op)
		was = p.s.asEditorSees(was)
	case part.Op != edits.AddFile:
		err = &edits.Error{Kind: paths.FileNotFound, Path: place.Path, Message: fmt.Sprintf(
			"File not found: %s; the patch moves it to %s before this part, so call it by that name.", place.Path, moved.at.Path)}
	}
	f.reset(was)
	if f.err = err; err == nil {
		f.from, f.at = was.Target, was.Target
	}
	p.files = append(p.files, f)
	p.names[place.Key] = f
	return f, err
}

// readForPatch reads a file that a part of a patch is about. One that is to be
// added is none, as a rule.
func readForPatch(w *workspace.Workspace, place paths.Target, op edits.PatchOp) (workspace.Snapshot, error) {
	if op != edits.AddFile {
		return w.ReadToEdit(place)
	}
	snap, err := w.Read(place)
	switch {
	case isKind(err, paths.FileNotFound) && place.Abs != "":
		return workspace.Snapshot{Target: place}, nil
	case isKind(err, paths.BinaryFile), isKind(err, paths.NotUTF8), isKind(err, paths.TooLarge):
		err = &edits.Error{Kind: paths.AlreadyExists, Path: place.Path, Message: fmt.Sprintf(
			"%s exists already, and is no text that could be compared; add the file under another name.", place.Path)}
	}
	return snap, err
}

// move gives the file its new name.
func (p *patching) move(w *workspace.Workspace, f *patchedFile, part filePart) error {
	to, err := p.resolveMove(w, f, part)
	if err != nil || to.Key == f.at.Key {
		return err
	}
	if err := p.s.checkMove(f.was); err != nil {
		return err
	}
	if err := p.checkFree(w, f.at, to); err != nil {
		return err
	}
	delete(p.names, f.at.Key)
	p.vacated[f.at.Key] = f
	delete(p.vacated, to.Key)
	p.names[to.Key] = f
	f.at, f.order = to, part.number
	return nil
}

// resolveMove returns the name that a part gives to a file. A relative one is
// taken from the workspace folder that the file is in.
func (p *patching) resolveMove(w *workspace.Workspace, f *patchedFile, part filePart) (paths.Target, error) {
	path := part.NewPath
	if root, ok := strings.CutSuffix(filepath.ToSlash(f.at.Abs), "/"+f.at.Path); ok && !filepath.IsAbs(path) && !strings.Contains(path, "://") {
		path = filepath.Join(root, path)
	}
	to, err := w.Resolve(path)
	if err == nil && to.Key != f.at.Key {
		return to, nil
	}
	// Where case is ignored, the file itself is found under its new name.
	if plain, plainErr := w.Policy.Resolve(path, nil); plainErr == nil && paths.DiffersInCase(f.at.Abs, plain.Abs) {
		return plain, nil
	}
	return to, err
}
