// Package disk saves files: a save of one or several files takes effect as a whole or not at all, even after a crash. What
// another program has written is neither overwritten nor undone.
//
// A [Disk] makes system calls, each beneath its root. [Disk.Commit] makes a save (commit.go). Its journal records every
// action, line by line, before the action is taken. The table below shows the save of a file f: what is on disk after each
// step, and what the next process does if this one is killed there:
//
//	step     on disk                                               recovery
//	begin    f is old; a journal, which is locked                  removes the journal
//	stage    beside f, .f.patchls-1 has the new text, mode, owner  removes .f.patchls-1, too
//	hold     the same; f is seen to be unchanged, both are locked  the same
//	put      the two have changed names: f is new                  changes them back
//	finish   the same; the journal says that all is done           removes .f.patchls-1: f stays new
//	drop     f is new                                              finds nothing
//
// Several files are all staged, then all held, and then put one after the other. Each new text is durable before the first
// file is put: by an fsync of its own or, of many files on Linux, by one sync of their file system. After an error, the save is
// undone at once, by the same code that recovers after a crash. What another program has put at f since the hold step is found
// in .f.patchls-1, where it can no longer be reached by its name: then the save is undone.
//
// How a file is put depends on what it is (the kind of its fileStep):
//
//   - replaces: as above. Where two names cannot be exchanged, f gets a second name, Backup,
//     and .f.patchls-1 is renamed to f.
//   - makes: f does not exist yet. It becomes a second name of .f.patchls-1.
//   - fills: f has other names, or would lose its owner. A copy of f, Backup, is made, and f is
//     overwritten in place.
//   - removes: f is renamed to .f.patchls-1. Nothing but that name was staged.
//
// Recovery (recover.go) runs when the next process starts or saves. It takes each journal that is not locked and undoes its
// steps, the last one first. How a step is undone depends on where the texts are on disk, not on how far the journal says
// that the step came, so recovery may itself die and be repeated. A step that is over is noted, so that a later save of its
// file is not undone. If f then has a text that is neither the old one nor the new one, that text stays, and the old one is
// kept next to it. A journal that leads out of the root is left to other processes; a journal about a file that an editor
// has open is left for later.
//
// If two processes both read a file before either of them saves it, the second save is refused.
// [Disk.Turn] makes such processes take turns (journal.go).
//
// What never lives here: buffers, LSP, URIs. The package knows paths and bytes; its callers decide when to save.
package disk
