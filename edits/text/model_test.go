package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/internal/testkit/chance"
)

// TestModel holds texts and buffers to plain strings through random edits.
// PATCHLS_SEED repeats a run, PATCHLS_TEXT_EDITS says how many edits to make.
func TestModel(t *testing.T) {
	t.Parallel()
	edits := int(chance.Cases(t, "PATCHLS_TEXT_EDITS", 10_000))
	r := rand.New(rand.NewPCG(chance.Seed(t), 0))
	const session = 500
	for n := range edits / session {
		size := 1 << r.IntN(18)
		if n%20 == 0 {
			size = 2 << 20 // a tree of four levels
		}
		start, ops := randomStart(r, size), make([]op, session)
		for i := range ops {
			ops[i] = randomOp(r, size)
		}
		if err := play(start, ops); err != nil {
			ops = shrink(ops, func(ops []op) bool { return play(start, ops) != nil })
			t.Fatalf("%v\nof %.200q (%d bytes) with\n%s", play(start, ops), start, len(start), list(ops))
		}
	}
}

// op is one step. What it says about places is taken modulo the text's length,
// so that it makes sense whatever went before.
type op struct {
	kind    opKind
	at, len int
	put     string
	enc     Encoding
}

type opKind int

const (
	opReplace opKind = iota // in the buffer, by offsets
	opRange                 // in the buffer, by positions
	opType                  // letters and backspaces at one place
	opText                  // in a snapshot, which a new buffer takes over
	opKeep                  // a snapshot to look at again at the end
	opFlatten               // asks a snapshot for its string
	opHash
	opAsk // lines, positions and slices
	opKinds
)

var putPieces = []string{
	"", "", "x", "foo", " ", "\n", "\r\n", "\r", "é", "日本", "😀", "𝒳y", BOM, "\u2028",
	"\xff", "\xf0\x9f", "\x98\x80", "\xe6", "\x97\xa5", "\xc3", "\xa9", "\xed\xa0\x80", "\x80\x80\x80\x80",
}

func randomPut(r *rand.Rand) string {
	s := putPieces[r.IntN(len(putPieces))]
	switch r.IntN(40) {
	case 0:
		s = strings.Repeat(s+putPieces[r.IntN(len(putPieces))], r.IntN(400))
	case 1:
		s += strings.Repeat("line of text\n", r.IntN(200))
	case 5:
		if r.IntN(20) == 0 {
			s += strings.Repeat(s+"long text 日本\n", 10_000) // stays in one piece
		}
	case 2, 3, 4:
		s += putPieces[r.IntN(len(putPieces))] + putPieces[r.IntN(len(putPieces))]
	}
	return s
}

func randomOp(r *rand.Rand, size int) op {
	o := op{kind: opReplace, at: r.IntN(1 << 30), put: randomPut(r), enc: Encoding(r.IntN(3))}
	if k := r.IntN(20); k < int(opKinds) {
		o.kind = opKind(k)
	} else if k < 14 {
		o.kind = opRange
	}
	switch r.IntN(30) {
	case 0:
		o.len = r.IntN(size/16 + 6000)
	case 1, 2, 3:
		o.len = r.IntN(60)
	case 4, 5, 6, 7, 8, 9, 10, 11:
		o.len = r.IntN(4)
	}
	if r.IntN(3) == 0 { // near the beginning or an end, where the typing is
		o.at = r.IntN(4)
	}
	return o
}

func randomStart(r *rand.Rand, n int) string {
	switch {
	case n < 8:
		return ""
	case n < 32:
		return BOM + "one\r\ntwo\n"
	}
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(3) {
		case 0:
			b.WriteString(randomPut(r))
		default:
			b.WriteString("some words, one line\n")
		}
	}
	return b.String()
}

func list(ops []op) string {
	var b strings.Builder
	for _, o := range ops {
		fmt.Fprintf(&b, "\t%d at %d len %d enc %s put %d bytes %.60q\n", o.kind, o.at, o.len, o.enc, len(o.put), o.put)
	}
	return b.String()
}

// shrink returns fewer of the ops that still fail.
func shrink(ops []op, fails func([]op) bool) []op {
	for size := len(ops) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(ops); {
			if fewer := slices.Delete(slices.Clone(ops), i, i+size); fails(fewer) {
				ops = fewer
			} else {
				i += size
			}
		}
	}
	return ops
}

