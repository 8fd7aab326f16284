// Package edits is the model of what a command does to a text. It is pure:
// no I/O, no context, no clock, no LSP types, no state between calls.
//
// An [Edit] replaces a half-open byte range. The edits of an [Edits] value are sorted, disjoint and not empty; all offsets
// are those of the text before any edit. Edits are the only currency between the layers. A command is planned on a [Source];
// the result is a [Plan]. If the command has no place in the text, or several, the result is an [Error] that shows the
// nearest or the matching places.
//
// All layers fail with an [Error], so the kinds of all failures are in this package, in kinds.go. A new kind is
// one line there, with the sentence that docs/build/results.md has of it.
//
// The packages below do the work, and import this one:
//
//	command    command + text -> Plan, or an Error
//	place      the hunks of a patch -> their places, a Plan
//	reread     other readings of a command whose text occurs nowhere
//	anchor     the lines that the anchors of a patch name, and their scopes
//	reindent   a change carried over to text with other indentation or characters
//	draft      changes of lines -> Plan, with the text's own line ends
//	nearest    the places nearest to a text that does not occur
//	match      the tiers: how a text may differ from a quotation of it
//	patch      a patch in any dialect -> files and hunks
//	elision    "... existing code ..." in a text that was sent
//	changeset  compose, invert and transform the changes of a text
//	merge      the changes that two have made to one text, merged
//	diff       the edits that make one text into another, and their hunks
//	text       the text itself: lines, positions, hashes
//
// A [Hunk] is a change of a plan; a hunk of package patch is a change that a patch asks for.
//
// Documents, versions, paths on a disk and JSON-RPC never appear here.
package edits
