package hostile

import "math/rand/v2"

// Dice decide what a hostile peer does: by chance, or as the bytes of a fuzzer say. They
// are not safe for concurrent use.
type Dice struct {
	r    *rand.Rand
	data []byte // if r is nil
}

// ByChance returns dice that always fall alike for a seed.
func ByChance(seed uint64) *Dice {
	return &Dice{r: rand.New(rand.NewPCG(seed, 0))}
}

// Loaded returns dice that fall as data says. Once it is used up they show 0.
func Loaded(data []byte) *Dice { return &Dice{data: data} }

// Int returns a number from 0 to n-1; n is 65536 at most.
func (d *Dice) Int(n int) int {
	if d.r != nil {
		return d.r.IntN(n)
	}
	v := d.byte()
	if n > 256 {
		v = v<<8 | d.byte()
	}
	return v % n
}

func (d *Dice) byte() int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b)
}

// Once returns true one time in n. It is false once the bytes are used up.
func (d *Dice) Once(n int) bool { return d.Int(n) == n-1 }

// Pick returns one of those.
func Pick[T any](d *Dice, those []T) T { return those[d.Int(len(those))] }
