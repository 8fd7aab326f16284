package place

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/reindent"
)

// CarriedOver returns the call that makes the change from old to put at a place that comes
// near, if only lines that stay are misquoted there: a merge of the two changes of old,
// that to put and that to what stands there, which has no conflict. nil if there is none.
func CarriedOver(src draft.Source, old, put []string, near []edits.Candidate) *edits.Suggestion {
	if len(near) == 0 || len(near) > 1 && near[1].Similarity == near[0].Similarity || slices.ContainsFunc(old, elision.IsElision) {
		return nil
	}
	there := strings.Split(strings.TrimSuffix(near[0].Text, "\n"), "\n")
	merged, ok := reindent.MergeLines(old, put, there)
	if !ok || slices.Equal(merged, there) {
		return nil
	}
	oldText, newText := draft.JoinLines(there), draft.JoinLines(merged)
	if !strings.HasSuffix(near[0].Text, "\n") {
		oldText, newText = strings.TrimSuffix(oldText, "\n"), strings.TrimSuffix(newText, "\n")
	}
	at, once := draft.OnlyPlace(src.Text, oldText)
	if !once || draft.CheckElided(oldText, newText) != nil {
		return nil
	}
	h := lineHunk(src, there, merged)
	if _, again := (&target{before: src.Text, src: src}).madeAround(h, src.Text.LineAt(at.Start)); again {
		return nil
	}
	return &edits.Suggestion{Command: "str_replace", Arguments: map[string]any{"path": src.Path, "old_str": oldText, "new_str": newText}}
}

// Words words a candidate: "lines 5-6 (80% alike), where line 5 differs at column 3". What
// is alike in every line is said to lack something, or it would be the place.
func Words(c edits.Candidate, old []string) string {
	s := edits.LineRange(c.StartLine, c.EndLine)
	if alike := int(c.Similarity * 100); alike < 100 {
		s += fmt.Sprintf(" (%d%% alike)", alike)
	} else if lacks := lacking(old, strings.Split(c.Text, "\n")); lacks != "" {
		s += " (alike, but it lacks " + lacks + ")"
	} else {
		s += " (alike, but not the same lines, or another hunk changes them)"
	}
	if d := c.FirstDifference; d != nil {
		s += fmt.Sprintf(", where line %d differs at column %d: sent %q, found %q", d.Line, d.Column, d.Sent, d.Found)
	}
	return s
}

// lacking words the first of some lines that others do not have in order.
func lacking(lines, others []string) string {
	for i, at := range diff.MatchLines(lines, others) {
		switch {
		case at >= 0:
		case strings.TrimSpace(lines[i]) == "":
			return "a blank line"
		default:
			return fmt.Sprintf("“%s”", draft.ExcerptOf(strings.TrimSpace(lines[i])))
		}
	}
	return ""
}

// CarriedWords say what the suggestion of a text that is misquoted is.
const CarriedWords = " Only lines that stay differ there: the suggestion is the change carried over to it, if that is the place."
