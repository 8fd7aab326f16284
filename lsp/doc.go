// Package lsp is everything that knows JSON-RPC, LSP or a connection: it
// decodes what a client sends, keeps the mirror of its documents up to date,
// runs commands on snapshots, and has the client apply the edits.
//
// Threads. One goroutine reads a connection. On it, in wire order: every
// notification (memory only, never an error, never a wait), and the first half
// of every request, which decodes the arguments and takes a place in the queue
// of edits. The second half runs on a goroutine of its own and may wait. So a
// command sees every change that was sent before it, commands that edit go one
// after the other in the order in which they came, and nothing that waits for
// the client keeps the client's messages from being read.
//
// What never lives here: how an edit is found (edits), which paths may be
// touched (workspace), flags and exit codes (cmd/patchls).
package lsp
