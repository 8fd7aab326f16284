// Package headless is an editor without a screen: an LSP client with buffers,
// versions, undo and a disk. It is the embedded default when no editor runs, and
// what every end-to-end test drives.
//
// An [Editor] is a connection to its server (connection.go), the answers to what that asks
// for (requests.go), and its [Buffer]s (buffer.go, change.go, save.go). A buffer has the name
// of its document and a current [State], which is replaced whole.
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
// before one byte changes (plan.go): version, range, overlap, existence. It is
// applied to all of its documents or to none, and in buffers alone: a file that was deleted
// or renamed is taken for gone, and stays on disk until its document is saved.
//
// A save (save.go), of one buffer or of several documents together, goes so:
//
//	allow   Options.AllowSave is asked for each file, without the lock, since it may take its time
//	plan    each buffer becomes a change of its file, each removal one that removes the file;
//	        with it goes the stamp of what the file held when it was read or saved last
//	commit  internal/disk makes all of the changes, or none where a file has another stamp;
//	        its page says what stands on disk meanwhile, and what becomes of it in a crash
//	done    the buffers are clean, the removals forgotten, the server is told
//
// Where the commit fails the buffers keep their texts and the removals stand, so that all
// can be saved again. What another process left half saved is taken back before the next
// commit, and when an editor starts.
//
// [Habits] are what other editors do differently. Tests have those of real editors in
// internal/testkit/personas; the product has only the editor's own.
//
// What never lives here: where an edit belongs, knowledge of what a
// command means, anything that imports lsp or workspace. It speaks to the
// server over a pipe, like any editor.
package headless
