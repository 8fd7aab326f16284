package main

import (
	"math/rand/v2"

	"github.com/patchls/patchls/edits/text"
)

// change is an edit as LSP sends it, in UTF-16.
type change struct {
	from, to text.Position
	put      string
}

// session is a user who edits a text.
type session struct {
	start   string
	changes []change
}

// part is the session's first changes.
func (s session) part(changes int) session {
	s.changes = s.changes[:min(changes, len(s.changes))]
	return s
}

// scattered inserts and deletes single characters all over a text.
func scattered(start string, count int) session {
	r := rand.New(rand.NewPCG(5, 6))
	s := session{start: start}
	b := text.NewBuffer(text.New(start))
	for i := range count {
		at := anyPlace(r, b)
		c := change{put: "x"}
		c.from = b.Position(at, text.UTF16)
		c.to = c.from
		end := at
		if next := b.Slice(at, min(at+1, b.Len())); i%2 == 1 && next > " " && next < "\x7f" {
			c.put, end = "", at+1
			c.to.Character++
		}
		b.Replace(at, end, c.put)
		s.changes = append(s.changes, c)
	}
	return s
}

// anyPlace returns the offset of some code point.
func anyPlace(r *rand.Rand, b *text.Buffer) int {
	at := r.IntN(b.Len() + 1)
	for at > 0 && at < b.Len() && b.Slice(at, at+1)[0]&0xC0 == 0x80 {
		at--
	}
	return at
}

// result returns the text after the session's changes.
func (s session) result() string {
	b := text.NewBuffer(text.New(s.start))
	for _, c := range s.changes {
		b.Replace(b.Offset(c.from, text.UTF16), b.Offset(c.to, text.UTF16), c.put)
	}
	return b.Snapshot().String()
}
