// Package patch reads patches in any of these dialects:
//
//	begin.go    "*** Begin Patch"
//	search.go   SEARCH/REPLACE blocks
//	unified.go  unified diffs, and those of git
//	context.go  context diffs
//	parse.go    hunks alone, which begin with "@@"
//
// [Parse] (parse.go) detects the dialect and returns the same model for all of them (patch.go), a
// [Patch] of [File] and [Hunk]. It does not know the texts that a patch is about; package place finds
// the places of its hunks. Each deviation from the dialect that Parse accepts is a note.
package patch
