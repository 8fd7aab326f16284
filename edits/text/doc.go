// Package text holds the text of a document: its bytes, its lines, and the
// conversion between byte offsets and LSP positions.
//
// All offsets are byte offsets into UTF-8. Lines are counted from 0. A line ends at "\n" and owns that terminator, together
// with a "\r" right before it; a lone "\r", VT, FF, NEL and U+2028 are ordinary characters (decision: line-owns-its-end).
// There is no phantom line after a final newline.
//
// # Text and Buffer
//
// A [Text] is an immutable value, for code that plans, compares and keeps texts. A
// [Buffer] has one owner and is edited in place, for code that follows an editor's
// typing; its snapshot is a Text and takes constant time. Both have the same structure.
//
// # The tree
//
// A text is a tree. Its leaves hold chunks, stretches of some hundred bytes, and its branches hold nodes. Nodes carry how
// many bytes, line ends, code points and code points above U+FFFF are below each child, so that an offset, a line and a
// column in any encoding are each found on one path down. A chunk costs 27 bytes besides its text.
//
// A chunk never cuts a code point, whatever bytes become neighbours: only then do the counts of chunks add up. Bytes that
// are not valid UTF-8 count one by one, and their chunk is marked, because only valid text can be counted eight bytes at a
// time.
//
// # Who may write
//
// Each node has the epoch of the buffer that made it, and a snapshot begins a new epoch. A buffer writes the nodes and
// chunks of its epoch in place and copies others first. So typing without snapshots allocates next to nothing, and the nodes
// of a snapshot are never written again.
//
// # In memory once
//
// The chunks of a text that came in one piece are parts of that string, its origin. Edits copy the chunks that they touch.
// When more than a quarter of the origin is in no chunk any more, the other chunks are copied too and the origin is dropped.
// That is one pass over the text, once in its life. String makes one piece of a tree again, and the chunks become parts of
// it; a buffer continues with these. So neither keeps a text twice, as long as the buffer is not asked for places after its
// last snapshot.
//
// # The hash
//
// The hash is a number that composes (see hash.go), so each node keeps its own, and hashing a text again after an edit only
// costs the nodes above that edit. The hash has 125 bits. It resists accidents, but not an attacker who looks for two texts
// with the same hash; Equal compares the bytes.
//
// # Finding
//
// A text is searched in windows (see [Text.Matches]). Hashes of its lines are made when they are first needed (see
// [Text.LineHashes]). Each leaf keeps the hashes of the lines that are entirely in it, so an edit costs only the hashes of
// the leaves that it touches, and a text that is only typed in has none.
//
// This package knows no commands, no edits as values, no I/O and no LSP types.
package text
