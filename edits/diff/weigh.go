package diff

import (
	"slices"
)

const (
	// maxCells is the size, old times new pieces, up to which pieces are aligned
	// by weight: that gives the best result, in quadratic time.
	maxCells = 1 << 11
	// maxWork bounds the cells of one call of Rewrite. What comes after that is
	// aligned less finely.
	maxWork = 1 << 21
)

// weigher aligns short sequences by weight, as long as the work lasts.
type weigher struct {
	work  int     // cells that are left
	cells []int32 // reused
}

// heaviest pairs pieces 0..n-1 with pieces 0..m-1, in order on both sides, so
// that the sum of the pairs' weights is highest, and early ones rather than late
// ones. weigh puts the weights of piece i and each of the m into ws; what weighs
// 0 is not paired. It reports false, and does nothing, if that costs too much.
func (w *weigher) heaviest(n, m int, weigh func(i int, ws []int32), pair func(i, j int)) bool {
	switch {
	case n*m == 0:
		return true
	case n*m > maxCells:
		return false
	case n*m > w.work:
		w.work = 0
		return false
	}
	w.work -= n * m
	width := m + 1
	w.cells = slices.Grow(w.cells[:0], (n+2)*width)[:(n+2)*width]
	// best[i*width+j] is the highest sum of the first i with the first j.
	best, ws := w.cells[:(n+1)*width], w.cells[(n+1)*width:][:m]
	clear(best[:width])
	for i := range n {
		weigh(i, ws)
		above, row := best[i*width+1:][:len(ws)], best[(i+1)*width:][:width]
		row[0] = 0
		row = row[1:][:len(ws)]
		left, diagonal := int32(0), int32(0)
		for j, x := range ws {
			up := above[j]
			left = max(left, up, diagonal+x)
			row[j], diagonal = left, up
		}
	}
	for i, j := n, m; i > 0 && j > 0; {
		switch v := best[i*width+j]; v {
		case best[(i-1)*width+j]:
			i--
		case best[i*width+j-1]:
			j--
		default:
			i, j = i-1, j-1
			pair(i, j)
		}
	}
	return true
}
