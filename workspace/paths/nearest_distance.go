package paths

// distance returns how many bytes must be inserted, deleted or replaced to turn
// a into b (Levenshtein), or far if there are that many or more.
func distance(a, b string, far int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) >= far {
		return far
	}
	row := make([]int, len(a)+1) // from a[:i] to what of b has been read
	for i := range row {
		row[i] = i
	}
	for j := range len(b) {
		diagonal, best := row[0], j+1
		row[0] = j + 1
		for i := range len(a) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[i], row[i+1])
			}
			diagonal, row[i+1] = row[i+1], cost
			best = min(best, cost)
		}
		if best >= far {
			return far
		}
	}
	return min(row[len(a)], far)
}
