package command

import "hash/maphash"

// interner numbers strings from 0. It is a hash table with open addressing,
// because numbering lines is most of what a diff of scattered changes costs and
// takes several times as long with a map.
type interner struct {
	keys  []string
	slots []internSlot // a power of two, at most half of them in use
}

// internSlot holds a string's hash, and its number + 1; 0 if the slot is free.
type internSlot struct {
	hash   uint32
	number int32
}

// unnumbered is what a string has that an interner has not seen.
const unnumbered int32 = -1

var internSeed = maphash.MakeSeed()

// newInterner returns an interner with room for n strings.
func newInterner(n int) interner {
	size := 2
	for size < 2*n {
		size *= 2
	}
	return interner{keys: make([]string, 0, n), slots: make([]internSlot, size)}
}

// id returns the number of key.
func (in *interner) id(key string) int32 {
	hash := uint32(maphash.String(internSeed, key))
	i := in.probe(hash, key)
	if in.slots[i].number == 0 {
		in.keys = append(in.keys, key)
		in.slots[i] = internSlot{hash, int32(len(in.keys))}
		if 2*len(in.keys) > len(in.slots) {
			in.grow()
			return int32(len(in.keys) - 1)
		}
	}
	return in.slots[i].number - 1
}

// probe returns the slot of key, a free one if it has none yet.
func (in *interner) probe(hash uint32, key string) int {
	mask := len(in.slots) - 1
	i := int(hash) & mask
	for in.slots[i].number != 0 && (in.slots[i].hash != hash || in.keys[in.slots[i].number-1] != key) {
		i = (i + 1) & mask
	}
	return i
}

// grow doubles the slots.
func (in *interner) grow() {
	old := in.slots
	in.slots = make([]internSlot, 2*len(old))
	for _, slot := range old {
		if slot.number != 0 {
			in.slots[in.probe(slot.hash, in.keys[slot.number-1])] = slot
		}
	}
}
