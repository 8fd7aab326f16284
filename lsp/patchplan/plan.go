package patchplan

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Surroundings are what a patch is planned in. All must be set but Work.
type Surroundings struct {
	// Workspace returns the documents and files as they may be touched now. It is called for each part of a patch.
	Workspace func() *workspace.Workspace
	// See returns a text that was read as the user sees it in the editor.
	See func(was workspace.Snapshot) workspace.Snapshot
	// Source returns a text for planning that the patch has made of was, with the bounds of what errors say of it.
	Source func(was workspace.Snapshot, path string, t text.Text) edits.Source
	Editor *editor.Editor
	Work   *edits.Work // planning ends with it; nil if nothing ends planning
}

// Plan is a patch over several files, planned on the texts as they are. It is for one goroutine, and so are its files.
type Plan struct {
	in    Surroundings
	how   place.Options
	Notes []string // on how the patch was read
	// Missing counts the files that do not exist. The errors of the first ones name near paths.
	Missing int

	Files   []*File             // in the order in which the patch names them
	from    paths.Index         // of their names before the patch
	names   map[paths.Key]*File // by the name that each has as the patch leaves it
	vacated map[paths.Key]*File // by the names that the patch has moved them from
	made    map[string]bool     // the names of files that the patch makes
	above   []string            // folders that are not there, without which names of the patch were read
}

// New returns an empty plan. notes say how the patch was read.
func New(in Surroundings, how place.Options, notes []string) *Plan {
	return &Plan{in: in, how: how, Notes: notes, names: map[paths.Key]*File{}, vacated: map[paths.Key]*File{}, made: map[string]bool{}}
}

// Patch plans the whole patch on the texts as they are. The error says what would happen to each file.
func (p *Plan) Patch(sent patch.Patch) error {
	faults := make([]*edits.Error, len(sent.Files)) // of the parts; nil for one that has none
	failed := false
	for _, part := range sent.Files {
		_, whole := part.WholeText()
		p.made[part.Path] = p.made[part.Path] || whole || part.Op == patch.AddFile
		p.made[part.NewPath] = true
	}
	for _, part := range sent.Files { // a new file may come before the one that shows how its name is read
		if part.Op != patch.AddFile {
			_, _, _ = p.resolve(p.in.Workspace(), part)
		}
	}
	for i, part := range sent.Files {
		if err := p.in.Work.Err(); err != nil {
			return err
		}
		if _, err := p.Part(Part{File: part, Number: i + 1}); err != nil {
			full := *edits.Failure(err)
			full.File = i + 1
			faults[i], failed = &full, true
		}
	}
	if failed {
		return cmp.Or(p.wasApplied(sent, faults), p.refused(sent, faults))
	}
	return cmp.Or(p.Idle(), p.checkOperations(), p.checkNames(), p.checkEscapes(sent))
}

// Part plans one part of the patch, on its file as the parts before leave it. It returns that file; nil if there is none, or
// if the error of an earlier part of the file was returned already. [Plan.Patch] plans all parts, and checks them together.
func (p *Plan) Part(part Part) (*File, error) {
	w := p.in.Workspace()
	if p.Missing > maxFaults {
		w = w.Terse()
	}
	target, note, err := p.resolve(w, part.File)
	if err != nil {
		return nil, err
	}
	if part.CopyOf != "" {
		if part.Content, err = p.copied(w, part); err != nil {
			return nil, err
		}
		part.Hunks = nil
	}
	if content, ok := part.WholeText(); ok && !p.isThere(w, target) {
		part.Op, part.Content, part.Hunks = patch.AddFile, content, nil
	}
	f := p.lookUp(target)
	switch {
	case f == nil:
		if f, err = p.file(w, target, part); err != nil {
			return nil, err
		}
	case f.At.Path != target.Path && (part.Op == patch.DeleteFile || part.NewPath != ""): // not the name that f has
		return nil, edits.ErrorIn(edits.Unsupported, target.Path, "%s is another name of %s, which is in the patch already; delete or move it by a patch of its own.", target.Path, f.At.Path)
	case f.At.Path != target.Path && note == "":
		note = fmt.Sprintf("%s is another name of %s.", target.Path, f.At.Path)
	}
	if f.err == nil {
		part.path = f.At.Path
		if f.err = p.take(w, f, part); f.err == nil {
			p.note(note)
		} else if note != "" {
			full := *edits.Failure(f.err)
			full.Message = note + " " + full.Message
			f.err = &full
		}
		return f, f.err
	}
	return nil, nil
}

