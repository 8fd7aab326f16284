// Package reference implements tools that agents know from elsewhere: those of SmartHole, Agent
// Zero and sidecar. Each takes the arguments of its original and answers in its words, but runs on
// the native commands, and so does not share the faults of the original.
//
//	arguments -> ParseEditFile -> Call
//	                               Run      edits a text with a native command, shows one, or takes an edit back;
//	                                        the answer and the errors are in the words of that tool
//
// The package uses no connection and makes no edits: lsp has the calls run like its own commands.
package reference
