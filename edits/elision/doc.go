// Package elision recognises where a text that was sent stands for more than it is:
//
//	func f() {
//		// ... existing code ...
//	}
//
// Such a line would replace what the caller meant to keep.
package elision
