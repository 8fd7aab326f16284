package history

import (
	"errors"
	"slices"
)

// maxLookedFor bounds the work to find out which hunks are back, in changes that are passed
// over. The text is locked meanwhile.
const maxLookedFor = 1 << 15

// findBack finds those of the hunks, of which nothing is left but what they took out,
// where somebody has put that back. Of an edit with very many hunks, of which some are
// back and others are not, none may be found.
func (h *History) findBack(hunks []*found) {
	of := map[string][]*found{}
	for _, f := range hunks {
		if !f.wrote && f.near {
			of[f.ID] = append(of[f.ID], f)
		}
	}
	cost := 0
	for i, e := range slices.Backward(h.log) {
		mine := of[e.id]
		if len(mine) == 0 || i == len(h.log)-1 {
			continue
		}
		each := len(e.change)
		for _, later := range h.log[i+1:] {
			each += 1 + len(later.change)
		}
		// An editor's own undo puts back all of them.
		for _, some := range append([][]*found{mine}, slices.Collect(slices.Chunk(mine, 1))...) {
			if some[0].back {
				continue
			}
			if cost > maxLookedFor {
				return
			}
			cost += each
			back := h.isBack(i, some)
			for _, f := range some {
				f.back = back
			}
		}
	}
}

// isBack reports whether somebody has put back what these hunks of log[i] took out.
func (h *History) isBack(i int, hunks []*found) bool {
	numbers := make([]int, len(hunks))
	for k, f := range hunks {
		numbers[k] = f.Number
	}
	_, part := h.log[i].split(numbers)
	_, err := h.takeBack(part, h.log[i+1:])
	met, ok := errors.AsType[*UndoConflict](err)
	return ok && met.AlreadyUndone
}
