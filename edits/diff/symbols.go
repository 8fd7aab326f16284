package diff

import (
	"hash/maphash"
)

// symbol stands for a piece of text. Lines with the same core differ at most in the
// blanks around it, or in that one is not terminated: the margin. Equal pieces have
// equal symbols. The reverse is as good as certain and not more, both being hashes
// in the end, so what is to stay because its symbols say so is compared once more.
type symbol struct {
	core   int32
	margin uint32
}

// numbers gives a number from 0 to each hash that it sees. The texts stay out of it,
// because to look them up again is most of what numbering them would cost.
type numbers map[uint64]int32

// ofLines returns the symbols of lines of s.
func (ns numbers) ofLines(s string, lines []LineSpan) []symbol {
	out := make([]symbol, len(lines))
	for i, l := range lines {
		before, core, after := CutBlanks(l.Content(s))
		m := marginHash(marginHash(offsetBasis, before)^1, after)
		if l.end == l.next {
			m++
		}
		out[i] = symbol{ns.id(hashOf(core)), m}
	}
	return out
}

// ofPieces returns the symbols of the pieces of s between cuts.
func (ns numbers) ofPieces(s string, cuts []int) []symbol {
	out := make([]symbol, len(cuts)-1)
	for i := range out {
		out[i].core = ns.id(hashOf(s[cuts[i]:cuts[i+1]]))
	}
	return out
}

// id returns the number of a hash.
func (ns numbers) id(hash uint64) int32 {
	id, ok := ns[hash]
	if !ok {
		id = int32(len(ns))
		ns[hash] = id
	}
	return id
}

var hashSeed = maphash.MakeSeed()

// hashOf returns the hash of s, another one in each process: who does not know it
// cannot make texts that clash.
func hashOf(s string) uint64 { return maphash.String(hashSeed, s) }

// offsetBasis and prime are those of FNV-1a, which is quick on a few blanks.
const (
	offsetBasis uint32 = 2166136261
	prime       uint32 = 16777619
)

// marginHash goes on from hash with blanks.
func marginHash(hash uint32, blanks string) uint32 {
	for i := range len(blanks) {
		hash = (hash ^ uint32(blanks[i])) * prime
	}
	return hash
}
