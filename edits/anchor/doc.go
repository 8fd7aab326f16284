// Package anchor finds the lines that the anchors of a patch name, and what belongs to them:
//
//	@@ class A:            the scope of "class A:" is the lines that are indented deeper
//	@@     def f(self):    the scope of this one is in it
//
// A [Scope] ends where indentation, brackets, or the next title of the same kind end it.
package anchor
