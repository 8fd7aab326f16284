package reference

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
)

// textEditorContext is a patch by patch_text: hunks of one file, with or without
// an envelope. Unlike the tool, it takes every dialect of apply_patch.
type textEditorContext struct {
	textEditor
	patch patch.File
	notes []string
	bytes int // of the patch
}

func (t textEditor) parseContext(written string) (Call, error) {
	trimmed := strings.TrimSpace(written)
	first, _, _ := strings.Cut(strings.TrimLeft(written, "\r\n"), "\n")
	last := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	switch {
	case trimmed == "":
		return nil, t.invalid("patch_text must not be empty")
	case strings.HasPrefix(first, "*** Begin Patch") && !strings.HasPrefix(strings.TrimSpace(last), "*** End Patch"):
		return nil, t.syntax("patch_text missing *** End Patch")
	case isBareHunk(first):
		written = "@@\n" + strings.Trim(written, "\r\n")
	}
	p, err := patch.Parse(written)
	if e, ok := errors.AsType[*edits.Error](err); ok {
		return nil, t.worded(e, strings.TrimSuffix(e.Message, "."))
	}
	c := &textEditorContext{textEditor: t, notes: p.Notes, bytes: len(written)}
	err = c.only(p.Files)
	return c, err
}

// isBareHunk reports whether a patch that begins with this line is hunks without
// anything around them, the first one without its "@@".
func isBareHunk(first string) bool {
	return first != "" && !strings.HasPrefix(first, "--- ") && !strings.HasPrefix(first, "+++ ") && strings.ContainsAny(first[:1], "+- ")
}

// only takes the hunks of the one file that the patch updates.
func (c *textEditorContext) only(files []patch.File) error {
	for _, f := range files {
		switch {
		case f.Op != patch.UpdateFile:
			return c.syntax("patch_text supports update hunks only")
		case f.NewPath != "":
			return c.syntax("patch_text does not support file moves")
		case f.Path != files[0].Path:
			return c.syntax("patch_text may update only one file per operation")
		case f.Path != "" && !sameFileName(f.Path, c.file):
			return c.syntax("patch_text is about %s, and path is %s", echo(f.Path), echo(c.file))
		}
		c.patch.Hunks = append(c.patch.Hunks, f.Hunks...)
	}
	for _, h := range c.patch.Hunks {
		switch {
		case len(h.Lines) == 0 || slices.Equal(h.Old(), h.New()):
			return c.syntax("patch hunk does not change content")
		case len(h.Old()) == 0 && len(h.Anchors) == 0 && !h.AtEnd && !h.Numbered:
			return c.syntax("insert-only patch hunk needs an @@ anchor")
		}
	}
	if len(c.patch.Hunks) == 0 {
		return c.syntax("patch_text must contain at least one update hunk")
	}
	return nil
}

// sameFileName reports whether two paths may be of one file: one is the end of
// the other.
func sameFileName(a, b string) bool {
	a, b = path.Clean(strings.ReplaceAll(a, `\`, "/")), path.Clean(strings.ReplaceAll(b, `\`, "/"))
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+strings.TrimPrefix(a, "/"))
}

func (t textEditor) syntax(format string, args ...any) error {
	return t.worded(&edits.Error{Kind: edits.PatchSyntax}, fmt.Sprintf(format, args...))
}

func (c *textEditorContext) Target() commands.Target { return commands.Target{Path: c.path()} }

func (c *textEditorContext) Plan(src edits.Source) (edits.Plan, error) {
	p, err := place.Plan(c.patch, src, place.Options{})
	p.Notes = append(slices.Clone(c.notes), p.Notes...)
	return p, err
}

func (c *textEditorContext) Said(_ string, plan edits.Plan, now text.Text) string {
	return c.patched(plan, now, len(c.patch.Hunks))
}

func (c *textEditorContext) Refused(e *edits.Error) *edits.Error {
	var hunk patch.Hunk
	if e.Hunk > 0 {
		hunk = c.patch.Hunks[e.Hunk-1]
	}
	switch e.Kind {
	case edits.AnchorNotFound:
		return c.worded(e, "anchor not found: "+echo(strings.Join(hunk.Anchors, " > ")))
	case edits.ContextNotFound:
		return c.worded(e, "context not found:\n"+firstLines(hunk.Old())+nearest(e))
	case edits.ContextAmbiguous:
		return c.worded(e, "context matched multiple locations; add an @@ anchor or more context:\n"+
			firstLines(hunk.Old())+fmt.Sprintf("\n(it is at %s)", atLines(e)))
	}
	return c.textEditor.Refused(e)
}

// firstLines returns the first five of lines.
func firstLines(lines []string) string {
	for i, l := range lines {
		lines[i] = echo(l)
	}
	return strings.Join(lines[:min(len(lines), 5)], "\n")
}

func (c *textEditorContext) Size() commands.Size {
	return commands.Size{Patch: c.bytes, Hunks: len(c.patch.Hunks)}
}
