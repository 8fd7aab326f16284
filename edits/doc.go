// Package edits is the model of what a command does to a text. It is pure:
// no I/O, no context, no clock, no LSP types, no state between calls.
//
// An [Edit] replaces a half-open byte range; an [Edits] value
// is sorted, disjoint and non-empty edit by edit, all offsets being those of
// the text before any of them. Edits are the only currency between the layers.
// A command is planned on a [Source] and comes to a [Plan]. One that has no
// place, or more than one, is an [Error] that says where the nearest place is.
//
// The packages below do the work, and import this one:
//
//	command    command + text -> Plan, or an Error
//	place      the hunks of a patch -> their places, a Plan
//	reread     the other readings of a command that stands nowhere
//	anchor     the lines that the anchors of a patch name, and their scopes
//	reindent   a change carried over to text with other indentation or characters
//	draft      changes of lines -> Plan, with the text's own line ends
//	nearest    what comes near to a text that is not there
//	match      the tiers: in what a text may differ from a quotation of it
//	patch      a patch in any dialect -> files and hunks
//	elision    "... existing code ..." in what was sent
//	changeset  compose, invert, transform what happened to a text
//	merge      what two have changed in one text
//	diff       the edits that make one text into another, and their hunks
//	text       the text itself: lines, positions, hashes
//
// A [Hunk] is a change of a plan; a hunk of package patch is a change that a patch asks for.
//
// What never lives here: documents, versions, paths on a disk, JSON-RPC.
package edits