// copied returns the text that a part makes of the file that it copies.
func (p *Plan) copied(w *workspace.Workspace, part Part) (string, error) {
	of, err := w.Resolve(part.CopyOf)
	if err != nil {
		return "", err
	}
	was, err := w.ReadToEdit(of)
	was = p.in.See(was)
	if err = cmp.Or(err, CheckOperation(p.in.Editor, editor.Create, was)); err != nil || len(part.Hunks) == 0 {
		return was.Text.String(), err
	}
	plan, err := part.planOn(p.in.Source(was, of.Path, was.Text), p.how)
	return plan.Edits.Apply(was.Text).String(), err
}

// lookUp returns the file if the patch has named it before, perhaps by another path that leads to it; nil if it has not.
func (p *Plan) lookUp(target paths.Target) *File {
	if f := p.names[target.Key]; f != nil || p.vacated[target.Key] != nil {
		return f
	}
	if exists, _ := target.Exists(); !exists {
		return nil
	}
	if i := p.from.Find(target.Key); i >= 0 {
		return p.Files[slices.IndexFunc(p.Files, func(f *File) bool { return f.From.Key == p.from.Keys[i] })]
	}
	return nil
}

// InPlaceNotes counts the parts that are in place already.
func (p *Plan) InPlaceNotes() int {
	return lists.Sum(p.Files, func(f *File) int { return len(f.InPlace) })
}

func (p *Plan) take(w *workspace.Workspace, f *File, part Part) error {
	f.parts = append(f.parts, part)
	existed := f.Exists
	if err := f.take(part); err != nil {
		return err
	}
	if f.Exists != existed {
		f.order = part.Number
	}
	if !f.Exists && f.Was.Exists {
		if err := CheckOperation(p.in.Editor, editor.Delete, f.Was); err != nil {
			return err
		}
	}
	if part.NewPath != "" {
		return p.move(w, f, part)
	}
	return nil
}

// resolve returns the file of a part, and a note if the patch does not call it by its first name.
func (p *Plan) resolve(w *workspace.Workspace, part patch.File) (target paths.Target, note string, err error) {
	whole, plain := w.Resolve(part.Path)
	isOwn := p.made[part.Path] || plain == nil && p.vacated[whole.Key] != nil // the patch itself says what the name is
	target, read, err := p.find(w, part, part.Readings, isOwn)
	name := read.Name
	if name == "" && err == nil {
		name = p.below(part.Path)
		if tree, unknown := w.Resolve(part.Tree); part.Tree != "" && name == part.Path && unknown == nil && !p.isThere(w, tree) {
			p.above = append(p.above, filepath.ToSlash(part.Tree))
			name = p.below(name)
		}
		target, err = w.Resolve(name)
	}
	if part.InProse && err == nil && target.Key != whole.Key && p.fit(w, part, target, whole) == fitsBoth {
		err = edits.ErrorIn(edits.InvalidParams, target.Path, "Above line %d of the patch is text that mentions %s, and above that a block of %s%s; write the name that is meant alone above the block.", part.Line, target.Path, whole.Path, fitsBoth)
	}
	if len(part.Readings) > 0 {
		note = readAs(part.Readings[0][0].Name, name)
	}
	return target, note, err
}

// below returns a name without the folder without which other names of the patch were read.
func (p *Plan) below(name string) string {
	for _, folder := range p.above {
		if rest, cut := strings.CutPrefix(filepath.ToSlash(name), folder); cut {
			return folder[:strings.LastIndex(strings.TrimRight(folder, "/"), "/")+1] + rest
		}
	}
	return name
}

// readAs is the note on a name that is not as it was sent.
func readAs(sent, name string) string {
	if sent == "" || sent == name {
		return ""
	}
	return fmt.Sprintf("The patch names %s; %s was taken.", edits.Printable(sent), edits.Printable(name))
}

// find returns the first of the readings that is there, and its file; whole: only those of which no folder is cut. A name
// that may not be touched ends the search: the others stand for one that is not there. So does a folder that is there for
// what is cut. It is an error if two names in one group are those of two files.
func (p *Plan) find(w *workspace.Workspace, part patch.File, groups [][]patch.Reading, whole bool) (target paths.Target, read patch.Reading, err error) {
	for _, readings := range groups {
		for _, r := range readings {
			if folder, err := w.Resolve(r.Cut); r.Cut != "" && (whole || err == nil && p.isThere(w, folder)) {
				continue
			}
			t, refused := w.Resolve(r.Name)
			there := refused == nil && p.isThere(w, t)
			if there && r.Cut != "" {
				p.above = append(p.above, filepath.ToSlash(r.Cut))
			}
			switch {
			case edits.IsKind(refused, edits.Protected):
				return t, patch.Reading{}, refused
			case edits.IsKind(refused, edits.OutsideWorkspace):
				err = refused // unless it is but the name of a copy
			case !there:
			case read.Name == "":
				target, read = t, r
			case paths.Find(t.Key, []paths.Key{target.Key}) < 0:
				return t, patch.Reading{}, edits.ErrorIn(edits.InvalidParams, target.Path, "The patch names %s and %s for one file, and both are there%s; send it with the name that is meant in both lines, or as \"path\".", target.Path, t.Path, p.fit(w, part, target, t))
			}
		}
		if read.Name != "" {
			return target, read, nil
		}
		if err != nil {
			break
		}
	}
	return target, patch.Reading{}, err
}

