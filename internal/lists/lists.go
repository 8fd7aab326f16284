// Package lists has what the standard library lacks for slices.
package lists

// Map returns what of returns for each of the items, in order.
func Map[T, R any](items []T, of func(T) R) []R {
	mapped := make([]R, len(items))
	for i, item := range items {
		mapped[i] = of(item)
	}
	return mapped
}

// Sum adds up what of returns for each of the items.
func Sum[T any](items []T, of func(T) int) (sum int) {
	for _, item := range items {
		sum += of(item)
	}
	return sum
}
