package text

import (
	"hash/maphash"
	"slices"
	"strings"
)

// LineHash is a hash of a line without its line end and without the blanks around it, so that lines which differ only in
// these have the same [LineHash.Core]. The lowest bit is [NonASCII]. Hashes are valid only in the process that made them;
// they must not be kept longer.
type LineHash uint32

// NonASCII is set in the hash of a line that has a byte above 0x7F.
const NonASCII LineHash = 1

// Core returns the hash without the [NonASCII] bit.
func (h LineHash) Core() LineHash { return h &^ NonASCII }

var lineSeed = maphash.MakeSeed()

// HashLine returns the hash of a line, which must not include its line end.
func HashLine(line string) LineHash {
	_, core, _ := CutBlanks(line)
	h := LineHash(maphash.String(lineSeed, core)) &^ NonASCII
	if !IsASCII(core) {
		h |= NonASCII
	}
	return h
}

// LineHashes are the hashes of the lines of a text. They are immutable.
type LineHashes struct {
	parts []lineHashPart
	n     int
}

// lineHashPart holds the hashes of the lines from first on, up to the next part.
type lineHashPart struct {
	first  int
	hashes []LineHash
}

// Len returns the number of lines.
func (l *LineHashes) Len() int { return l.n }

// Part returns the stretch of hashes that holds the hash of line i, and the number of
// the stretch's first line. The stretch must not be written.
func (l *LineHashes) Part(i int) (first int, hashes []LineHash) {
	k, found := slices.BinarySearchFunc(l.parts, i, func(p lineHashPart, i int) int { return p.first - i })
	if !found {
		k--
	}
	return l.parts[k].first, l.parts[k].hashes
}

// All yields the hashes, each with the number of its line.
func (l *LineHashes) All(yield func(line int, h LineHash) bool) {
	for _, p := range l.parts {
		for i, h := range p.hashes {
			if !yield(p.first+i, h) {
				return
			}
		}
	}
}

// add adds the hashes of lines.
func (l *LineHashes) add(hashes ...LineHash) {
	if len(hashes) > 0 {
		l.parts = append(l.parts, lineHashPart{l.n, hashes})
		l.n += len(hashes)
	}
}

// LineHashes returns the hashes of the lines of t. The first call costs a pass over the text; after edits, a call costs the
// leaves that the edits touched, and a little for each 12 KB. Without a call, a text has no line hashes.
func (t Text) LineHashes() *LineHashes {
	d := t.data()
	if l := d.lines.Load(); l != nil {
		return l
	}
	all := &LineHashes{}
	begin, at := 0, 0 // begin is that of the unfinished line, at that of the next leaf
	line := func(end int) {
		if begin == 0 {
			begin = t.BOM()
		}
		s := t.Slice(begin, end)
		if end < t.Len() {
			s = strings.TrimSuffix(s, "\r") // the "\r" is part of the line end
		}
		all.add(HashLine(s))
	}
	d.asTree().root.eachLeaf(func(n node) {
		l := n.leaf.lineHashes()
		if l.head >= 0 { // a line that may have begun in an earlier leaf ends here
			line(at + l.head)
			all.add(l.hashes...)
			begin = at + n.sum.bytes - l.tail
		}
		at += n.sum.bytes
	})
	if begin < at && (begin > 0 || at > t.BOM()) {
		line(at)
	}
	d.lines.Store(all)
	return all
}

func (n node) eachLeaf(f func(node)) {
	if n.leaf != nil {
		f(n)
		return
	}
	for _, child := range n.branch.children[:n.branch.n] {
		child.eachLeaf(f)
	}
}

// leafLines are the lines of a leaf that is not written any more.
type leafLines struct {
	hashes []LineHash // of the lines that begin and end in the leaf
	// head is the offset of the first "\n", or -1; tail is the number of bytes after the last one.
	head, tail int
}

// lineHashes returns the leaf's lines, and caches them.
func (l *leaf) lineHashes() *leafLines {
	if known := l.lines.Load(); known != nil {
		return known
	}
	var b strings.Builder
	for i := range l.n {
		b.Write(l.chunks[i].data())
	}
	s := b.String()
	lines := &leafLines{head: strings.IndexByte(s, '\n')}
	if s = s[lines.head+1:]; lines.head >= 0 {
		lines.hashes = make([]LineHash, 0, strings.Count(s, "\n"))
	}
	for line, rest, more := strings.Cut(s, "\n"); more; line, rest, more = strings.Cut(s, "\n") {
		lines.hashes = append(lines.hashes, HashLine(strings.TrimSuffix(line, "\r")))
		s = rest
	}
	lines.tail = len(s)
	l.lines.Store(lines)
	return lines
}
