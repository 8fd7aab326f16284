// Package patch reads patches in any of these dialects:
//
//	begin.go    "*** Begin Patch"
//	search.go   SEARCH/REPLACE blocks
//	unified.go  unified diffs, and those of git
//	parse.go    hunks alone, which begin with "@@"
//
// [Parse] (parse.go) tells which it is and makes one model of all of them (patch.go), a [Patch] of
// [File] and [Hunk]. It knows nothing of the texts that a patch is about; package place finds the
// places of its hunks. What it reads although the dialect says otherwise is a note.
package patch
