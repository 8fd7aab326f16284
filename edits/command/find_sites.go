package command

import "github.com/patchls/patchls/edits/text"

// seenLines is what is known of the lines of a text, for one who asks for several
// lists of lines, or for the same ones in several ways.
type seenLines struct {
	t text.Text
	// Where lines are, by their hashes: as they are, and under a fold that looks at
	// characters. Such folds differ in blanks alone, which hashes pass over.
	plain, folded lineSites
	hash          map[int]text.LineHash // under such a fold, by line: of those that are not ASCII
}

// of forgets what is known if that is not of t.
func (seen *seenLines) of(t text.Text) {
	if seen.t != t || seen.hash == nil {
		*seen = seenLines{t: t, hash: map[int]text.LineHash{}}
	}
}

// lineSites are the lines of a text that have some hashes, which do not say what the
// lines' blanks are.
type lineSites struct {
	number map[text.LineHash]int32
	lines  [][]int32 // by the number of the hash, from 0 and in order
}

// of returns the lines with a hash, if they are known.
func (l *lineSites) of(h text.LineHash) (lines []int32, known bool) {
	n, known := l.number[h]
	if !known {
		return nil, false
	}
	return l.lines[n], true
}

// look finds the lines that have the hashes, in one pass over those of the text.
// core returns the hash of a line that is not ASCII, and false to give up; it is
// nil if that is the line's own. Who gives up knows nothing.
func (l *lineSites) look(in *text.LineHashes, hashes []text.LineHash, core func(line int) (text.LineHash, bool)) bool {
	if l.number == nil {
		l.number = make(map[text.LineHash]int32, len(hashes))
	}
	filter, known := new(lineFilter), int32(len(l.lines))
	firsts := make([]int32, len(hashes)) // most have one line
	for i, h := range hashes {
		if _, is := l.number[h]; !is {
			l.number[h] = int32(len(l.lines))
			l.lines = append(l.lines, firsts[i:i:i+1])
			filter.add(h)
		}
	}
	hit := func(line int, h text.LineHash) {
		if n, ok := l.number[h.Core()]; ok && n >= known {
			l.lines[n] = append(l.lines[n], int32(line))
		}
	}
	ok := true
	in.Parts(func(first int, part []text.LineHash) bool {
		if core == nil {
			filter.part(first, part, hit)
			return true
		}
		for i, h := range part {
			if h&text.NonASCII != 0 {
				if h, ok = core(first + i); !ok {
					return false
				}
			}
			if filter.may(h) {
				hit(first+i, h)
			}
		}
		return true
	})
	if !ok {
		*l = lineSites{}
	}
	return ok
}

// lineFilter tells most hashes that are not looked for, by their high bits: there it
// has some of the other bits of the one that is, with the lowest one set.
type lineFilter [1 << 16]uint8

// severalHashes is in the place of hashes that have their high bits in common.
const severalHashes = 2

func (f *lineFilter) add(h text.LineHash) {
	switch at := &f[h>>16]; *at {
	case 0:
		*at = uint8(h>>8) | 1
	case uint8(h>>8) | 1:
	default:
		*at = severalHashes
	}
}

// may reports whether h may be one that is looked for.
func (f *lineFilter) may(h text.LineHash) bool {
	v := f[h>>16]
	return v == uint8(h>>8)|1 || v == severalHashes
}

// part calls hit for those hashes of the lines from first on that may be looked for.
// In almost all of a long text it does no more than to see that none of eight is.
func (f *lineFilter) part(first int, hashes []text.LineHash, hit func(line int, h text.LineHash)) {
	for len(hashes) >= 8 {
		g := (*[8]text.LineHash)(hashes)
		if f[g[0]>>16]|f[g[1]>>16]|f[g[2]>>16]|f[g[3]>>16]|f[g[4]>>16]|f[g[5]>>16]|f[g[6]>>16]|f[g[7]>>16] != 0 {
			for i, h := range g {
				if f.may(h) {
					hit(first+i, h)
				}
			}
		}
		first, hashes = first+8, hashes[8:]
	}
	for i, h := range hashes {
		if f.may(h) {
			hit(first+i, h)
		}
	}
}
