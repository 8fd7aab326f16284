// Package view implements the commands that only show something: lines of a text or the
// entries of a directory (view), the open documents and the edits that can be taken back
// (list), and a whole text (document).
package view
