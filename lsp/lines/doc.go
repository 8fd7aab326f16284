// Package lines follows the lines of a text. Agents name places by line numbers, which are
// about a text that they were shown; by the time that an edit is made, the user and other
// agents have changed it. A [Map] says where lines have gone, a [Ledger] which lines of which
// text an agent has seen:
//
//	shown to the agent     1 a   2 b   3 c         Ledger: knows 1 to 3
//	the user types         1 a   2 x   3 b   4 c   Map: line 3 is line 4 now
//
// A line that was itself changed is nowhere, and what named it is refused.
package lines
