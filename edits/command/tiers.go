package command

import (
	"iter"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// tierFolds are the folds of the tiers that search looks at.
var tierFolds = []struct {
	tier edits.Tier
	fold match.Fold
}{
	{edits.LineEnds, match.Fold{}},
	{edits.TrailingSpace, match.Fold{Trailing: true}},
	{edits.Indentation, match.Fold{Trailing: true, Indent: true}},
	{edits.Unicode, match.Fold{Trailing: true, Unicode: true}},
	{edits.Unicode, match.Fold{Trailing: true, Indent: true, Unicode: true}},
}

// worthwhile returns the fold that leaves out all that there is to leave out in
// t or in lines.
func worthwhile(t text.Text, lines iter.Seq[string]) match.Fold {
	hashes := t.LineHashes()
	f := match.Fold{
		Trailing: hashes.Any(text.Trailing), Indent: hashes.Any(text.Indented),
		Unicode: hashes.Any(text.NonASCII) || diff.HasBOM(t),
	}
	for line := range lines {
		f.Unicode = f.Unicode || !match.IsASCII(line)
		before, core, after := diff.CutBlanks(strings.TrimRight(line, "\r\n"))
		f.Indent = f.Indent || (core != "" && before != "")
		f.Trailing = f.Trailing || after != "" || (core == "" && before != "")
	}
	return f
}
