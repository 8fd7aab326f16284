package lsp

import (
	"bytes"

	"github.com/patchls/patchls/workspace"
)

// An editor writes each keystroke as it wrote the one before, but for six values. So a
// frame is first compared with that one, value by value and the pieces between them
// letter by letter; what it says then needs no reading again. A value is a whole token
// of JSON, and what comes behind a number is no part of one, so a frame that fits says
// what it would be read as.

// slot is a value that differs from one keystroke to the next.
type slot int

const (
	versionSlot slot = iota
	lengthSlot
	startSlot // its line, and behind it its character
	_
	endSlot
	_
	textSlot
	slots
)

// shape is a didChange of one change without its values. It has memory of its own.
type shape struct {
	frame []byte
	ends  []int  // where in frame each value was
	slots []slot // which it is
	uri   []byte
}

// valueAt is where a value is in a frame that is being read.
type valueAt struct {
	from, to int
	slot     slot
}

// value reads a number and remembers where it is.
func (q *quick) value(s slot) int {
	q.space()
	from := q.i
	n := q.number()
	q.values = append(q.values, valueAt{from, q.i, s})
	return n
}

// textValue is value for the text of a change.
func (q *quick) textValue() string {
	q.space()
	from := q.i
	t := q.text()
	q.values = append(q.values, valueAt{from, q.i, textSlot})
	return t
}

// learn keeps the shape of a frame that was read.
func (q *quick) learn(frame []byte) {
	sh := &q.shape
	sh.frame, sh.ends, sh.slots = sh.frame[:0], sh.ends[:0], sh.slots[:0]
	at := 0
	for _, v := range q.values {
		sh.frame = append(sh.frame, frame[at:v.from]...)
		sh.ends, sh.slots = append(sh.ends, len(sh.frame)), append(sh.slots, v.slot)
		at = v.to
	}
	sh.frame = append(sh.frame, frame[at:]...)
	sh.uri = append(sh.uri[:0], q.doc.uri...)
}

// fits reads a frame that has the shape of the one before, and reports whether it has.
func (q *quick) fits(frame []byte) bool {
	sh := &q.shape
	if len(sh.slots) == 0 {
		return false
	}
	q.scanner, q.bytes = scanner{b: frame}, q.bytes[:0]
	var values [slots]int
	c := workspace.Change{}
	at := 0
	for k, end := range sh.ends {
		if !q.literal(sh.frame[at:end]) {
			return false
		}
		switch at = end; sh.slots[k] {
		case textSlot:
			c.Text = q.text()
		case lengthSlot:
			c.Length, c.Counted = q.number(), true
		default:
			values[sh.slots[k]] = q.number()
		}
	}
	if q.bad || !q.literal(sh.frame[at:]) || q.i != len(frame) {
		return false
	}
	c.Range.Start.Line, c.Range.Start.Character = values[startSlot], values[startSlot+1]
	c.Range.End.Line, c.Range.End.Character = values[endSlot], values[endSlot+1]
	q.method, q.doc.uri, q.doc.version = didChangeMethod, sh.uri, values[versionSlot]
	q.changes = append(q.changes[:0], c)
	return inOrder(c.Range)
}

// literal takes what is expected, and reports whether it was there.
func (q *quick) literal(want []byte) bool {
	end := q.i + len(want)
	if end > len(q.b) || !bytes.Equal(q.b[q.i:end], want) {
		return false
	}
	q.i = end
	return true
}

// inOrder reports whether a range does not end before it starts.
func inOrder(r workspace.Range) bool {
	return r.Start.Line < r.End.Line || r.Start.Line == r.End.Line && r.Start.Character <= r.End.Character
}
