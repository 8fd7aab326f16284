// Package place finds the places of the hunks of a patch to one file:
//
//	Plan(file, source, Options{}) -> edits.Plan, or an *edits.Error
//
// All hunks are first sought together in the text as it is (search.go). A hunk's place is where its context and deleted
// lines stand: exactly, or at the first of [match.Tiers] at which they stand anywhere, or after the hunk is read in another
// way (hunk.go). If there are several places, its anchors, its line number (numbers.go) and the hunks around it choose one
// (order.go). A hunk whose place is still not known is sought by itself in the text that the hunks before it make
// (place.go). If it has no place there either, it is in place already (inplace.go), or the result is an error that shows the
// nearest places (failure.go).
//
// [Find] reports where each hunk stands. [Lines] is the same search for the whole lines of str_replace.
package place
