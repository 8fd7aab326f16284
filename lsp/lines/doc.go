// Package lines follows the lines of a text. Agents name places by line numbers, which refer
// to a text that they were shown. Before an edit is made, the user and other agents may have
// changed that text. A [Map] reports where lines are now; a [Ledger] records which lines of
// which text an agent has seen:
//
//	shown to the agent     1 a   2 b   3 c         Ledger: knows 1 to 3
//	the user types         1 a   2 x   3 b   4 c   Map: line 3 is line 4 now
//
// A line that was itself changed has no new place, and an edit that names it is refused.
package lines
