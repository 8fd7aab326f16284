// Package acp is `patchls acp`, a proxy between a client of the Agent Client Protocol and an agent that it starts.
//
// Both ends speak JSON-RPC, one message per line. The proxy passes lines on in order and unchanged, with two exceptions:
//
//   - session/new, session/load, session/resume and session/fork get patchls mcp among their MCP servers (message.go).
//   - fs/read_text_file and fs/write_text_file, by which an agent has its client read and write, are answered here if a
//     live editor has the file open (proxy.go). Requests for other files go to the client.
//
// In this protocol an agent writes whole texts, and does not say which text it started from. The editor's server knows what
// each session was shown (the command document), and merges what it writes (the command write). So nothing here decides
// where an edit goes, which paths may be touched, or what is protected.
package acp
