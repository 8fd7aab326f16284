// Package headless is an editor without a screen: an LSP client with buffers,
// versions, undo and a disk. It is the embedded default when no editor runs, and
// the test double that every end-to-end test drives.
//
// The rule that the package is built on: a change to a buffer and the writing
// of its didChange are one step under one lock (the editor's "UI thread"), so
// the order on the wire is the order in the buffer. Reading a buffer takes no
// lock and sees a change only once its didChange is written; whoever has seen
// a text may therefore send a request about it. The goroutine that reads from
// the server never takes that lock: requests leave it before they are worked
// on, so the server can always make progress.
//
// An edit that the server asks for (workspace/applyEdit) is checked as a whole
// before one byte changes: version, range, overlap, existence. It is applied to
// all of its documents or to none.
//
// That is the compliant editor, whose decisions are one implementation of the
// interface habits. A [Persona], which only tests set, has another one and departs from
// it as real editors do; a program that sets none has no part of it.
// Of the rule this is left, for every persona whose didChanges are late: a change
// and its entry in the buffer's outbox are one step under the lock, the outbox
// goes out in one didChange, in the buffer's order, and always before a didSave or
// didClose of that document and before a request of the editor about it. Between
// the two a reader of the buffer sees what the server does not know yet;
// [Buffer.Pending] says so. Where the answer to an applyEdit comes first, the
// outbox waits for the answer to be written. Timers and goroutines end with the
// connection, and what is pending then is never written. A hostile editor keeps
// none of this but the order of what it does write.
//
// What never lives here: planning or locating edits, knowledge of what a
// command means, anything that imports lsp or workspace. It speaks to the
// server over a pipe, like any editor. How a file is saved is a matter of
// internal/disk.
package headless
