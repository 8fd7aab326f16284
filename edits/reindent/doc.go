// Package reindent carries a change over to a text that is not written as the change is.
//
// A [Transplant] applies the change from one text to another to a third text, which is the same as the first under a fold:
// characters that stay are those of the third text. A [Map], learnt from pairs of lines, says which indentation of the text
// stands for one that was sent:
//
//	sent "    if x:"   found "\tif x:"   so "        y()" becomes "\t\ty()"
package reindent
