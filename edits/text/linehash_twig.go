package text

import "strings"

// twigLines are the lines of a twig that nobody writes any more.
type twigLines struct {
	hashes []LineHash // of the lines that begin and end in the twig
	traits LineHash   // of all of them
	// head is how many bytes belong to a line that may have begun before, with its
	// "\n"; tail how many are behind the last "\n". Without a "\n", head is -1.
	head, tail int
}

// lineHashes returns the twig's lines, and remembers them.
func (t *twig) lineHashes() *twigLines {
	if l := t.known.Load(); l != nil {
		return l
	}
	n := 0
	for i := range t.n {
		n += int(t.lines[i])
	}
	l := &twigLines{head: -1}
	if n > 1 {
		l.hashes = make([]LineHash, 0, n-1)
	}
	var open []byte // of a line that began in a leaf before
	for i := range t.n {
		s := t.text(i)
		for range t.lines[i] {
			end := strings.IndexByte(s, '\n')
			line := s[:end]
			if len(open) > 0 {
				open = append(open, line...)
				line = stringOf(open)
			}
			if l.head < 0 {
				l.head = len(line) + 1
			} else {
				h := HashLine(strings.TrimSuffix(line, "\r"))
				l.hashes, l.traits = append(l.hashes, h), l.traits|h&hashTraits
			}
			open, s = open[:0], s[end+1:]
		}
		open = append(open, s...)
	}
	l.tail = len(open)
	t.known.Store(l)
	return l
}
