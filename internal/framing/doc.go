// Package framing reads and writes messages as the base protocol of LSP frames
// them: a header that gives the length of the body, an empty line, and the body.
//
//	Content-Length: 17\r\n
//	\r\n
//	{"jsonrpc":"2.0"}
//
// A [Reader] reads messages, and a [Writer] writes them. Neither looks at the content of a body.
//
// The peer is not trusted: a header is at most 8 KB, and memory for a body is allocated
// as the body arrives, not when the header announces it.
package framing
