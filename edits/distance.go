package edits

// Distance returns the number of code points to insert, delete, replace or swap
// with their neighbour to get from a to b (optimal string alignment). It serves
// suggestions; it never decides what an edit does. Its cost is the product of
// the lengths, so it is for names, not for texts.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(y)]
}

// NearestName returns the one of names that is likeliest meant by name, "" if
// none is near.
func NearestName(name string, names []string) string {
	best, bestDistance := "", max(len(name)/2, 2)+1
	for _, n := range names {
		if d := Distance(name, n); d < bestDistance {
			best, bestDistance = n, d
		}
	}
	return best
}
