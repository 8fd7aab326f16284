// Package lists has what the standard library lacks for slices.
package lists

import "slices"

// Map returns what of returns for each of the items, in order.
func Map[T, R any](items []T, of func(T) R) []R {
	mapped := make([]R, len(items))
	for i, item := range items {
		mapped[i] = of(item)
	}
	return mapped
}

// FilterMap returns what of returns for each of the items for which it reports true, in order.
func FilterMap[T, R any](items []T, of func(T) (R, bool)) []R {
	mapped := make([]R, 0, len(items))
	for _, item := range items {
		if r, ok := of(item); ok {
			mapped = append(mapped, r)
		}
	}
	return mapped
}

// FlatMap returns the lists that of returns for each of the items, as one.
func FlatMap[T, R any](items []T, of func(T) []R) []R { return slices.Concat(Map(items, of)...) }

// Unique returns the items in order, each once.
func Unique[T comparable](items []T) []T {
	seen := make(map[T]bool, len(items))
	return FilterMap(items, func(item T) (T, bool) {
		is := seen[item]
		seen[item] = true
		return item, !is
	})
}

// Count returns how many of the items are such ones.
func Count[T any](items []T, isSuch func(T) bool) (n int) {
	for _, item := range items {
		if isSuch(item) {
			n++
		}
	}
	return n
}

// Sum adds up what of returns for each of the items.
func Sum[T any](items []T, of func(T) int) (sum int) {
	for _, item := range items {
		sum += of(item)
	}
	return sum
}
