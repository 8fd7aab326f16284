// Package place finds the places of the hunks of a patch to one file:
//
//	Plan(file, source, Options{}) -> edits.Plan, or an *edits.Error
//
// All hunks are sought in the text as it is, together (search.go). A hunk stands where its
// context and deleted lines do, exactly or at the first of [match.Tiers] at which they are
// anywhere, or where it does if it is read in another way (hunk.go). Among several places, its
// anchors, its line number and the hunks before and after it choose (order.go). A hunk whose
// place is not known then is sought by itself in the text that the hunks before it make
// (place.go). If it has none there, it is in place already (inplace.go) or an error that says
// what comes near (failure.go).
//
// [Find] tells of each hunk where it stands. [Lines] are what str_replace has of all this for
// whole lines.
package place
