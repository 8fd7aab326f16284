package text

import "unsafe"

// The conversions of this file are all that the package does with unsafe.
// They are sound for what the package keeps: bytes that are shown to a reader
// as a string are never written again, and a leaf's address and length name
// memory of one allocation. Matches alone writes the buffer of sliceWith again,
// and has no string of it left then.

// bytesOf returns the bytes of s, which must not be written.
func bytesOf(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s)) //nolint:gosec // a view, for reading words
}

// stringOf returns p as a string, which holds until p is written.
func stringOf(p []byte) string {
	return unsafe.String(unsafe.SliceData(p), len(p)) //nolint:gosec // frozen bytes, shown without a copy
}

// view returns the n bytes at p.
func view(p *byte, n int) []byte {
	return unsafe.Slice(p, n) //nolint:gosec // a leaf keeps address and length in 10 bytes, a slice takes 24
}

// offsetIn returns how far p is into s, or -1 if it points elsewhere.
func offsetIn(s string, p *byte) int {
	base, at := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(p)) //nolint:gosec // compared, never dereferenced
	if at < base || at >= base+uintptr(len(s)) {
		return -1
	}
	return int(at - base)
}
