// Package lsp is the server: the connections, the documents as the editor has them, the
// settings, and the table of commands. Its files in the order in which to read them:
//
//	serve.go      one editor: what a server needs, and what it consists of
//	lifecycle.go  the table of methods, the first and last of them, and the folders that are open
//	sync.go       the documents, in step with the editor
//	disk.go       the files of the documents, which other programs write
//	command.go    who sends commands, the table of commands, and how each kind of them goes on
//	endpoint.go   the agents that connect
//	show.go       what the user is shown: lenses, actions, messages
//	settings.go   what the client wishes
//	parent_*.go   whether the client's process runs
//
// The packages below do the work: lsp/rpc carries messages, lsp/transaction makes the edits of a command, lsp/apply has the
// editor make one of them, lsp/view shows texts. docs/architecture.md lists them all.
//
// Threads. One goroutine reads a connection. It handles, in wire order, every notification (memory only, never an error,
// never a wait), and the first half of every request, which decodes the arguments and takes a place in the queue of edits.
// The second half runs on its own goroutine and may wait. So a command sees every change that was sent before it, commands
// that edit run one after the other in the order of their arrival, and the client's messages are read even while something
// waits for the client.
//
// What never lives here: how an edit is found (edits), which paths may be touched (workspace),
// flags and exit codes (cmd/patchls).
package lsp
