// Package headless is an editor without a screen: an LSP client with buffers, versions, undo and a disk. It is the embedded
// default when no editor runs, and every end-to-end test drives it.
//
// An [Editor] consists of the connection to its server (connection.go), the answers to the
// server's requests (requests.go), and its [Buffer]s (buffer.go, change.go, save.go). A buffer
// has the name of its document and a current [State], which is replaced as a whole.
//
// The package is built on one rule: a change to a buffer and the writing of its didChange are one step under one lock (the
// editor's "UI thread"), so the order on the wire is the order in the buffer. Reading a buffer takes no lock and sees a
// change only once its didChange is written; a caller that has seen a text may therefore send a request about it. The
// goroutine that reads from the server never takes that lock: requests are handled on other goroutines, so the server can
// always make progress.
//
// An edit that the server asks for (workspace/applyEdit) is checked as a whole before any byte changes (plan.go): version,
// range, overlap, existence. It is applied to all of its documents or to none, and only to buffers: for the editor, a
// deleted or renamed file no longer exists, but it stays on disk until its document is saved.
//
// A save (save.go) of one buffer, or of several documents together, has four steps:
//
//	plan    each buffer becomes a change that writes its file, each removal one that removes it;
//	        a change includes the stamp of the file when it was last read or saved
//	allow   Disk.AllowSave is asked for each file
//	commit  internal/disk makes all of the changes, or none if a file has another stamp; its
//	        documentation says what is on disk meanwhile, and after a crash
//	done    the buffers become clean, the removals are forgotten, the server is notified
//
// If the commit fails, the buffers keep their texts and the removals stay pending, so that the save can be repeated. A save
// that another process left unfinished is rolled back before the next commit, and when an editor starts.
//
// [Habits] describe what other editors do differently. The habits of real editors are in
// internal/testkit/personas, for tests; the product has only the editor's own.
//
// This package does not decide where an edit belongs, does not know what a command means, and imports neither lsp nor
// workspace. It speaks to the server over a pipe, like any editor.
package headless
