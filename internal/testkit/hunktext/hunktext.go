// Package hunktext writes hunks of a patch as short texts, for tests of where they stand:
//
//	@@ class A    an anchor
//	@12           the line number that it says
//	 kept         lines, with the sign of a unified diff
//	-deleted
//	+added
//	$             it is at the end of the file
package hunktext

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/patchls/patchls/edits/patch"
)

// Read returns the hunks that s describes.
func Read(s string) []patch.Hunk {
	var hs []patch.Hunk
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if anchor, ok := strings.CutPrefix(line, "@@"); ok || len(hs) == 0 {
			if len(hs) == 0 || len(hs[len(hs)-1].Lines) > 0 {
				hs = append(hs, patch.Hunk{Line: 1})
			}
			if anchor = strings.TrimSpace(anchor); ok && anchor != "" {
				h := &hs[len(hs)-1]
				h.Anchors = append(h.Anchors, anchor)
			}
			if ok {
				continue
			}
		}
		h := &hs[len(hs)-1]
		if line == "" {
			h.Lines = append(h.Lines, patch.Line{Kind: patch.KeptLine})
			h.Blanks++
			continue
		}
		h.Blanks = 0
		switch line[0] {
		case '$':
			h.AtEnd = true
		case '@':
			h.Numbered = true
			h.Start, _ = strconv.Atoi(line[1:]) // 0 if it is no number
		case ' ', '-', '+':
			h.Lines = append(h.Lines, patch.Line{Kind: patch.LineKind(line[0]), Text: line[1:]})
		}
	}
	return hs
}

// Print returns what [Read] reads as h.
func Print(h patch.Hunk) string {
	var b strings.Builder
	for _, anchor := range h.Anchors {
		fmt.Fprintf(&b, "@@ %s\n", anchor)
	}
	if h.Numbered {
		fmt.Fprintf(&b, "@%d\n", h.Start)
	}
	for _, l := range h.Lines {
		fmt.Fprintf(&b, "%c%s\n", l.Kind, l.Text)
	}
	return b.String()
}
