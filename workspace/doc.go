// Package workspace keeps the open documents as the editor has them.
//
// The editor owns the text of an open document; this package mirrors the text from the editor's notifications, in wire
// order. The disk is believed for closed files only. A [Document] is a snapshot that never changes; the next one replaces it
// in [Documents].
//
// What happened to each text is in workspace/history; names, roots and closed files are in workspace/paths. What never lives
// here: JSON, LSP types, connections, and writes to a disk.
package workspace
