// Package reference is the tools that agents know from elsewhere: those of SmartHole, Agent
// Zero and sidecar. Each takes its tool's arguments and answers in its tool's words, and runs on
// the native commands: so its faults are not here.
//
//	arguments -> ParseEditFile -> Call
//	                               Edit     a native command; Said words what came of it
//	                               Read     shows a text
//	                               Undo     says of which text; Said words what came of it
//	             an error       -> Refused  words it as that tool would
//
// The package knows no connection and makes no edit: lsp runs the calls as it runs its own.
package reference
