// Package draft turns what is to become of some lines, or of some stretches of a text, into
// a plan, whose edits have the text's own line ends and final end.
//
//	source.Plan(source.LineRegions([]LineChange{{From: 2, To: 3, Lines: []string{"new"}}})) -> edits.Plan
//
// A [Source] is the text that a command is about, with what commands ask of it: where lines
// stand, what a line reads, how many places an error lists.
package draft
