package text

import "testing"

// FuzzEdits plays steps that the fuzzer chooses; see play.
func FuzzEdits(f *testing.F) {
	f.Add("one\r\ntwo\n", []byte{0, 1, 2, 3, 4, 1, 200, 90, 10, 14, 5, 5, 5, 5, 5})
	f.Add(BOM+"日本 😀\n", []byte{1, 0, 1, 3, 14, 2, 7, 255, 255, 16, 6, 1, 0, 0, 0})
	f.Add("", []byte{7, 0, 0, 0, 11, 3, 0, 0, 9, 9})
	f.Fuzz(func(t *testing.T, start string, steps []byte) {
		if len(start) > 10_000 || len(steps) > 200 {
			t.Skip("a longer one may take minutes, in which nothing else is tried")
		}
		for len(start) < 4000 && len(start) > 8 { // otherwise it is one leaf
			start += start
		}
		var ops []op
		for ; len(steps) >= 5; steps = steps[5:] {
			ops = append(ops, op{
				kind: opKind(steps[0]) % opKinds, enc: Encoding(steps[0]>>4) % 3,
				at: int(steps[1])<<8 | int(steps[2]), len: int(steps[3]) * int(steps[3]) / 16,
				put: putPieces[int(steps[4])%len(putPieces)],
			})
		}
		if err := play(start, ops); err != nil {
			t.Fatal(err)
		}
	})
}
