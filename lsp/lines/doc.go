// Package lines follows the lines of a text. What agents send is based on a text that they were shown. Before an edit is
// made, the user and other agents may have changed that text. A [Ledger] records what an agent knows of each text; a [Map]
// reports where lines are now, and [Merge] merges a whole text with what the agent does not know:
//
//	shown to the agent     1 a   2 b   3 c         Ledger: knows 1 to 3
//	the user types         1 a   2 x   3 b   4 c   Map: line 3 is line 4 now
//	the agent sends        a     B     c           Merge: a x B c
//
// A line that was itself changed has no new place, and what changes it is refused.
package lines
