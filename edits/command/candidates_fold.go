package command

import "github.com/patchls/patchls/edits/match"

// foldBytes bounds the lines that are folded, which is slow.
const foldBytes = 1 << 12

// foldLookAlikes returns a line under the fold of the tier Unicode. It serves
// messages; it never decides what an edit does.
func foldLookAlikes(line string) string {
	if len(line) > foldBytes || match.IsASCII(line) {
		return line
	}
	folded := match.Fold{Unicode: true}.Apply(line)
	return folded.Text
}
