package command

import (
	"math/bits"
	"slices"
)

const (
	// maxGrams bounds the different grams that are looked for. Of more than
	// these a part is taken that depends on nothing but the grams themselves, so
	// that it is the same part in every copy of a text.
	maxGrams = 1 << 9
	// scanBytes is the length of a text up to which every gram of it is looked
	// at; of a longer one it is every second, every third and so on.
	scanBytes = 1 << 20
	// minLooks is how many grams are looked at, at least, in as much text as was
	// sent.
	minLooks = 12
	// minShare is the least part, one in so many, of the grams that a place has.
	minShare = 6
)

// grams are the short byte sequences of a text and how often it has each. How
// many of them another text has too is a measure of likeness that needs no
// alignment, so that one scan gives it for all places of a long text.
type grams struct {
	mask  uint32         // of the bytes of a gram, the first one lowest
	sieve uint32         // grams whose hash has one of these bits are left out
	shift int            // from hash to slot
	slots []gramSlot     // hash table with open addressing, at most half of it in use
	some  [1 << 8]uint64 // bit set of the hashes' first bits: most looks end here
	count []gramCount
	total int // of need
}

// gramSlot holds a gram and its number + 1; 0 if the slot is free.
type gramSlot struct{ gram, number uint32 }

// gramCount is how often the text has a gram, and how often what a scan has in
// view has it.
type gramCount struct{ need, have int32 }

// newGrams returns the grams of old. Those with a line end, a tab or two blanks
// are left out: they are what differs between copies that are indented or
// wrapped in another way.
func newGrams(old string) *grams {
	size := gramSize(old)
	room := bits.Len(uint(2 * min(len(old), maxGrams+1)))
	g := &grams{mask: 1<<(8*size) - 1, shift: 32 - room, slots: make([]gramSlot, 1<<room)}
	from := 0 // where the grams begin that are not left out
	for i := range len(old) {
		switch b := old[i]; {
		case b == '\n' || b == '\r' || b == '\t':
			from = i + 1
		case b == ' ' && i > 0 && old[i-1] == ' ':
			from = i
		}
		if at := i + 1 - size; at >= from {
			g.add(wordAt(old, at)&g.mask, 1)
		}
	}
	for _, c := range g.count {
		g.total += int(c.need)
	}
	return g
}

// gramSize returns how many bytes the grams of old have: short ones if it is
// short, so that a change leaves some of them.
func gramSize(old string) int {
	n := 0 // bytes that are not blank
	for i := range len(old) {
		if old[i] > ' ' {
			if n++; n == 12 {
				return 4
			}
		}
	}
	return 2 + n/6
}

// wordAt returns the four bytes of s at i, the first one lowest, as if s went on
// with zeros.
func wordAt(s string, i int) uint32 {
	if i+4 <= len(s) {
		return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
	}
	var word uint32
	for k := i; k < len(s); k++ {
		word |= uint32(s[k]) << (8 * (k - i))
	}
	return word
}

// hashGram returns the hash of a gram. All its bits depend on all of the gram.
func hashGram(gram uint32) uint32 {
	return uint32(uint64(gram) * 0x9E3779B97F4A7C15 >> 32)
}

// slot returns the slot of a gram with this hash, a free one if it has none.
func (g *grams) slot(gram, hash uint32) *gramSlot {
	slots := g.slots
	for at := hash >> g.shift; ; at++ {
		slot := &slots[at&uint32(len(slots)-1)]
		if slot.number == 0 || slot.gram == gram {
			return slot
		}
	}
}

// add counts a gram n times.
func (g *grams) add(gram uint32, n int32) {
	hash := hashGram(gram)
	if hash&g.sieve != 0 {
		return
	}
	slot := g.slot(gram, hash)
	if slot.number == 0 {
		g.count = append(g.count, gramCount{})
		*slot = gramSlot{gram, uint32(len(g.count))}
		g.some[hash>>24] |= 1 << (hash >> 18 & 63)
	}
	g.count[slot.number-1].need += n
	if len(g.count) > maxGrams {
		g.thin()
	}
}

// thin leaves out half of the grams.
func (g *grams) thin() {
	slots, count := g.slots, g.count
	g.sieve = g.sieve<<1 | 1
	g.slots, g.count, g.some = make([]gramSlot, len(slots)), nil, [1 << 8]uint64{}
	for _, slot := range slots {
		if slot.number != 0 {
			g.add(slot.gram, count[slot.number-1].need)
		}
	}
}

// place is a stretch [from,to) of a text, and how many grams it shares.
type place struct{ from, to, score int }

// middle returns the byte in the middle.
func (p place) middle() int { return p.from + (p.to-p.from)/2 }

// places returns the stretches of s, each of width bytes at most, that have the
// most of the grams: highest score first, and early ones first among equals.
// A gram counts as often as it is needed.
func (g *grams) places(s string, width int) []place {
	type hit struct{ at, number uint32 }
	var (
		size   = bits.Len32(g.mask) / 8
		step   = 1
		window []hit // the hits in view are window[head:]
		head   int
		score  int
	)
	if g.sieve == 0 {
		step = max(1, min((len(s)+scanBytes-1)/scanBytes, width/minLooks))
	}
	best := bestPlaces{least: g.total/step/minShare + 1, apart: (width + 1) / 2}
	for i := 0; i+size <= len(s); i += step {
		gram := wordAt(s, i) & g.mask
		hash := hashGram(gram)
		if hash&g.sieve != 0 || g.some[hash>>24]>>(hash>>18&63)&1 == 0 {
			continue
		}
		number := g.slot(gram, hash).number
		if number == 0 {
			continue
		}
		number--
		for head < len(window) && int(window[head].at) < i+size-width {
			c := &g.count[window[head].number]
			if c.have <= c.need {
				score--
			}
			c.have--
			head++
		}
		if head >= 1<<10 && 2*head >= len(window) {
			window = append(window[:0], window[head:]...)
			head = 0
		}
		window = append(window, hit{uint32(i), number})
		c := &g.count[number]
		c.have++
		if c.have > c.need {
			continue
		}
		score++
		if score >= best.least {
			best.offer(place{int(window[head].at), i + size, score})
		}
	}
	return best.all()
}

// maxPlaces bounds the places that a scan gives.
const maxPlaces = 1 << 6

// bestPlaces keeps the places with the highest scores of those that are apart.
type bestPlaces struct {
	least  int // score that it takes, more than 0
	apart  int // of places whose ends are nearer only the best is kept
	last   place
	places []place // sorted
}

// offer is told of a place with a score that it takes; places come by their ends.
func (b *bestPlaces) offer(p place) {
	if p.to-b.last.to >= b.apart {
		b.keep()
		b.last = p
	} else if p.score > b.last.score {
		b.last = p
	}
}

// keep puts the last place among the others.
func (b *bestPlaces) keep() {
	if b.last.score < b.least {
		return
	}
	at := len(b.places)
	for at > 0 && b.places[at-1].score < b.last.score {
		at--
	}
	b.places = slices.Insert(b.places, at, b.last)
	if len(b.places) > maxPlaces {
		b.places = b.places[:maxPlaces]
		b.least = b.places[maxPlaces-1].score + 1
	}
}

// all returns the places.
func (b *bestPlaces) all() []place {
	b.keep()
	return b.places
}
