// Package commands is the arguments of the commands that edit one text: which text they are
// about, and which edits they ask for on a text as it is. The struct tags of the arguments are
// what schemas and docs/commands.md say of them.
//
//	{"path": "a.txt", "old_str": "x", "new_str": "y"}   StrReplace: arguments, decoded
//	   Target()                                         which text
//	   At(m)                                            the same, for lines that have moved
//	   Plan(src)                                        -> edits.Plan, or an error that teaches
//
// What runs a command (turns, applying, undo, results) is in lsp.
package commands
