// Package place finds the places of the hunks of a patch to one file:
//
//	Plan(file, source, Options{}) -> edits.Plan, or an *edits.Error
//
// All hunks are placed together. A hunk stands where its context and deleted lines do,
// exactly or at the first of [match.Tiers] at which they are anywhere. Of several places its
// anchors, its line number and the hunks before and after it choose; if none of them does, it
// is refused. What has no place is read again in other ways (reread.go), looked for in what
// the hunks before it have made (made.go), and else is in place already (inplace.go) or an error
// that says what comes near (failure.go).
//
// [Find] tells of each hunk where it stands. [Lines] are what str_replace has of all this for
// whole lines.
package place
