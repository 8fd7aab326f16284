// Package acp stands between a client of the Agent Client Protocol and an agent that the client starts: what `patchls acp` does.
//
// Both ends speak JSON-RPC, a line for each message. Lines go on as they came, in order, and but for these no byte is changed:
//
//   - session/new, session/load, session/resume and session/fork get patchls mcp among their MCP servers (message.go).
//   - fs/read_text_file and fs/write_text_file, by which an agent has its client read and write, are answered here where a live
//     editor has the file open (file.go). All others go to the client.
//
// The protocol has an agent write whole texts, and say nothing of the text that it has made them of. That is taken to be the one
// that its session was given last, or else the file's; what is new in it is an edit by edit_lines (package rewrite). So nothing
// here decides where an edit goes, which paths may be touched, or what is protected.
package acp
