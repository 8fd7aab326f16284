// Package diff finds what differs between two texts. [Rewrite] returns small edits that make one into the other:
//
//	"a = 1\nb = 2\n" to be "a = 1\nb = 3\n"    one edit, of the 2
//
//	diff.go     which new line replaces which old one
//	lines.go    how alike two lines are
//	align.go    the alignment itself, of lines and of the pieces in them
//	change.go   what changes within lines
//	unified.go  which changes are one hunk: [Hunks], and [Unified], which prints them
package diff
