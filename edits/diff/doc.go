// Package diff finds what differs between two texts. [Rewrite] returns the least edits that
// make one into the other:
//
//	"a = 1\nb = 2\n" to be "a = 1\nb = 3\n"    one edit, of the 2
//
// [Unified] prints edits as a unified diff, and [Hunks] says which whole lines they change.
package diff
