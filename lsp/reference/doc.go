// Package reference implements tools that agents know from elsewhere: those of SmartHole, Agent
// Zero and sidecar. Each takes the arguments of its original and answers in its words, but runs on
// the native commands, and so does not share the faults of the original.
//
//	arguments -> ParseEditFile -> Call
//	                               Edit     a native command; Report words its result
//	                               Read     shows a text
//	                               Undo     names the text; Report words the result
//	             an error       -> Refused  words it as that tool would
//
// The package uses no connection and makes no edits: lsp runs the calls like its own commands.
package reference
