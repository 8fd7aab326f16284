// Package disk saves files: what a save writes is there whole or not at all, over several
// files, also after a crash. What another program has written is neither overwritten nor
// taken back.
//
// A [Disk] makes the calls to the system, each beneath its roots. [Disk.Commit] is a save
// (commit.go). Its journal says line by line what is about to be done, always before it is.
// This is the save of a file f, what stands on disk after each step, and what the next
// process does if this one is killed there:
//
//	step     on disk                                               recovery
//	begin    f is old; a journal, which is locked                  removes the journal
//	stage    beside f, .f.patchls-1 has the new text, mode, owner  removes .f.patchls-1, too
//	hold     the same; f is seen to be unchanged, both are locked  the same
//	put      the two have changed names: f is new                  changes them back
//	finish   the same; the journal says that all is done           removes .f.patchls-1: f stays new
//	drop     f is new                                              finds nothing
//
// Several files are all staged, then all held, and then put one after the other. An error
// before all is done has the same undone at once, by the same code, as a death has later.
// What another program has put at f since it was held is seen in .f.patchls-1, where it
// cannot be reached by its name any more: it is a reason to undo.
//
// How a file is put depends on what it is (the kind of its fileStep):
//
//   - replaces: as above. Where two names cannot be exchanged, f gets a second name, Kept,
//     and .f.patchls-1 is renamed to f.
//   - makes: there is no f. It becomes a second name of .f.patchls-1.
//   - fills: f has other names, or an owner who would lose it. A copy of it is made, Kept,
//     and f is written over.
//   - removes: f is renamed to .f.patchls-1, of which nothing was staged but the name.
//
// Recovery (recover.go) is where the next process begins or saves. It takes each journal that
// is not locked, and undoes its steps, the last one first. A step is undone by where the
// texts are that are seen on disk, not by how far the journal says that it came: so recovery
// may itself die, and be done again. A step that is over is noted, so that what is
// saved to its file afterwards is not taken back. If f has a text by then that is neither the
// old one nor the new, it stays, and the old one is kept beside it. A journal that leads out
// of the roots is left to others, one about a file that an editor has open to later.
//
// Two processes that both read a file before either of them saves it do not overwrite each other, but
// the second one is refused. [Disk.Turn] has them come one after the other (turn.go).
//
// What never lives here: buffers, LSP, URIs. It knows paths and bytes, and when to save
// is others' to say.
package disk
