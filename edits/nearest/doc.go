// Package nearest finds the places in a text that come nearest to one that does not occur in it,
// so that an error can show them. It never decides what an edit does.
//
//	Find(source, "retrun x + 1\n", 3)   lines 7-7, 96% alike, differs at column 4
//
// A scan counts the short byte sequences that the sent text shares with a window of its length, which moves over the text
// (grams, nearest.go). The best windows are aligned with the sent text, line by line or, if that is a part of a line, byte by byte,
// and the places are ranked by how much is alike (region.go).
package nearest
