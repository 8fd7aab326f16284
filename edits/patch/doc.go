// Package patch reads patches: unified diffs, those of git, "*** Begin Patch", and
// SEARCH/REPLACE blocks. [Parse] makes one model of all of them, a [Patch] of [File] and
// [Hunk]. It knows nothing of the texts that a patch is about; package place finds the
// places of its hunks. What it reads although the dialect says otherwise is a note.
package patch