// fit says which of two files has a place for the hunks of a part.
func (p *Plan) fit(w *workspace.Workspace, part patch.File, a, b paths.Target) string {
	fits := lists.FilterMap([]paths.Target{a, b}, func(t paths.Target) (string, bool) {
		was, err := w.ReadToEdit(t)
		if err == nil {
			_, err = place.Plan(part, p.in.Source(was, t.Path, was.Text), p.how)
		}
		return t.Path, err == nil
	})
	return []string{", and it fits neither", ", and it fits only " + strings.Join(fits, ""), fitsBoth}[len(fits)]
}

const fitsBoth = ", and it fits both"

// note adds a note on how the patch was read.
func (p *Plan) note(note string) {
	if note != "" && !slices.Contains(p.Notes, note) {
		p.Notes = append(slices.Clip(p.Notes), note)
	}
}

// isThere reports whether a file has that name at this point of the patch.
func (p *Plan) isThere(w *workspace.Workspace, t paths.Target) bool {
	if p.names[t.Key] != nil {
		return true
	}
	exists, _ := t.Exists()
	return p.vacated[t.Key] == nil && (w.IsOpen(t.Key) || t.Abs != "" && exists)
}

// file adds a file that the patch has not named before.
func (p *Plan) file(w *workspace.Workspace, target paths.Target, part Part) (*File, error) {
	f := &File{of: p, Number: part.Number, order: part.Number, PatchName: target.Path, From: target, At: target}
	was := workspace.Snapshot{Target: target}
	var err error
	switch moved := p.vacated[target.Key]; {
	case moved == nil:
		was, err = readForPatch(w, target, part.Op)
		was = p.in.See(was)
	case part.Op != patch.AddFile:
		err = edits.ErrorIn(edits.FileNotFound, target.Path, "File not found: %s; the patch moves it to %s before this part, so call it by that name.", target.Path, moved.At.Path)
	}
	f.reset(was)
	if edits.IsKind(err, edits.FileNotFound) {
		p.Missing++
	}
	if f.err = err; err == nil {
		f.From, f.At = was.Target, was.Target
	}
	p.Files = append(p.Files, f)
	p.from.Add(f.From.Key)
	p.names[target.Key] = f
	return f, err
}

// readForPatch reads the file of a part. A file that the part adds does not exist, as a rule.
func readForPatch(w *workspace.Workspace, target paths.Target, op patch.Op) (workspace.Snapshot, error) {
	if op != patch.AddFile {
		return w.ReadToEdit(target)
	}
	snap, err := w.Terse().Read(target)
	switch {
	case edits.IsKind(err, edits.FileNotFound) && target.Abs != "":
		return workspace.Snapshot{Target: target}, checkFolder(target)
	case edits.IsKind(err, edits.BinaryFile), edits.IsKind(err, edits.NotUTF8), edits.IsKind(err, edits.TooLarge):
		err = edits.ErrorIn(edits.AlreadyExists, target.Path, "%s exists already, and is no text that could be compared; add the file under another name.", target.Path)
	}
	return snap, err
}

// checkFolder refuses a new name below a file.
func checkFolder(t paths.Target) error {
	if _, err := os.Lstat(t.Abs); errors.Is(err, syscall.ENOTDIR) {
		return edits.Errorf(edits.AlreadyExists, "%s cannot be made, since what would be a folder of it is a file; move or delete that file by a patch of its own before.", t.Path)
	}
	return nil
}

// move gives the file its new name.
func (p *Plan) move(w *workspace.Workspace, f *File, part Part) error {
	to, err := p.resolveMove(w, f, part)
	if err != nil || to.Key == f.At.Key {
		return err
	}
	if err := cmp.Or(CheckOperation(p.in.Editor, editor.Rename, f.Was), p.checkFree(w, f.At, to)); err != nil {
		return err
	}
	delete(p.names, f.At.Key)
	p.vacated[f.At.Key] = f
	delete(p.vacated, to.Key)
	p.names[to.Key] = f
	f.At, f.order = to, part.Number
	return nil
}

