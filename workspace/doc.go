// Package workspace keeps the open documents as the editor has them.
//
// The editor owns the text of an open document; what is here is a mirror of it,
// made of the editor's own notifications in wire order. Disk is believed for
// closed files only. Everything is a snapshot: a [Document] never changes, the
// next one replaces it in [Documents].
//
// What happened to each text is in workspace/history; names, roots and closed
// files are in workspace/paths. What never lives here: JSON, LSP types,
// connections, and writes to a disk.
package workspace