// play makes the steps on a buffer and on a string, and returns how they differ.
func play(start string, ops []op) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	type kept struct {
		text Text
		want string
	}
	var keep []kept
	b, s := NewBuffer(New(start)), start
	for i, o := range ops {
		at := o.at % (len(s) + 1)
		end := min(len(s), at+o.len)
		switch o.kind {
		case opReplace:
			b.Replace(at, end, o.put)
			s = s[:at] + o.put + s[end:]
		case opRange:
			from, to := modelPosition(s, modelFloor(s, at), o.enc), modelPosition(s, modelFloor(s, end), o.enc)
			to.Character += o.len % 3
			if o.len%7 == 6 {
				to.Line++ // often past the last
			}
			at, end = modelOffset(s, from, o.enc), modelOffset(s, to, o.enc)
			if gotAt, gotEnd := b.ReplaceRange(from, to, o.enc, o.put); gotAt != at || gotEnd != max(at, end) {
				return fmt.Errorf("step %d replaced [%d,%d), want [%d,%d)", i, gotAt, gotEnd, at, end)
			}
			s = s[:at] + o.put + s[max(at, end):]
		case opType:
			// Somebody takes a snapshot in the middle, and asks for places.
			for range 2 {
				var err error
				if s, at, err = typeAt(b, s, modelFloor(s, at), o); err != nil {
					return fmt.Errorf("step %d: %w", i, err)
				}
				keep = append(keep, kept{b.Snapshot(), s})
				b.Position(0, o.enc)
				b.Position(at, o.enc)
			}
		case opText:
			b = NewBuffer(b.Snapshot().Replace(at, end, o.put))
			s = s[:at] + o.put + s[end:]
		case opKeep:
			keep = append(keep, kept{b.Snapshot(), s})
		case opFlatten:
			if b.Snapshot().String() != s {
				return fmt.Errorf("step %d: another string", i)
			}
		case opHash:
			if got, want := b.Snapshot().Hash(), New(s).Hash(); got != want {
				return fmt.Errorf("step %d: the hash is %s, want %s", i, got, want)
			}
		case opAsk:
			if err := ask(b, s, at, end, o.enc); err != nil {
				return fmt.Errorf("step %d: %w", i, err)
			}
		}
		if err := sound(b, s, len(s) < 2000 || i%(16+len(s)>>14) == 0); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	for i, k := range keep {
		if err := same(k.text, k.want); err != nil {
			return fmt.Errorf("kept text %d: %w", i, err)
		}
	}
	return nil
}

// ReplaceRange replaces the text between two positions by s, as the documents do with what an editor reports, and returns
// the offsets of the replaced text.
func (b *Buffer) ReplaceRange(from, to Position, enc Encoding, s string) (start, end int) {
	start = b.Offset(from, enc)
	if end = start; from != to {
		end = max(start, b.Offset(to, enc))
	}
	b.Replace(start, end, s)
	return start, end
}

// typeAt types at a place of the buffer, whose text is s, and returns the text
// and the place then.
func typeAt(b *Buffer, s string, at int, o op) (after string, end int, err error) {
	for n := range 10 + o.len%64 {
		put, from := "x", at
		switch {
		case (n+o.len)%11 == 0 && o.put != "":
			put = o.put[:1]
		case (n+o.len)%5 == 0 && at > 0:
			put, from = "", modelFloor(s, at-1)
		case (n+o.len)%17 == 0:
			put = "completed"
		}
		gotAt, gotEnd := b.ReplaceRange(modelPosition(s, from, o.enc), modelPosition(s, at, o.enc), o.enc, put)
		if gotAt != from || gotEnd != at {
			return s, at, fmt.Errorf("typing replaced [%d,%d), want [%d,%d)", gotAt, gotEnd, from, at)
		}
		s = s[:from] + put + s[at:]
		at = modelFloor(s, from+len(put))
	}
	return s, at, nil
}

