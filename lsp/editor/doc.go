// Package editor is what is known of the editor at the other end of a connection: what it
// says that it can (initialize), and in table form what is known by its name alone, its
// quirks. Each quirk is there because an editor was measured to have it; the hazard that it
// is about stands in docs/editor-hazards.md, under the name that its comment has.
//
// To support another editor, or a quirk of one, add a line or a column to the table in
// quirks.go:
//
//	"helix": {Settle: 400 * time.Millisecond, Exact: true, CreatesByEdit: true, NewlineInNew: true},
//
// What follows from a quirk is decided where it matters: the packages above read the fields.
package editor
