// Package text holds the text of a document: its bytes, its lines, and the
// conversion between byte offsets and LSP positions.
//
// All offsets are byte offsets into UTF-8. Lines are counted from 0. A line
// ends at "\n" and owns that terminator, together with a "\r" right before it;
// a lone "\r", VT, FF, NEL and U+2028 are ordinary characters (decision:
// line-owns-its-end). There is no phantom line after a final newline.
//
// # Two faces
//
// A [Text] is an immutable value, for all who plan, compare and keep. A [Buffer]
// has one owner and is edited in place, for who follows an editor's typing; its
// snapshot is a Text and takes constant time. Both are one structure.
//
// # The tree
//
// A text is a tree. Its leaves hold chunks, stretches of some hundred bytes, and its
// branches hold nodes. Nodes carry how many bytes, line ends, code points and code
// points above U+FFFF are below each child, so that an offset, a line and a column in
// any encoding are each found on one way down. A chunk costs 27 bytes beside its own.
//
// A chunk never cuts a code point, whatever bytes are put beside each other: only
// then do the counts of chunks add up. Bytes that are no UTF-8 count one by one,
// and their chunk is marked, because eight bytes at a time can be counted only
// where the text is valid.
//
// # Who may write
//
// Each node has the epoch of the buffer that made it, and a snapshot begins a new
// one. A buffer writes the nodes and chunks of its epoch in place and copies
// others first, so typing that is not watched allocates next to nothing, and what
// a snapshot holds is never written again.
//
// # In memory once
//
// The chunks of a text that came in one piece are parts of it, its origin. Edits copy
// the chunks that they touch; when a quarter of the origin is in no chunk any more,
// the rest is copied too and the origin let go. That is one pass over the text,
// once in its life. String makes a tree one piece again, and makes the chunks
// parts of that; a buffer goes on from there. So neither keeps a text twice, for
// as long as the buffer is not asked for places after its last snapshot.
//
// # The hash
//
// The hash is a number that composes (see hash.go), so each node keeps its own,
// and a text that was hashed before an edit costs the nodes above that edit. It
// has 125 bits and stands up to accidents, not to an attacker who looks for two
// texts of one hash; Equal looks at the bytes.
//
// # Finding
//
// A text is searched in windows (see [Text.Matches]). It has
// hashes of its lines once they are asked for (see [Text.LineHashes]): each leaf
// keeps those of the lines that are in it alone, so an edit costs those of the leaves
// that it touches, and a text that is only typed in has none.
//
// What never lives here: commands, edits as values, I/O, LSP types.
package text
