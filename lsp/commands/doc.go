// Package commands declares the arguments of the commands that edit one text: which text they are about, and which edits
// they ask for on a given text. The tags, here and in package command, are what schemas and docs/commands.md say of them.
//
//	{"path": "a.txt", "old_str": "x", "new_str": "y"}   StrReplace: arguments, decoded
//	   Target()                                         which text
//	   At(m)                                            the same, for lines that have moved
//	   Plan(src)                                        -> edits.Plan, or an error that teaches
//
// Package lsp runs the commands: turns, applying, undo and results.
package commands
