// Package editor describes the editor at the other end of a connection: its capabilities, as
// initialize declares them, and its quirks, which are known by its name alone and stand in a table. Each quirk is there because an editor was measured to have it; the hazard that it
// is about stands in docs/editor-hazards.md, under the name that its comment has.
//
// To support another editor, or a quirk of one, add a line or a column to the table in
// quirks.go:
//
//	"helix": {Settle: 400 * time.Millisecond, Exact: true, CreatesByEdit: true, NewlineInNew: true},
//
// What follows from a quirk is decided where it matters: the packages above read the fields.
package editor
