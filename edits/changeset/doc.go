// Package changeset describes what happened to a text. A [Changeset] is [edits.Edits] that include the text they delete, so
// that it can be inverted, composed and transformed without the text:
//
//	one.Then(two)          one, and two after it, as one changeset
//	c.Invert()             what takes c back
//	Transform(one, two)    both of the same text, each as it is after the other
//
// Two changes that meet at one place are not merged: they are a [Meeting], which the caller decides.
package changeset