// ask compares what the buffer and its snapshot say about a place.
func ask(b *Buffer, s string, at, end int, enc Encoding) error {
	at = modelFloor(s, at)
	end = max(at, modelFloor(s, end))
	p := modelPosition(s, at, enc)
	if got := b.Position(at, enc); got != p {
		return fmt.Errorf("the buffer's offset %d is at %v in %s, want %v", at, got, enc, p)
	}
	for _, by := range []int{0, 1, 2, 1000} {
		q := Position{p.Line, p.Character + by}
		if got, want := b.Offset(q, enc), modelOffset(s, q, enc); got != want {
			return fmt.Errorf("the buffer's %v in %s is at %d, want %d", q, enc, got, want)
		}
	}
	if got := b.Slice(at, end); got != s[at:end] {
		return fmt.Errorf("the buffer has %.100q in [%d,%d), want %.100q", got, at, end, s[at:end])
	}
	t := b.Snapshot()
	if got := t.Position(at, enc); got != p {
		return fmt.Errorf("offset %d is at %v in %s, want %v", at, got, enc, p)
	}
	if got, want := t.Offset(p, enc), modelOffset(s, p, enc); got != want {
		return fmt.Errorf("%v in %s is at %d, want %d", p, enc, got, want)
	}
	if got := t.Slice(at, end); got != s[at:end] {
		return fmt.Errorf("there is %.100q in [%d,%d), want %.100q", got, at, end, s[at:end])
	}
	if other := s[:at] + "?" + s[at:]; t.Equal(New(other)) || (at < len(s) && t.Equal(New(other[:len(s)])) != (other[:len(s)] == s)) {
		return fmt.Errorf("equal to what it is not")
	}
	more := t.Replace(at, at, "?") // two trees that share what is not near
	if !t.Equal(more.Replace(at, at+1, "")) || at < len(s) && t.Equal(more.Replace(len(s), len(s)+1, "")) != ((s[:at] + "?" + s[at:])[:len(s)] == s) {
		return fmt.Errorf("equal to a tree that it is not, or not to one that it is")
	}
	return lines(t, s, strings.Count(s[:at], "\n"))
}

// lines compares what is said of the lines around line n.
func lines(t Text, s string, n int) error {
	whole := New(s)
	if t.Lines() != whole.Lines() || t.Len() != len(s) {
		return fmt.Errorf("%d lines in %d bytes, want %d in %d", t.Lines(), t.Len(), whole.Lines(), len(s))
	}
	for i := max(0, n-1); i < min(n+2, t.Lines()); i++ {
		l := whole.Line(i)
		if got := t.Line(i); got != l || t.LineStart(i) != l.Start || t.LineAt(l.Start) != i || t.LineAt(l.Next-1) != i {
			return fmt.Errorf("line %d is at %v, want %v (starts at %d; its bytes are in line %d and %d)",
				i, got, l, t.LineStart(i), t.LineAt(l.Start), t.LineAt(l.Next-1))
		}
	}
	if t.LineAt(len(s)) != whole.LineAt(len(s)) || t.LineStart(t.Lines()) != len(s) {
		return fmt.Errorf("the end is in line %d, want %d", t.LineAt(len(s)), whole.LineAt(len(s)))
	}
	return nil
}

// same compares all of a text.
func same(t Text, s string) error {
	var b strings.Builder
	for run := range t.Runs() {
		if run == "" {
			return fmt.Errorf("an empty run")
		}
		b.WriteString(run)
	}
	if b.String() != s || !t.Equal(New(s)) || !New(s).Equal(t) {
		return fmt.Errorf("the runs hold another text")
	}
	if err := lines(t, s, strings.Count(s, "\n")/2); err != nil {
		return err
	}
	if t.String() != s || t.Hash() != New(s).Hash() {
		return fmt.Errorf("another text")
	}
	return lines(t, s, strings.Count(s, "\n")/2)
}

// modelFloor returns the start of the code point at off.
func modelFloor(s string, off int) int {
	line := strings.LastIndexByte(s[:off], '\n') + 1
	for i := line; i < off; {
		_, size := utf8.DecodeRuneInString(s[i:])
		if i+size > off {
			return i
		}
		i += size
	}
	return off
}

func modelPosition(s string, off int, enc Encoding) Position {
	line := strings.LastIndexByte(s[:off], '\n') + 1
	return Position{strings.Count(s[:line], "\n"), enc.Count(s[line:off])}
}

func modelOffset(s string, p Position, enc Encoding) int {
	off := 0
	for range p.Line {
		i := strings.IndexByte(s[off:], '\n')
		if i < 0 {
			return len(s)
		}
		off += i + 1
	}
	for left := p.Character; left > 0 && off < len(s) && s[off] != '\n'; {
		r, size := utf8.DecodeRuneInString(s[off:])
		if left -= enc.width(r, size); left < 0 {
			break
		}
		off += size
	}
	return off
}