// resolveMove returns the name that a part gives to a file. A relative name is resolved in the workspace folder of the file.
func (p *Plan) resolveMove(w *workspace.Workspace, f *File, part Part) (paths.Target, error) {
	path := p.below(part.NewPath)
	if _, raw, _ := p.find(w, part.File, [][]patch.Reading{{{Name: part.NewRaw}}}, true); raw.Name != "" {
		path = raw.Name
	}
	p.note(readAs(cmp.Or(part.NewRaw, part.NewPath), path))
	if root, ok := strings.CutSuffix(filepath.ToSlash(f.At.Abs), "/"+f.At.Path); ok && !filepath.IsAbs(path) && !strings.Contains(path, "://") {
		path = filepath.Join(root, path)
	}
	to, err := w.Resolve(path)
	if err == nil && to.Key != f.At.Key {
		return to, nil
	}
	// Where case is ignored, the file itself is found under its new name.
	if plain, plainErr := w.Policy.Resolve(path, nil); plainErr == nil && paths.DiffersInCase(f.At.Abs, plain.Abs) {
		return plain, nil
	}
	return to, err
}

// Message returns the sentence on the whole patch, whose files have these hunks. For a patch of one file that is the plan's
// own, which counts the lines as the hunks have them.
func (p *Plan) Message(files int, hunks []edits.Hunk) string {
	if f := p.Files[0]; len(p.Files) == 1 && len(f.parts) == 1 && f.Plan.Message != "" && f.Exists {
		return f.Plan.Message
	}
	return fmt.Sprintf("Patched %s: %s.", edits.Count(files, "file"), edits.LinesChanged(hunks))
}

// InFolder returns a patch whose relative names are counted from the folder that the patch means:
//
//   - The names in a diff of git are counted from the top of the work tree, wherever git runs. If the caller's folder
//     is below the top, such names are looked for there first. Those of "git diff --relative" are found only below the
//     caller's folder, and stay. It is an error if all of them are found at both.
//   - A shell that says "cd folder && apply_patch" has the names counted from that folder.
func InFolder(w *workspace.Workspace, sent patch.Patch) (patch.Patch, error) {
	base := w.Policy.Base
	top := paths.WorkTree(base)
	switch {
	case sent.Folder != "":
		return joined(sent, sent.Folder), nil
	case !sent.Git || base == "" || w.Policy.BaseIsTop || top == "" || top == base:
		return sent, nil
	}
	atTop, atBase := found(w, top, sent), found(w, base, sent)
	all := func(there []bool) bool { return len(there) > 0 && !slices.Contains(there, false) }
	switch {
	case all(atTop) && all(atBase):
		name := sent.Files[0].Path
		return sent, edits.ErrorIn(edits.InvalidParams, name, "It is not clear which files the diff means: git counts names from the top of the work tree, where there is %s, and there is %s too, as after git diff --relative. "+
			"Send absolute names, or give --root on the command line.", shown(w, top, name), shown(w, base, name))
	case all(atBase):
		return sent, nil
	}
	return joined(sent, top), nil
}

// found returns for each file that a patch changes whether it is there under a folder.
func found(w *workspace.Workspace, folder string, sent patch.Patch) (there []bool) {
	for _, f := range sent.Files {
		if f.Op == patch.AddFile {
			continue
		}
		name := filepath.Join(folder, f.Path)
		target, err := w.Resolve(name)
		exists, _ := target.Exists()
		_, missing := os.Lstat(name) // of the tree, the workspace may have a folder alone
		there = append(there, err == nil && (exists || w.IsOpen(target.Key)) || missing == nil && filepath.IsLocal(f.Path))
	}
	return there
}

// shown returns the name of a file as results show it.
func shown(w *workspace.Workspace, folder, name string) string {
	abs := filepath.Join(folder, name)
	target, err := w.Resolve(abs)
	if err != nil { // it is outside of the workspace, where a relative name would mean another file
		return paths.OneLine(abs, paths.MaxShownPath)
	}
	return target.Path
}

// joined returns a patch with a folder before its relative names.
func joined(sent patch.Patch, folder string) patch.Patch {
	sent.Files = slices.Clone(sent.Files)
	for i := range sent.Files {
		f := &sent.Files[i]
		names, folders := []*string{&f.Path, &f.NewPath, &f.NewRaw, &f.CopyOf}, []*string{&f.Tree}
		f.Readings = slices.Clone(f.Readings)
		for i := range f.Readings {
			f.Readings[i] = slices.Clone(f.Readings[i])
			for k := range f.Readings[i] {
				r := &f.Readings[i][k]
				names, folders = append(names, &r.Name), append(folders, &r.Cut)
			}
		}
		for _, cut := range folders {
			if *cut != "" && !strings.Contains(*cut, "://") {
				*cut = filepath.Join(folder, filepath.FromSlash(*cut)) + string(filepath.Separator)
			}
		}
		for _, name := range names {
			if *name != "" && !filepath.IsAbs(*name) && !strings.Contains(*name, "://") {
				*name = filepath.Join(folder, filepath.FromSlash(*name))
			}
		}
	}
	return sent
}
