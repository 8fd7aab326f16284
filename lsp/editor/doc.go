// Package editor describes the editor at the other end of a connection: its capabilities, as initialize
// declares them, and its quirks, which follow from its name alone and stand in a table. Each quirk was measured
// in an editor. Its comment names the hazard that it is about, which docs/editor-hazards.md describes.
//
// To support another editor, or a quirk of one, add a line or a column to the table in quirks.go:
//
//	"helix": {Settle: 400 * time.Millisecond, Exact: true, CreatesByEdit: true, NewlineInNew: true},
//
// The packages above read these fields, and decide what follows from a quirk.
package editor
