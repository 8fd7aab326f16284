// Package headless is an editor without a screen: an LSP client with buffers,
// versions, undo and a disk. It is the embedded default when no editor runs, and
// what every end-to-end test drives.
//
// The rule that the package is built on: a change to a buffer and the writing
// of its didChange are one step under one lock (the editor's "UI thread"), so
// the order on the wire is the order in the buffer. Reading a buffer takes no
// lock and sees a change only once its didChange is written; a caller that has seen
// a text may therefore send a request about it. The goroutine that reads from
// the server never takes that lock: requests leave it before they are worked
// on, so the server can always make progress.
//
// An edit that the server asks for (workspace/applyEdit) is checked as a whole
// before one byte changes: version, range, overlap, existence. It is applied to
// all of its documents or to none.
//
// [Habits] are what other editors do differently. Tests have those of real editors in
// internal/testkit/personas; the product has only the editor's own.
//
// What never lives here: planning or locating edits, knowledge of what a
// command means, anything that imports lsp or workspace. It speaks to the
// server over a pipe, like any editor. How a file is saved is a matter of
// internal/disk.
package headless
