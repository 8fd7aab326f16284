package match

import (
	"iter"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

var (
	// BlanksFold passes over the blanks around lines.
	BlanksFold = Fold{Trailing: true, Indent: true}
	// LookAlikeFold passes over all that a fold can.
	LookAlikeFold = Fold{Trailing: true, Indent: true, Unicode: true}
)

// Step is a tier, and what it passes over.
type Step struct {
	Tier edits.Tier
	Fold Fold
}

// Tiers are the tiers that a text is looked for by where it does not stand exactly, in the
// order in which they are tried.
var Tiers = []Step{
	{edits.LineEnds, Fold{}},
	{edits.TrailingSpace, Fold{Trailing: true}},
	{edits.Indentation, Fold{Trailing: true, Indent: true}},
	{edits.Unicode, Fold{Trailing: true, Unicode: true}},
	{edits.Unicode, Fold{Trailing: true, Indent: true, Unicode: true}},
}

// Worthwhile returns the fold that leaves out all that there is to leave out in t or in lines,
// so that no tier is tried that can find nothing new; see [Fold.Has].
func Worthwhile(t text.Text, lines iter.Seq[string]) Fold {
	hashes := t.LineHashes()
	f := Fold{
		Trailing: hashes.Any(text.Trailing), Indent: hashes.Any(text.Indented),
		Unicode: hashes.Any(text.NonASCII) || diff.HasBOM(t),
	}
	for line := range lines {
		f.Unicode = f.Unicode || !IsASCII(line)
		before, core, after := diff.CutBlanks(strings.TrimRight(line, "\r\n"))
		f.Indent = f.Indent || (core != "" && before != "")
		f.Trailing = f.Trailing || after != "" || (core == "" && before != "")
	}
	return f
}
