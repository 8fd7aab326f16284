package text

import (
	"hash/maphash"
	"slices"
)

// LineHash stands for a line: it is made of the line's bytes without its end and
// without the blanks around them, so that lines which differ only in those have
// hashes of the same [LineHash.Core]. The low bits say how the line has blanks,
// and whether it is ASCII. Hashes are of one process; they must not be kept longer.
type LineHash uint32

// What a LineHash says of its line.
const (
	Indented   LineHash = 1 << iota // blanks before something else
	Trailing                        // blanks at its end; a line of blanks has only those
	NonASCII                        // a byte above 0x7F, blanks apart
	hashTraits = Indented | Trailing | NonASCII
)

// Core returns the hash without what it says of the blanks and of ASCII.
func (h LineHash) Core() LineHash { return h &^ hashTraits }

var lineSeed = maphash.MakeSeed()

// HashLine returns the hash of a line, which is given without its end.
func HashLine(line string) LineHash {
	i, j := 0, len(line)
	for i < j && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	for i < j && (line[j-1] == ' ' || line[j-1] == '\t') {
		j--
	}
	core := line[i:j]
	h := LineHash(maphash.String(lineSeed, core)) &^ hashTraits
	if i > 0 && core != "" {
		h |= Indented
	}
	if j < len(line) || i > 0 && core == "" {
		h |= Trailing
	}
	if !isASCII(core) {
		h |= NonASCII
	}
	return h
}

// LineHashes are the hashes of the lines of a text. They are immutable.
type LineHashes struct {
	parts []lineHashPart
	n     int
	all   LineHash
}

// lineHashPart holds the hashes of the lines from first on, up to the next part.
type lineHashPart struct {
	first  int
	hashes []LineHash
}

// Len returns the number of lines.
func (l *LineHashes) Len() int { return l.n }

// Any reports whether any of the hashes has one of the traits.
func (l *LineHashes) Any(traits LineHash) bool { return l.all&traits != 0 }

// Part returns the stretch that has the hash of line i, and the number of its first
// line. The stretch must not be written.
func (l *LineHashes) Part(i int) (first int, hashes []LineHash) {
	k, found := slices.BinarySearchFunc(l.parts, i, func(p lineHashPart, i int) int { return p.first - i })
	if !found {
		k--
	}
	return l.parts[k].first, l.parts[k].hashes
}

// Parts yields the hashes in stretches, each with the number of its first line.
// The stretches must not be written.
func (l *LineHashes) Parts(yield func(first int, hashes []LineHash) bool) {
	for _, p := range l.parts {
		if !yield(p.first, p.hashes) {
			return
		}
	}
}

func (l *LineHashes) add(hashes []LineHash) {
	if len(hashes) == 0 {
		return
	}
	for _, h := range hashes {
		l.all |= h & hashTraits
	}
	l.parts = append(l.parts, lineHashPart{l.n, hashes})
	l.n += len(hashes)
}
