package reference

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/commands"
)

// parsePatch determines which form a patch has, and reads it.
func (t *textEditor) parsePatch(c *Call, g argumentMap) error {
	lines, context, replace := len(t.Edits) > 0, t.PatchText != "", t.OldText+t.NewText != ""
	if !lines && !context && !replace { // beside another form, one that is empty is not set
		lines, context, replace = g["edits"] != nil, g["patch_text"] != nil, g["old_text"] != nil || g["new_text"] != nil
	}
	switch {
	case !lines && !context && !replace:
		return t.invalid(edits.InvalidParams, "edits, patch_text, or old_text/new_text is required for patch")
	case lines && context || lines && replace || context && replace:
		return t.invalid(edits.InvalidParams, "provide exactly one patch form: edits, patch_text, or old_text/new_text")
	case t.Rev != "" && !lines:
		return t.invalid(edits.InvalidParams, "rev is the text of the line numbers in edits, and has no part in the other forms")
	case context:
		return t.parseContext(c, t.PatchText)
	case lines:
		return t.parseLines(c)
	case t.OldText == "":
		return t.invalid(edits.InvalidParams, "old_text is required for exact replace")
	}
	r := commands.StrReplace{Path: t.Path, OldStr: t.OldText, NewStr: t.NewText, EditOptions: t.EditOptions}
	c.Edit, c.refused = &Edit{Edit: r, Report: t.patched(1)}, t.refusedReplace
	return nil
}

func (t *textEditor) refusedReplace(e *edits.Error) {
	switch e.Kind {
	case edits.NoMatch:
		t.worded(e, further("old_text not found", nearest(e)))
	case edits.MultipleMatches:
		t.worded(e, fmt.Sprintf("old_text matched %d times; provide a longer exact span (it is at %s)", e.Count, atLines(e)))
	case edits.NoChange:
		t.worded(e, "old_text and new_text are identical")
	default:
		e.Message = editFileNames.Replace(e.Message)
		t.refused(e)
	}
}

// contextPatch is the patch in patch_text: hunks of one file, with or without an
// envelope. Unlike the original tool, it accepts every dialect of apply_patch.
type contextPatch struct {
	path string
	commands.EditOptions
	file  patch.File
	notes []string
	bytes int // the size of the patch
}

func (t *textEditor) parseContext(c *Call, written string) error {
	trimmed := strings.TrimSpace(written)
	first, _, _ := strings.Cut(strings.TrimLeft(written, "\r\n"), "\n")
	last := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	switch {
	case trimmed == "":
		return t.invalid(edits.InvalidParams, "patch_text must not be empty")
	case strings.HasPrefix(first, "*** Begin Patch") && !strings.HasPrefix(strings.TrimSpace(last), "*** End Patch"):
		return t.invalid(edits.PatchSyntax, "patch_text missing *** End Patch")
	case isBareHunk(first):
		written = "@@\n" + strings.Trim(written, "\r\n")
	}
	p, err := patch.Parse(written)
	if err != nil {
		return t.reworded(err)
	}
	native := &contextPatch{path: t.Path, EditOptions: t.EditOptions, notes: p.Notes, bytes: len(written)}
	if native.file.Hunks, err = t.hunksOf(p.Files); err != nil {
		return err
	}
	c.Edit = &Edit{Edit: native, Report: t.patched(len(native.file.Hunks))}
	c.refused = func(e *edits.Error) { t.refusedContext(e, native.file.Hunks) }
	return nil
}

// isBareHunk reports whether a patch that begins with the line first consists of hunks
// without an envelope or file headers, and the first hunk lacks its "@@".
func isBareHunk(first string) bool {
	return first != "" && !strings.HasPrefix(first, "--- ") && !strings.HasPrefix(first, "+++ ") && strings.ContainsAny(first[:1], "+- ")
}

// hunksOf returns the hunks of the one file that a patch updates.
func (t *textEditor) hunksOf(files []patch.File) (hunks []patch.Hunk, err error) {
	for _, f := range files {
		switch {
		case f.Op != patch.UpdateFile:
			return nil, t.invalid(edits.PatchSyntax, "patch_text supports update hunks only")
		case f.NewPath != "":
			return nil, t.invalid(edits.PatchSyntax, "patch_text does not support file moves")
		case f.Path != files[0].Path:
			return nil, t.invalid(edits.PatchSyntax, "patch_text may update only one file per operation")
		case f.Path != "" && !sameFileName(f.Path, t.file):
			return nil, t.invalid(edits.PatchSyntax, "patch_text is about %s, and path is %s", edits.Printable(echo(f.Path)), edits.Printable(echo(t.file)))
		}
		hunks = append(hunks, f.Hunks...)
	}
	for _, h := range hunks {
		switch {
		case len(h.Lines) == 0 || slices.Equal(h.Old(), h.New()):
			return nil, t.invalid(edits.PatchSyntax, "patch hunk does not change content")
		case len(h.Old()) == 0 && len(h.Anchors) == 0 && !h.AtEnd && !h.Numbered:
			return nil, t.invalid(edits.PatchSyntax, "insert-only patch hunk needs an @@ anchor")
		}
	}
	if len(hunks) == 0 {
		return nil, t.invalid(edits.PatchSyntax, "patch_text must contain at least one update hunk")
	}
	return hunks, nil
}

// sameFileName reports whether two paths may name the same file: whether one is the end of the other.
func sameFileName(a, b string) bool {
	a, b = path.Clean(strings.ReplaceAll(a, `\`, "/")), path.Clean(strings.ReplaceAll(b, `\`, "/"))
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+strings.TrimPrefix(a, "/"))
}

func (c *contextPatch) Target() commands.Target { return commands.Target{Path: c.path} }

func (c *contextPatch) Plan(src edits.Source) (edits.Plan, error) {
	p, err := place.Plan(c.file, src, place.Options{})
	p.Notes = append(slices.Clone(c.notes), p.Notes...)
	return p, err
}

func (c *contextPatch) Size() commands.Size {
	return commands.Size{Patch: c.bytes, Hunks: len(c.file.Hunks)}
}

func (t *textEditor) refusedContext(e *edits.Error, hunks []patch.Hunk) {
	var hunk patch.Hunk
	if e.Hunk > 0 {
		hunk = hunks[e.Hunk-1]
	}
	switch e.Kind {
	case edits.AnchorNotFound:
		t.worded(e, "anchor not found: "+echo(strings.Join(hunk.Anchors, " > ")))
	case edits.ContextNotFound:
		t.worded(e, "context not found:\n"+firstLines(hunk.Old())+nearest(e))
	case edits.ContextAmbiguous:
		t.worded(e, "context matched multiple locations; add an @@ anchor or more context:\n"+
			firstLines(hunk.Old())+fmt.Sprintf("\n(it is at %s)", atLines(e)))
	default:
		t.refused(e)
	}
}

// firstLines returns the first five lines, each shortened for a message.
func firstLines(lines []string) string {
	lines = slices.Clone(lines[:min(len(lines), 5)])
	for i, l := range lines {
		lines[i] = echo(l)
	}
	return strings.Join(lines, "\n")
}
