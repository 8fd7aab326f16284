// Package view is the commands that show without changing anything: lines of a text or the
// entries of a directory (view), the open documents and the edits that can be taken back
// (list), and a whole text (document).
package view
