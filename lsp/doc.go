// Package lsp is the server: the connections, the documents as the editor has them, the
// settings, and the table of commands.
//
//	Serve     one editor: its lifecycle, its documents (sync.go), its settings and roots
//	Endpoint  the agents that connect to it (endpoint.go)
//	Commands  what the editor and agents can call (commands.go), and how a call begins (command.go)
//
// The packages below do the work: lsp/rpc carries messages, lsp/transaction makes the edits of a
// command, lsp/apply has the editor make one of them, lsp/view shows texts. docs/architecture.md
// lists them all.
//
// Threads. One goroutine reads a connection. It handles, in wire order, every notification
// (memory only, never an error, never a wait), and the first half of every request, which decodes
// the arguments and takes a place in the queue of edits. The second half runs on its own goroutine
// and may wait. So a command sees every change that was sent before it, commands that edit run one
// after the other in the order of their arrival, and the client's messages are read even while
// something waits for the client.
//
// What never lives here: how an edit is found (edits), which paths may be touched (workspace),
// flags and exit codes (cmd/patchls).
package lsp
