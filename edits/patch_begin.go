package edits

import "strings"

const (
	endPatch   = "*** End Patch"
	updateFile = "*** Update File: "
)

// parseBeginPatch reads "*** Begin Patch", which stands at lines[begin]: updates
// of files whose hunks begin with "@@" and are lines led by " ", "-" or "+".
func parseBeginPatch(lines []string, begin int) (Patch, error) {
	var p Patch
	var h *PatchHunk
	for i := begin + 1; i < len(lines); i++ {
		l := lines[i]
		if strings.HasPrefix(l, updateFile) {
			p.Files = append(p.Files, FilePatch{Path: strings.TrimSpace(l[len(updateFile):])})
			h = nil
			continue
		}
		if strings.TrimSpace(l) == endPatch {
			return p, p.check(i + 1)
		}
		if len(p.Files) == 0 {
			return Patch{}, syntax(i+1, "%q must be %q with a path", l, strings.TrimSpace(updateFile))
		}
		f := &p.Files[len(p.Files)-1]
		newHunk := strings.HasPrefix(l, "@@")
		if newHunk && strings.TrimSpace(l) != "@@" {
			return Patch{}, syntax(i+1, "%q is an anchor, which is not understood yet; quote lines that make the hunk unique", l)
		}
		if h == nil || newHunk {
			f.Hunks = append(f.Hunks, PatchHunk{Line: i + 1})
			h = &f.Hunks[len(f.Hunks)-1]
		}
		if newHunk {
			continue
		}
		if l == "" {
			l = " " // editors and models strip the blank of an empty context line
		}
		switch rest := l[1:]; l[0] {
		case ' ':
			h.Lines = append(h.Lines, PatchLine{Kind: KeptLine, Text: rest})
		case '-':
			h.Lines = append(h.Lines, PatchLine{Kind: DeletedLine, Text: rest})
		case '+':
			h.Lines = append(h.Lines, PatchLine{Kind: AddedLine, Text: rest})
		default:
			return Patch{}, syntax(i+1, `%q must begin with " " (context), "-" (deleted), "+" (added) or "@@"`, l)
		}
	}
	return Patch{}, syntax(len(lines), "%q is missing", endPatch)
}

// check reports a patch without anything to do; line is its last one.
func (p Patch) check(line int) error {
	if len(p.Files) == 0 {
		return syntax(line, "the patch names no file")
	}
	for _, f := range p.Files {
		if len(f.Hunks) == 0 {
			return syntax(line, "%s has no hunk", f.Path)
		}
	}
	return nil
}
