package history

import (
	"errors"
	"slices"
)

// maxLookedFor bounds the work to find out which hunks are back, in changes that are passed
// over. The text is locked meanwhile.
const maxLookedFor = 1 << 15

// restored returns those of the hunks, of which nothing is left but what they took out,
// where somebody has put that back. Of an edit with very many hunks, of which some are
// back and others are not, none may be.
func (h *History) restored(hunks []Hunk) map[Hunk]bool {
	of := map[string][]Hunk{}
	for _, hunk := range hunks {
		of[hunk.ID] = append(of[hunk.ID], hunk)
	}
	back := map[Hunk]bool{}
	cost := 0
	for i, e := range slices.Backward(h.log) {
		mine := of[e.id]
		if len(mine) == 0 || e.id == "" || i == len(h.log)-1 {
			continue
		}
		each := len(e.change)
		for _, later := range h.log[i+1:] {
			each += 1 + len(later.change)
		}
		// An editor's own undo puts back all of them.
		for _, some := range append([][]Hunk{mine}, slices.Collect(slices.Chunk(mine, 1))...) {
			if len(mine) > 1 && len(some) == 1 && back[some[0]] {
				continue
			}
			if cost > maxLookedFor {
				return back
			}
			cost += each
			if h.isBack(i, some) {
				for _, hunk := range some {
					back[hunk] = true
				}
			}
		}
	}
	return back
}

// isBack reports whether somebody has put back what these hunks of log[i] took out.
func (h *History) isBack(i int, hunks []Hunk) bool {
	numbers := make([]int, len(hunks))
	for k, hunk := range hunks {
		numbers[k] = hunk.Number
	}
	_, part := h.log[i].split(numbers)
	_, err := h.takeBack(part, h.log[i+1:])
	met, ok := errors.AsType[*UndoConflict](err)
	return ok && met.AlreadyUndone
}
