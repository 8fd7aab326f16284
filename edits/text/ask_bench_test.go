package text_test

import (
	"math/rand/v2"
	"testing"

	"github.com/patchls/patchls/edits/text"
)

// BenchmarkAsk times the queries of a text: positions and offsets at random, its tree
// (open), its hash initially and after one edit, and its string after one edit.
func BenchmarkAsk(b *testing.B) {
	for _, k := range kindsOfText() {
		b.Run(k.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(9, 10))
			t := text.New(k.s)
			offs := make([]int, 1024)
			places := make([]text.Position, len(offs))
			for i := range offs {
				offs[i] = runeStart(k.s, r.IntN(len(k.s)))
				places[i] = t.Position(offs[i], text.UTF16)
			}
			b.Run("position", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					t.Position(offs[i%len(offs)], text.UTF16)
				}
			})
			b.Run("offset", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					t.Offset(places[i%len(places)], text.UTF16)
				}
			})
			b.Run("open", func(b *testing.B) {
				b.SetBytes(int64(len(k.s)))
				for b.Loop() {
					text.NewBuffer(text.New(k.s)).Position(0, text.UTF16)
				}
			})
			b.Run("hash", func(b *testing.B) {
				b.SetBytes(int64(len(k.s)))
				for b.Loop() {
					text.New(k.s).Hash()
				}
			})
			buf := text.NewBuffer(t)
			b.Run("edit-hash", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					buf.Replace(offs[i%len(offs)], offs[i%len(offs)], "x")
					buf.Snapshot().Hash()
				}
			})
			b.Run("edit-string", func(b *testing.B) {
				b.SetBytes(int64(len(k.s)))
				for i := 0; b.Loop(); i++ {
					buf.Replace(offs[i%len(offs)], offs[i%len(offs)], "x")
					_ = buf.Snapshot().String()
				}
			})
		})
	}
}
