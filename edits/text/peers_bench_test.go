package text_test

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

// peer is a way to keep an open document.
type peer interface {
	change(from, to text.Position, put string)
	snapshot()
	text() string
}

// bufferPeer is ours. It may ask for the place behind each change, and back.
type bufferPeer struct {
	b    *text.Buffer
	asks bool
	kept []text.Text
}

func (p *bufferPeer) change(from, to text.Position, put string) {
	start, _ := p.b.ReplaceRange(from, to, text.UTF16, put)
	if p.asks && p.b.Offset(p.b.Position(start+len(put), text.UTF16), text.UTF16) != start+len(put) {
		panic("another place")
	}
}
func (p *bufferPeer) snapshot()    { p.kept = append(p.kept, p.b.Snapshot()) }
func (p *bufferPeer) text() string { return p.b.Snapshot().String() }

// rebuildPeer does as gopls does: it finds the lines of the whole text, and
// makes the text anew.
type rebuildPeer struct{ s, kept []byte }

func (p *rebuildPeer) snapshot()    { p.kept = p.s }
func (p *rebuildPeer) text() string { return string(p.s) }

func (p *rebuildPeer) change(from, to text.Position, put string) {
	starts := make([]int, 1, bytes.Count(p.s, []byte("\n"))+1)
	ascii := true
	for i, b := range p.s {
		if b == '\n' {
			starts = append(starts, i+1)
		}
		if b >= utf8.RuneSelf {
			ascii = false
		}
	}
	start, end := p.offset(starts, from, ascii), p.offset(starts, to, ascii)
	var out bytes.Buffer
	out.Write(p.s[:start])
	out.WriteString(put)
	out.Write(p.s[end:])
	p.s = out.Bytes()
}

func (p *rebuildPeer) offset(starts []int, at text.Position, ascii bool) int {
	if at.Line >= len(starts) {
		return len(p.s)
	}
	end := len(p.s)
	if at.Line+1 < len(starts) {
		end = starts[at.Line+1] - 1
	}
	start := starts[at.Line]
	if ascii {
		return min(start+at.Character, end)
	}
	return start + inLine(string(p.s[start:end]), at.Character)
}

// linesPeer is the simple good design: a string for each line.
type linesPeer struct{ lines, kept []string }

func newLinesPeer(s string) *linesPeer { return &linesPeer{lines: strings.SplitAfter(s, "\n")} }

func (p *linesPeer) snapshot()    { p.kept = slices.Clone(p.lines) }
func (p *linesPeer) text() string { return strings.Join(p.lines, "") }

func (p *linesPeer) change(from, to text.Position, put string) {
	n := len(p.lines)
	from.Line, to.Line = min(from.Line, n-1), min(to.Line, n-1)
	first, last := p.lines[from.Line], p.lines[to.Line]
	first, last = first[:inLine(first, from.Character)], last[inLine(last, to.Character):]
	if strings.IndexByte(put, '\n') < 0 {
		p.lines[from.Line] = first + put + last
		if to.Line > from.Line {
			p.lines = slices.Delete(p.lines, from.Line+1, to.Line+1)
		}
		return
	}
	lines := strings.SplitAfter(first+put+last, "\n")
	if strings.HasSuffix(last, "\n") {
		lines = lines[:len(lines)-1] // the next line is another one
	}
	p.lines = slices.Replace(p.lines, from.Line, to.Line+1, lines...)
}

// inLine returns the offset of the UTF-16 code unit n in a line.
func inLine(s string, n int) int {
	off := 0
	for n > 0 && off < len(s) && s[off] != '\n' {
		if s[off] < utf8.RuneSelf {
			off, n = off+1, n-1
			continue
		}
		r, size := utf8.DecodeRuneInString(s[off:])
		if n--; r > 0xFFFF {
			n--
		}
		off += size
	}
	return off
}
