package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

// buffer is a way to keep an open document in Go.
type buffer interface {
	change(from, to text.Position, put string)
	snapshot()
	text() string
}

// replay makes the changes, with a snapshot every 100, and returns the
// nanoseconds per change.
func replay(s session, b buffer) (float64, error) {
	began := time.Now()
	for i := range s.changes {
		c := &s.changes[i]
		b.change(c.from, c.to, c.put)
		if i%100 == 99 {
			b.snapshot()
		}
	}
	took := time.Since(began)
	if s.end != "" && b.text() != s.end {
		return 0, errors.New("it has another text at the end")
	}
	return float64(took.Nanoseconds()) / float64(len(s.changes)), nil
}

// ours is the text of patchls. All of its snapshots are kept. It may be asked for
// the place behind each change, and back.
type ours struct {
	b    *text.Buffer
	asks bool
	kept []text.Text
}

// opened returns ours with the text, as a server has it after didOpen.
func opened(s string, asks bool) *ours {
	b := text.NewBuffer(text.New(s))
	b.Position(0, text.UTF16) // makes the tree
	return &ours{b: b, asks: asks}
}

func (o *ours) change(from, to text.Position, put string) {
	start, _ := o.b.ReplaceRange(from, to, text.UTF16, put)
	if o.asks && o.b.Offset(o.b.Position(start+len(put), text.UTF16), text.UTF16) != start+len(put) {
		panic("another place")
	}
}
func (o *ours) snapshot()    { o.kept = append(o.kept, o.b.Snapshot()) }
func (o *ours) text() string { return o.b.Snapshot().String() }

// rebuilt is a text that each change makes anew, as gopls does: it finds the lines
// of the whole text first.
type rebuilt struct{ s, kept []byte }

func (r *rebuilt) snapshot()    { r.kept = r.s }
func (r *rebuilt) text() string { return string(r.s) }

func (r *rebuilt) change(from, to text.Position, put string) {
	starts := make([]int, 1, bytes.Count(r.s, []byte("\n"))+1)
	ascii := true
	for i, b := range r.s {
		if b == '\n' {
			starts = append(starts, i+1)
		}
		if b >= utf8.RuneSelf {
			ascii = false
		}
	}
	start, end := r.offset(starts, from, ascii), r.offset(starts, to, ascii)
	var out bytes.Buffer
	out.Write(r.s[:start])
	out.WriteString(put)
	out.Write(r.s[end:])
	r.s = out.Bytes()
}

func (r *rebuilt) offset(starts []int, at text.Position, ascii bool) int {
	if at.Line >= len(starts) {
		return len(r.s)
	}
	end := len(r.s)
	if at.Line+1 < len(starts) {
		end = starts[at.Line+1] - 1
	}
	start := starts[at.Line]
	if ascii {
		return min(start+at.Character, end)
	}
	return start + inLine(string(r.s[start:end]), at.Character)
}

// lines is the good simple design: a string for each line.
type lines struct{ all, kept []string }

func newLines(s string) *lines { return &lines{all: strings.SplitAfter(s, "\n")} }

func (l *lines) snapshot()    { l.kept = slices.Clone(l.all) }
func (l *lines) text() string { return strings.Join(l.all, "") }

func (l *lines) change(from, to text.Position, put string) {
	first, last := l.all[from.Line], l.all[to.Line]
	first, last = first[:inLine(first, from.Character)], last[inLine(last, to.Character):]
	if strings.IndexByte(put, '\n') < 0 {
		l.all[from.Line] = first + put + last
		if to.Line > from.Line {
			l.all = slices.Delete(l.all, from.Line+1, to.Line+1)
		}
		return
	}
	into := strings.SplitAfter(first+put+last, "\n")
	if strings.HasSuffix(last, "\n") {
		into = into[:len(into)-1] // the next line is another one
	}
	l.all = slices.Replace(l.all, from.Line, to.Line+1, into...)
}

// inLine returns the offset of the UTF-16 code unit n in a line.
func inLine(s string, n int) int {
	at := 0
	for n > 0 && at < len(s) && s[at] != '\n' {
		if s[at] < utf8.RuneSelf {
			at, n = at+1, n-1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if n--; r > 0xFFFF {
			n--
		}
		at += size
	}
	return at
}
