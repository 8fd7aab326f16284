// Package draft turns changes of lines, or of regions of a text, into a plan whose edits have
// the text's own line ends and final line end.
//
//	source.Plan(source.LineRegions([]LineChange{{From: 2, To: 3, Lines: []string{"new"}}})) -> edits.Plan
//
// A [Source] is the text that a command edits, with the queries that commands make: where lines
// stand, what a line reads, how many places an error lists.
package draft
