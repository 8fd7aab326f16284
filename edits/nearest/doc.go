// Package nearest finds the places of a text that come nearest to one that is not there,
// so that an error can show them. It never decides what an edit does.
//
//	Find(source, "retrun x + 1\n", 3)   lines 7-7, 96% alike, differs at column 4
//
// A scan of the text counts, for a window of the length of what was sent, the short byte
// sequences that both have (grams.go). The best windows are laid beside what was sent, line
// by line or, where that is a part of a line, byte by byte, and the places are weighed by how
// much is alike (region.go).
package nearest
