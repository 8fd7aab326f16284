package text

import "unsafe"

// The conversions in this file are the package's only use of unsafe. They are sound because of two rules: bytes that a
// reader has as a string are never written again, and a chunk's address and length name memory of one allocation. Only
// Matches writes the buffer of sliceWith again, and it has no string of that buffer left then.

// bytesOf returns the bytes of s, which must not be written.
func bytesOf(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s)) //nolint:gosec // a view, for reading words
}

// stringOf returns p as a string, which is valid until p is written.
func stringOf(p []byte) string {
	return unsafe.String(unsafe.SliceData(p), len(p)) //nolint:gosec // frozen bytes, shown without a copy
}

// view returns the n bytes at p.
func view(p *byte, n int) []byte {
	return unsafe.Slice(p, n) //nolint:gosec // a leaf keeps address and length in 10 bytes, a slice takes 24
}

// offsetIn returns the offset of p in s, or -1 if p points elsewhere.
func offsetIn(s string, p *byte) int {
	base, at := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(p)) //nolint:gosec // compared, never dereferenced
	if at < base || at >= base+uintptr(len(s)) {
		return -1
	}
	return int(at - base)
}
